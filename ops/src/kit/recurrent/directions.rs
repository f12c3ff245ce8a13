//! Layers that run over a sequence in both directions of time: their outputs, and their second input.

use arenite_abi::prelude::*;

use super::{expect_output, shape};

plain! {
    /// The position of a layer's output within the rows of the node's output.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Columns {
        /// The number of elements in a row of the node's output.
        pub width: usize,
        /// The first element that the layer writes.
        pub first: usize,
    }
}

impl Columns {
    /// The part of row `row` that the layer writes.
    pub fn of<'a, T>(&self, output: &'a mut [T], row: usize, count: usize) -> &'a mut [T] {
        let first = row * self.width + self.first;
        output.get_mut(first..first + count).unwrap_or_default()
    }
}

plain! {
    /// The outputs of two layers, one for each direction of time.
    #[derive(Clone, Copy)]
    pub struct Directions {
        forward: Columns,
        backward: Columns,
        outputs: usize,
    }
}

impl Directions {
    /// For layers with output rows of these sizes, which are concatenated in one output or go to two.
    pub fn new(forward: usize, backward: usize, outputs: usize) -> Directions {
        let (forward, backward) = match outputs {
            1 => {
                let width = forward.saturating_add(backward);
                (Columns { width, first: 0 }, Columns { width, first: forward })
            }
            _ => (Columns { width: forward, first: 0 }, Columns { width: backward, first: 0 }),
        };
        Directions { forward, backward, outputs }
    }

    /// Sets the shapes of the outputs for an input of shape `x`.
    ///
    /// # Errors
    /// A size is too large.
    pub fn set_output_shapes(
        &self,
        (node, cx): (&NodeView<'_>, &mut PrepareContext<'_>),
        x: &[i32],
    ) -> Result<()> {
        for (i, columns) in [self.forward, self.backward].iter().take(self.outputs).enumerate() {
            expect_output(node, i, F32)?;
            let [width] = shape([columns.width])?;
            cx.set_output_shape(i, &[x[0], x[1], width])?;
        }
        Ok(())
    }

    /// Runs both layers, each on its own columns.
    ///
    /// # Errors
    /// The error of a layer.
    pub fn eval(
        &self,
        cx: &EvalContext<'_>,
        forward: impl FnOnce(Columns, &mut [f32]) -> Result<()>,
        backward: impl FnOnce(Columns, &mut [f32]) -> Result<()>,
    ) -> Result<()> {
        let y = cx.output_slice(0)?;
        forward(self.forward, y)?;
        match self.outputs {
            1 => backward(self.backward, y),
            _ => backward(self.backward, cx.output_slice(1)?),
        }
    }
}

/// The use of the second input in a node with two directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecondInput {
    /// The node has no second input.
    Absent,
    /// Both layers add it to the first input, with separate weights.
    Added,
    /// The backward layer reads it instead of the first input.
    OfBackward,
}

impl SecondInput {
    /// Determines the use of input `i`, whose weights would be at `weights`.
    ///
    /// # Errors
    /// Only some of the weights exist, or the input's type or rows differ from the first input's.
    pub fn read<const N: usize>(node: &NodeView<'_>, i: usize, weights: [usize; N]) -> Result<SecondInput> {
        let mut present = 0;
        for weight in weights {
            present += usize::from(node.optional_input(weight)?.is_some());
        }
        ensure!(
            present == 0 || present == N,
            "{present} of its {N} weights for the second input are present; it needs all or none"
        );
        if present == N {
            node.input(i)?;
        }
        let (x, Some(second)) = (node.input(0)?, node.optional_input(i)?) else {
            return Ok(SecondInput::Absent);
        };
        let agree = second.rank() == 3
            && second.shape[..2] == x.shape[..2]
            && (present == N || second.shape == x.shape);
        ensure!(
            agree && second.ty == x.ty,
            "inputs {x} and {second} are {}{:?} and {}{:?}; their types and rows must agree",
            x.ty,
            x.shape,
            second.ty,
            second.shape
        );
        Ok(if present == N { SecondInput::Added } else { SecondInput::OfBackward })
    }

    /// The position of the backward layer's input, if `second` is the position of the second input.
    pub fn of_backward(self, second: usize) -> usize {
        if self == SecondInput::OfBackward { second } else { 0 }
    }
}

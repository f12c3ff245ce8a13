//! Fully connected recurrent layers: `h ← activation(W x + A aux + R h + b)`, where `h` is also the output. RNN,
//! UNIDIRECTIONAL_SEQUENCE_RNN and each direction of BIDIRECTIONAL_SEQUENCE_RNN share this code. f32, with weights of
//! f32, or of 8 bits, where inputs are quantized row by row (hybrid).
//!
//! Defined by: tflite/kernels/internal/kernel_utils.cc (`RnnBatchStep`).

use arenite_abi::prelude::*;

use super::activation::Activation;
use super::bias::float_bias;
use super::hybrid::Symmetry;
use super::node;
use super::pace::Pace;
use super::recurrent::{
    Columns, Direction, Matrix, Sequence, Vector, activate, expect, expect_state, load, row, store,
};

plain! {
    /// The positions of the layer's tensors among the node's inputs.
    #[derive(Clone, Copy)]
    pub struct RnnLayout {
        /// The input of the layer.
        pub x: usize,
        /// The weights for the input; the weights for the state, the bias and the state follow.
        pub weights: usize,
        /// A second input and its weights.
        pub aux: Maybe<[usize; 2]>,
    }
}

plain! {
    /// A prepared layer.
    pub struct RnnLayer {
        layout: RnnLayout,
        activation: Activation,
        symmetry: Symmetry,
        inputs: usize,
        aux: usize,
        units: usize,
        /// The number of passes over the sequence.
        passes: usize,
        /// Scratch memory for the state before and after a step.
        room: Scratch<f32>,
        /// Scratch memory for the quantized input, second input and state; empty for weights of f32.
        quantized: Scratch<i8>,
    }
}

impl RnnLayer {
    /// Checks the layer with this layout; `batches` is the number of rows of its state.
    ///
    /// # Errors
    /// A tensor has another type or shape, or the state is not a variable.
    pub fn prepare(
        (node, cx): (&NodeView<'_>, &mut PrepareContext<'_>),
        layout: RnnLayout,
        (activation, symmetry): (Activation, Symmetry),
        batches: usize,
    ) -> Result<RnnLayer> {
        let (x, weights) = (node.input(layout.x)?, node.input(layout.weights)?);
        if !matches!((x.ty, weights.ty), (F32, F32 | I8 | U8)) {
            return Err(unsupported!("no kernel for input {} and weights {}", x.ty, weights.ty));
        }
        let last = |x: &TensorView<'_>| node::dims(x).map(|d| d.size(d.rank().saturating_sub(1)));
        let (inputs, units) = (last(&x)?, node::dims(&weights)?.size(0));
        expect(&weights, weights.ty, &[units, inputs])?;
        expect(&node.input(layout.weights + 1)?, weights.ty, &[units, units])?;
        expect(&node.input(layout.weights + 2)?, F32, &[units])?;
        expect_state(node, layout.weights + 3, F32, batches, units)?;
        let mut aux = 0;
        if let Some([x, aux_weights]) = layout.aux.get() {
            aux = last(&node.input(x)?)?;
            expect(&node.input(aux_weights)?, weights.ty, &[units, aux])?;
        }
        let bytes = if weights.ty == F32 { 0 } else { inputs.saturating_add(aux).saturating_add(units) };
        Ok(RnnLayer {
            layout,
            activation,
            symmetry,
            inputs,
            aux,
            units,
            passes: 1,
            room: cx.scratch(units.saturating_mul(2))?,
            quantized: cx.scratch(bytes)?,
        })
    }

    /// The same layer with several passes over the sequence, each of which starts from the state in which the previous
    /// one ended.
    pub fn repeated(self, passes: usize) -> RnnLayer {
        RnnLayer { passes, ..self }
    }

    /// The number of elements in a row of the output.
    pub fn units(&self) -> usize {
        self.units
    }

    /// Runs the layer over `sequence`, whose input is `x`, and writes `columns` of `y`.
    ///
    /// # Errors
    /// A tensor does not have the prepared type, or the invocation is cancelled.
    pub fn eval(
        &self,
        cx: &EvalContext<'_>,
        (sequence, direction): (&Sequence, Direction),
        (columns, y): (Columns, &mut [f32]),
    ) -> Result<()> {
        let layout = &self.layout;
        let matrix = |i: usize| Matrix::read(cx, i);
        let (weights, recurrent) = (matrix(layout.weights)?, matrix(layout.weights + 1)?);
        let bias = float_bias(cx, layout.weights + 2)?;
        let state = cx.variable::<f32>(layout.weights + 3)?;
        let x = cx.input_slice::<f32>(layout.x)?;
        let aux = match layout.aux.get() {
            Some([x, weights]) => Some((cx.input_slice::<f32>(x)?, matrix(weights)?)),
            None => None,
        };
        let (before, after) = cx.scratch(&self.room)?.split_at_mut(self.units);
        let bytes = cx.scratch(&self.quantized)?;
        let sizes = if bytes.is_empty() { [0; 2] } else { [self.inputs, self.aux] };
        let (q_x, bytes) = bytes.split_at_mut(sizes[0]);
        let (q_aux, q_state) = bytes.split_at_mut(sizes[1]);
        let columns_of_weights = self.inputs.saturating_add(self.aux).saturating_add(self.units);
        let mut pace = Pace::new(cx);
        let mut step = |i: usize, batch: usize| {
            pace.ahead(self.units.saturating_mul(columns_of_weights).max(1))?;
            load(state, batch, before);
            after.copy_from_slice(bias);
            weights.accumulate(&Vector::new(row(x, i, self.inputs), self.symmetry, q_x), after);
            if let Some((aux, weights)) = &aux {
                weights.accumulate(&Vector::new(row(aux, i, self.aux), self.symmetry, q_aux), after);
            }
            recurrent.accumulate(&Vector::new(before, self.symmetry, q_state), after);
            activate(self.activation, after);
            store(after, state, batch);
            columns.of(y, i, self.units).copy_from_slice(after);
            Ok(())
        };
        (0..self.passes).try_for_each(|_| sequence.for_each(direction, &mut step))
    }
}

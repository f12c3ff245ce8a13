//! Checked LSTM layers, shared by `LSTM`, `UNIDIRECTIONAL_SEQUENCE_LSTM` and each direction of
//! `BIDIRECTIONAL_SEQUENCE_LSTM`.
//!
//! A gate is `σ(W x + A aux + R h + p ⊙ c + b)`. With the input gate `i`, the forget gate `f`, the cell gate `g` (whose
//! activation is an option) and the output gate `o`:
//!
//! ```text
//! c ← clip(f ⊙ c + i ⊙ g)          i = 1 - f where the node has no input gate (CIFG)
//! h ← clip(P (o ⊙ act(c)) + bias)   without P: o ⊙ act(c)
//! ```
//!
//! With layer norm a gate is `σ(n ⊙ normalize(W x + R h + p ⊙ c) + b)`.
//!
//! Defined by: tflite/kernels/{lstm_eval.cc,lstm.cc,unidirectional_sequence_lstm.cc,bidirectional_sequence_lstm.cc}.

use arenite_abi::prelude::*;

use super::activation::Activation;
use super::hybrid::Symmetry;
use super::node;
use super::recurrent::{self, expect, expect_state};

/// A gate, in the order of a node's inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// The fraction of the cell gate that is added to the cell.
    Input,
    /// The fraction of the cell that is kept.
    Forget,
    /// The candidate values for the cell.
    Cell,
    /// The fraction of the cell that is output.
    Output,
}

plain! {
    /// The positions of the layer's tensors among the node's inputs.
    #[derive(Clone, Copy)]
    pub struct Layout {
        /// The input of the layer.
        pub x: usize,
        /// The first of 17 weights and biases.
        pub weights: usize,
        /// The previous output; the cell follows.
        pub state: usize,
        /// The first of four vectors of the layer norm.
        pub norm: Maybe<usize>,
        /// A second input, and the first of its four weights.
        pub aux: Maybe<[usize; 2]>,
    }
}

impl Layout {
    /// The layout of nodes with a single layer.
    pub const SINGLE: Layout =
        Layout { x: 0, weights: 1, state: 18, norm: Maybe::Present(20), aux: Maybe::Absent };

    /// The position of a gate's weights for the input.
    pub const fn input_to(&self, gate: Gate) -> usize {
        self.weights + gate as usize
    }

    /// The position of a gate's weights for the previous output.
    pub const fn recurrent_to(&self, gate: Gate) -> usize {
        self.weights + 4 + gate as usize
    }

    /// The position of a gate's weights for the cell; the cell gate has none.
    pub const fn cell_to(&self, gate: Gate) -> Option<usize> {
        match gate {
            Gate::Input => Some(self.weights + 8),
            Gate::Forget => Some(self.weights + 9),
            Gate::Cell => None,
            Gate::Output => Some(self.weights + 10),
        }
    }

    /// The position of a gate's bias.
    pub const fn bias(&self, gate: Gate) -> usize {
        self.weights + 11 + gate as usize
    }

    /// The position of the weights of the projection.
    pub const fn projection(&self) -> usize {
        self.weights + 15
    }

    /// The position of the bias of the projection.
    pub const fn projection_bias(&self) -> usize {
        self.weights + 16
    }

    /// The position of the previous output.
    pub const fn output_state(&self) -> usize {
        self.state
    }

    /// The position of the cell.
    pub const fn cell_state(&self) -> usize {
        self.state + 1
    }
}

plain! {
    /// A layer whose tensors have been checked.
    #[derive(Clone, Copy)]
    pub struct Layer {
        /// The positions of the tensors; `norm` and `aux` are `None` if the node lacks them.
        pub layout: Layout,
        /// The number of elements in a row of the input.
        pub inputs: usize,
        /// The number of elements in a row of the second input.
        pub aux: usize,
        /// The number of cells, which is the number of rows of most weights.
        pub cells: usize,
        /// The number of elements in a row of the output.
        pub outputs: usize,
        /// Whether the layer has an input gate.
        pub input_gate: bool,
        /// Whether the gates read the cell.
        pub peephole: bool,
        /// Whether the outputs are projected.
        pub projection: bool,
        /// The type of the weights.
        pub weights: ElementType,
    }
}

/// The types that depend on the type of the input.
struct Types {
    peephole: ElementType,
    bias: ElementType,
    norm: ElementType,
    output: ElementType,
    cell: ElementType,
}

impl Layer {
    /// Reads and checks the layer with this layout; `batches` is the number of rows of its states.
    ///
    /// # Errors
    /// A tensor is missing, has another type or shape, or must not exist without another one.
    pub fn read(node: &NodeView<'_>, layout: Layout, batches: usize) -> Result<Layer> {
        let layer = Layer::measure(node, layout)?;
        let types = match (node.input(layout.x)?.ty, layer.weights) {
            (F32, weights @ (F32 | I8 | U8)) => {
                Types { peephole: weights, bias: F32, norm: F32, output: F32, cell: F32 }
            }
            (I8, I8) => Types { peephole: I16, bias: I32, norm: I16, output: I8, cell: I16 },
            (x, weights) => return Err(unsupported!("no kernel for input {x} and weights {weights}")),
        };
        for gate in layer.gates() {
            layer.check_gate(node, gate, &types)?;
        }
        layer.check_absent(node)?;
        layer.check_projection(node, &types)?;
        expect_state(node, layout.output_state(), types.output, batches, layer.outputs)?;
        expect_state(node, layout.cell_state(), types.cell, batches, layer.cells)?;
        Ok(layer)
    }

    fn measure(node: &NodeView<'_>, layout: Layout) -> Result<Layer> {
        let present = |i: usize| node.optional_input(i).map(|x| x.is_some());
        let weights = node.input(layout.input_to(Gate::Output))?;
        let dims = node::dims(&weights)?;
        ensure!(dims.rank() == 2, "weights {weights} are {:?}; they must have 2 axes", weights.shape);
        let recurrent = node.input(layout.recurrent_to(Gate::Output))?;
        let recurrent_dims = node::dims(&recurrent)?;
        let outputs = match recurrent_dims.rank() {
            1 => recurrent_dims.size(0),
            2 => recurrent_dims.size(1),
            _ => {
                return Err(invalid!(
                    "weights {recurrent} are {:?}; they must have 2 axes, or 1 for a diagonal",
                    recurrent.shape
                ));
            }
        };
        let aux = match layout.aux.get() {
            Some([x, weights]) if present(weights + Gate::Forget as usize)? => Some([x, weights]),
            _ => None,
        };
        let norm = layout.norm.get().filter(|&i| present(i + 1).unwrap_or(false));
        Ok(Layer {
            layout: Layout { norm: norm.into(), aux: aux.into(), ..layout },
            inputs: dims.size(1),
            aux: aux.map_or(Ok(0), |[x, _]| {
                node::dims(&node.input(x)?).map(|d| d.size(d.rank().saturating_sub(1)))
            })?,
            cells: dims.size(0),
            outputs,
            input_gate: present(layout.input_to(Gate::Input))?,
            peephole: present(layout.weights + 10)?,
            projection: present(layout.projection())?,
            weights: weights.ty,
        })
    }

    /// The gates of the layer.
    pub fn gates(&self) -> impl Iterator<Item = Gate> + use<> {
        let all = [Gate::Input, Gate::Forget, Gate::Cell, Gate::Output];
        all.into_iter().skip(usize::from(!self.input_gate))
    }

    /// The number of multiply-adds of one step.
    pub fn work(&self) -> usize {
        let columns = self.inputs.saturating_add(self.aux).saturating_add(self.outputs).saturating_add(1);
        self.cells.saturating_mul(columns).saturating_mul(4).max(1)
    }

    fn check_gate(&self, node: &NodeView<'_>, gate: Gate, types: &Types) -> Result<()> {
        let layout = &self.layout;
        expect(&node.input(layout.input_to(gate))?, self.weights, &[self.cells, self.inputs])?;
        let recurrent = node.input(layout.recurrent_to(gate))?;
        if recurrent.rank() == 1 && types.output == F32 {
            ensure!(
                self.outputs == self.cells,
                "weights {recurrent} are a diagonal, which needs as many outputs as cells, not {} and {}",
                self.outputs,
                self.cells
            );
            expect(&recurrent, F32, &[self.cells])?;
        } else {
            expect(&recurrent, self.weights, &[self.cells, self.outputs])?;
        }
        expect(&node.input(layout.bias(gate))?, types.bias, &[self.cells])?;
        if let (Some(i), true) = (layout.cell_to(gate), self.peephole) {
            expect(&node.input(i)?, types.peephole, &[self.cells])?;
        }
        if let Some(i) = layout.norm.get() {
            expect(&node.input(i + gate as usize)?, types.norm, &[self.cells])?;
        }
        if let Some([_, weights]) = layout.aux.get() {
            expect(&node.input(weights + gate as usize)?, self.weights, &[self.cells, self.aux])?;
        }
        Ok(())
    }

    /// Checks that tensors exist only together with the tensors that they belong to.
    fn check_absent(&self, node: &NodeView<'_>) -> Result<()> {
        let layout = &self.layout;
        let refuse = |i: usize, without: &str| -> Result<()> {
            let Some(x) = node.optional_input(i)? else { return Ok(()) };
            Err(invalid!("{x} (input {i}) is present without {without}"))
        };
        if !self.input_gate {
            let weights = "weights of the input gate";
            refuse(layout.recurrent_to(Gate::Input), weights)?;
            refuse(layout.bias(Gate::Input), weights)?;
            layout.norm.get().map_or(Ok(()), |i| refuse(i, weights))?;
        }
        if !self.peephole {
            refuse(layout.weights + 8, "weights from the cell to the output gate")?;
            refuse(layout.weights + 9, "weights from the cell to the output gate")?;
        }
        if !self.projection {
            refuse(layout.projection_bias(), "weights of the projection")?;
        }
        Ok(())
    }

    fn check_projection(&self, node: &NodeView<'_>, types: &Types) -> Result<()> {
        if !self.projection {
            ensure!(
                self.outputs == self.cells,
                "it has {} cells and {} outputs; without a projection they must agree",
                self.cells,
                self.outputs
            );
            return Ok(());
        }
        let layout = &self.layout;
        expect(&node.input(layout.projection())?, self.weights, &[self.outputs, self.cells])?;
        node.optional_input(layout.projection_bias())?
            .map_or(Ok(()), |bias| expect(&bias, types.bias, &[self.outputs]))
    }
}

plain! {
    /// The options of a layer.
    #[derive(Clone, Copy)]
    pub struct LstmOptions {
        /// The activation of the cell gate, and of the cell before it is output.
        pub activation: Activation,
        /// The limit of the cell; 0 for no limit.
        pub cell_clip: f32,
        /// The limit of projected outputs; 0 for no limit.
        pub projection_clip: f32,
        /// How inputs are quantized if the weights have 8 bits.
        pub symmetry: Symmetry,
    }
}

impl LstmOptions {
    /// From the fields of the options; `clips` are the limits of the cell and of projected outputs.
    ///
    /// # Errors
    /// The activation is unknown, or a limit is negative.
    pub fn new(activation: i8, clips: [f32; 2], asymmetric: bool) -> Result<LstmOptions> {
        for (clip, what) in clips.into_iter().zip(["cell_clip", "proj_clip"]) {
            ensure!(clip >= 0.0, "{what} is {clip}; it must not be negative");
        }
        let [cell_clip, projection_clip] = clips;
        let (activation, symmetry) = (node::activation(activation)?, recurrent::symmetry(asymmetric));
        Ok(LstmOptions { activation, cell_clip, projection_clip, symmetry })
    }
}

#[cfg(test)]
pub(crate) mod tests;

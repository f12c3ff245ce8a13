//! UNIDIRECTIONAL_SEQUENCE_LSTM with constant weights, tanh, and neither peepholes nor a layer norm.
//!
//! Defined by: tflite/kernels/{unidirectional_sequence_lstm.cc,lstm_eval.cc}.

use arenite_abi::prelude::*;
use arenite_abi::schema::{UnidirectionalSequenceLSTMOptions as Fields, activation};
use arenite_base::Clamp;
use arenite_layers::lower::expect_elements;
use arenite_layers::{Node, Source};

use super::inputs::{elements, state};
use crate::kernels::f32_lstm::{self, Form};
use crate::ops::build::Build;
use crate::ops::values::{NetValues, NodeValues};
use crate::reach::dense::{Dense, MatrixSizes};
use crate::reach::sequences::{LstmIds, LstmSizes, Sequences};
use crate::step::Step;
use crate::steps::lstm_f32::{LstmF32, Projection};

/// The positions of a node's inputs: the input, per gate (input, forget, cell, output) the weights of the input, of the
/// previous output and of the cell, and the biases; the projection, the states, and the vectors of the layer norm.
pub(super) mod at {
    pub(crate) const INPUT: usize = 0;
    pub(crate) const FROM_INPUT: usize = 1;
    pub(crate) const FROM_OUTPUT: usize = 5;
    pub(crate) const FROM_CELL: std::ops::Range<usize> = 9..12;
    pub(crate) const BIAS: usize = 12;
    pub(crate) const PROJECTION: usize = 16;
    pub(crate) const PROJECTION_BIAS: usize = 17;
    pub(crate) const OUTPUT_STATE: usize = 18;
    pub(crate) const CELL_STATE: usize = 19;
    pub(crate) const NORM: std::ops::Range<usize> = 20..24;
}

/// An LSTM layer of `f32`.
pub(crate) struct Lstm<'a> {
    geometry: Geometry,
    /// By gate; a layer without an input gate has three.
    gates: Vec<Gate<'a>>,
    projection: Option<LastProduct<'a>>,
}

/// The form of an LSTM layer of any types.
#[derive(Clone, Copy)]
pub(super) struct Geometry {
    pub form: Form,
    pub sequences: Sequences,
    pub sizes: LstmSizes,
}

/// The weights of a gate.
struct Gate<'a> {
    from_input: &'a [f32],
    from_output: &'a [f32],
    bias: &'a [f32],
}

/// The weights of the projection.
struct LastProduct<'a> {
    weights: &'a [f32],
    bias: Option<&'a [f32]>,
    clamp: Clamp,
}

/// Lowers the node, whose input and weights are FLOAT32.
pub(super) fn lower<'a>(x: &Source<'_, 'a>) -> Result<Node<Lstm<'a>>> {
    let geometry = Geometry::read(x)?;
    let gates = geometry.gates().map(|gate| Gate::read(x, gate, geometry.sizes)).collect::<Result<_>>()?;
    let clip = x.node.options()?.get(Fields::PROJ_CLIP)?;
    let projection = LastProduct::read(x, geometry.sizes, clip)?;
    geometry.node(x, [F32, F32], Lstm { geometry, gates, projection })
}

impl Geometry {
    /// Reads the options and shapes of a node, and checks that kernels for its form exist.
    pub(super) fn read(x: &Source<'_, '_>) -> Result<Geometry> {
        let ((_, from), (_, to)) = (x.input(at::INPUT)?, x.output(0)?);
        expect_elements(from)?;
        expect_elements(to)?;
        for i in at::FROM_CELL.chain(at::NORM) {
            if let Some((_, value)) = x.optional_input(i) {
                return Err(unsupported!("peepholes and layer norms are not supported: {value}"));
            }
        }
        let options = x.node.options()?;
        let fused = options.get(Fields::FUSED_ACTIVATION_FUNCTION)?;
        if fused != activation::TANH {
            return Err(unsupported!("activation {fused} is not supported, only TANH"));
        }
        let (&[outer, inner, inputs], &[_, _, outputs]) = (&from.shape[..], &to.shape[..]) else {
            return Err(unsupported!("{from} is {:?}; it must have three axes", from.shape));
        };
        let sequences = match options.get(Fields::TIME_MAJOR)? {
            true => Sequences { groups: 1, times: outer, rows: inner },
            false => Sequences { groups: outer, times: inner, rows: 1 },
        };
        let (_, weights) = x.input(at::FROM_INPUT + 3)?;
        let cells = weights.shape.first().copied().unwrap_or(0);
        let has_projection = x.optional_input(at::PROJECTION).is_some();
        ensure!(
            cells > 0 && (has_projection || cells == outputs),
            "{cells} cells do not become {outputs} outputs"
        );
        let has_input_gate = x.optional_input(at::FROM_INPUT).is_some();
        let form = Form { has_input_gate, clip: options.get(Fields::CELL_CLIP)? };
        Ok(Geometry { form, sequences, sizes: LstmSizes { inputs, cells, outputs } })
    }

    /// The numbers of the layer's gates.
    pub(super) fn gates(&self) -> std::ops::Range<usize> {
        4 - self.form.gates()..4
    }

    /// The node with this layer, whose states have these types: the outputs and the cells.
    pub(super) fn node<L>(&self, x: &Source<'_, '_>, types: [ElementType; 2], layer: L) -> Result<Node<L>> {
        let (count, [of_output, of_cell]) = (self.sequences.count(), types);
        let output_state = state(x, at::OUTPUT_STATE, (of_output, count * self.sizes.outputs))?;
        let cell_state = state(x, at::CELL_STATE, (of_cell, count * self.sizes.cells))?;
        if output_state == cell_state {
            return Err(unsupported!("its outputs and its cells are the same variable"));
        }
        let outputs = vec![x.output(0)?.0, output_state, cell_state];
        Ok(Node::new(layer, vec![x.input(at::INPUT)?.0], outputs))
    }
}

/// The values of a node.
pub(super) fn ids(node: &NodeValues<'_>) -> LstmIds {
    LstmIds {
        input: node.inputs[0],
        output: node.outputs[0],
        output_state: node.outputs[1],
        cell_state: node.outputs[2],
    }
}

impl<'a> Gate<'a> {
    fn read(x: &Source<'_, 'a>, gate: usize, sizes: LstmSizes) -> Result<Self> {
        let LstmSizes { inputs, cells, outputs } = sizes;
        if x.input(at::FROM_OUTPUT + gate)?.1.shape.len() != 2 {
            return Err(unsupported!("diagonal recurrent weights are not supported"));
        }
        Ok(Gate {
            from_input: elements(x, at::FROM_INPUT + gate, cells * inputs)?,
            from_output: elements(x, at::FROM_OUTPUT + gate, cells * outputs)?,
            bias: elements(x, at::BIAS + gate, cells)?,
        })
    }
}

impl<'a> LastProduct<'a> {
    fn read(x: &Source<'_, 'a>, sizes: LstmSizes, clip: f32) -> Result<Option<Self>> {
        if x.optional_input(at::PROJECTION).is_none() {
            return Ok(None);
        }
        let weights = elements(x, at::PROJECTION, sizes.outputs * sizes.cells)?;
        let has_bias = x.optional_input(at::PROJECTION_BIAS).is_some();
        let bias = has_bias.then(|| elements(x, at::PROJECTION_BIAS, sizes.outputs)).transpose()?;
        let clamp = if clip > 0.0 { Clamp { low: -clip, high: clip } } else { Clamp::NONE };
        Ok(Some(LastProduct { weights, bias, clamp }))
    }
}

impl LastProduct<'_> {
    fn build(
        &self,
        build: &Build,
        name: &str,
        LstmSizes { cells, outputs, .. }: LstmSizes,
    ) -> Result<Projection> {
        let sizes = MatrixSizes { depth: cells, columns: outputs };
        let weight = |j: usize, i: usize| self.weights[j * cells + i];
        let bias = |j: usize| self.bias.map_or(0.0, |bias| bias[j]);
        let name = format!("LSTM projection {name}");
        let product = Dense::new(build.f32_gemm, &build.store, &name, sizes, &weight, &bias)?;
        Ok(Projection { product, clamp: self.clamp, map: build.f32_map })
    }
}

impl Lstm<'_> {
    /// Packs the weights.
    pub(crate) fn build(
        &self,
        node: &NodeValues<'_>,
        net: &NetValues<'_, '_>,
        build: &Build,
    ) -> Result<Box<dyn Step>> {
        let name = build.name(node, net)?;
        let Geometry { form, sequences, sizes } = self.geometry;
        let LstmSizes { inputs, cells, outputs } = sizes;
        let product =
            |what: &str, sizes, weight: &dyn Fn(usize, usize) -> f32, bias: &dyn Fn(usize) -> f32| {
                Dense::new(build.f32_gemm, &build.store, &format!("{what} {name}"), sizes, weight, bias)
            };
        let columns = self.gates.len() * cells;
        let gate = |j: usize| (&self.gates[j / cells], j % cells);
        let from_input = product(
            "LSTM input",
            MatrixSizes { depth: inputs, columns },
            &|j, i| gate(j).0.from_input[gate(j).1 * inputs + i],
            &|j| gate(j).0.bias[gate(j).1],
        )?;
        let from_output = product(
            "LSTM output",
            MatrixSizes { depth: outputs, columns },
            &|j, i| gate(j).0.from_output[gate(j).1 * outputs + i],
            &|_| 0.0,
        )?;
        let last = |last: &LastProduct<'_>| last.build(build, &name, sizes);
        Ok(Box::new(LstmF32 {
            kernels: f32_lstm::Lstm::select(build.isa),
            from_input,
            from_output,
            projection: self.projection.as_ref().map(last).transpose()?,
            form,
            sequences,
            sizes,
            ids: ids(node),
        }))
    }
}

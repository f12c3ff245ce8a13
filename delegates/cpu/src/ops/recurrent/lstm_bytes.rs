//! UNIDIRECTIONAL_SEQUENCE_LSTM of bytes, with cells of `i16` and without a projection.
//!
//! Defined by: tflite/kernels/lstm_eval.cc (`LstmStepInteger8x8_16`).

use arenite_abi::prelude::*;
use arenite_layers::{Node, Source};

use super::inputs::{elements, factor};
use super::lstm::{Geometry, at, ids};
use crate::fixed_point::q15::IntegerBits;
use crate::kernels::i16_lstm::{self, Form, GateFactors};
use crate::ops::build::Build;
use crate::ops::values::{NetValues, NodeValues};
use crate::reach::dense::MatrixSizes;
use crate::reach::dense_u8::DenseU8;
use crate::reach::sequences::LstmSizes;
use crate::step::Step;
use crate::steps::lstm_u8::{GateSums, LstmU8};

/// An LSTM layer of bytes.
pub(crate) struct LstmBytes<'a> {
    geometry: Geometry,
    form: Form,
    /// By gate; a layer without an input gate has three.
    gates: Vec<Gate<'a>>,
    /// Of the input and the previous output, as signed bytes.
    zero_points: [i32; 2],
}

/// The weights of a gate.
struct Gate<'a> {
    from_input: &'a [i8],
    from_output: &'a [i8],
    bias: &'a [i32],
}

/// The reference op runs layers of fewer cells faster: kernels compute sixteen cells at a time.
const FEWEST: usize = 4;

/// The scale and the zero point of a tensor.
type Meaning = (f32, i32);

/// Lowers the node, whose input and weights are I8.
pub(super) fn lower<'a>(x: &Source<'_, 'a>) -> Result<Node<LstmBytes<'a>>> {
    if x.optional_input(at::PROJECTION).is_some() {
        return Err(unsupported!("a projection of bytes is not supported"));
    }
    let geometry = Geometry::read(x)?;
    if geometry.sizes.cells < FEWEST {
        return Err(unsupported!("{} cells fill too few lanes of a vector", geometry.sizes.cells));
    }
    let meaning = |i: usize| x.node.input(i)?.scale_and_zero_point();
    let ends = [meaning(at::INPUT)?, meaning(at::OUTPUT_STATE)?];
    let gates = geometry.gates().map(|gate| Gate::read(x, gate, geometry.sizes)).collect::<Result<_>>()?;
    let form = form(x, &geometry, ends)?;
    geometry.node(x, [I8, I16], LstmBytes { geometry, form, gates, zero_points: ends.map(|(_, zero)| zero) })
}

/// The factors of the layer. `ends` are the meanings of the input and the previous output.
fn form(x: &Source<'_, '_>, geometry: &Geometry, ends: [Meaning; 2]) -> Result<Form> {
    let scale = |i: usize| Ok(x.node.input(i)?.scale_and_zero_point()?.0);
    let [(input, _), (output, _)] = ends;
    let gate = |gate: usize| {
        let (from_input, from_output) = (scale(at::FROM_INPUT + gate)?, scale(at::FROM_OUTPUT + gate)?);
        // Gates are Q3.12.
        Ok(GateFactors {
            input: factor(from_input * input / (1.0 / 4096.0))?,
            output: factor(from_output * output / (1.0 / 4096.0))?,
        })
    };
    let cell = scale(at::CELL_STATE)?;
    let exponent = cell.log2().round();
    if !((-15.0..=-9.0).contains(&exponent) && (cell.log2() - exponent).abs() < 1e-3) {
        return Err(unsupported!("the cells have scale {cell}; it must be 2^-15 to 2^-9"));
    }
    let exponent = exponent as i32;
    let (hidden, zero_point) = x.node.intermediate(4)?.scale_and_zero_point()?;
    let unit = 2f64.powi(-15);
    Ok(Form {
        gates: geometry.gates().map(gate).collect::<Result<_>>()?,
        new_shift: (30 + exponent) as u32,
        cell_bits: IntegerBits::new((16 + exponent) as u32),
        clip: (geometry.form.clip / cell) as i16,
        result: factor((unit / f64::from(hidden) * unit) as f32)?,
        zero_point,
    })
}

impl<'a> Gate<'a> {
    fn read(x: &Source<'_, 'a>, gate: usize, sizes: LstmSizes) -> Result<Self> {
        let LstmSizes { inputs, cells, outputs } = sizes;
        Ok(Gate {
            from_input: elements(x, at::FROM_INPUT + gate, cells * inputs)?,
            from_output: elements(x, at::FROM_OUTPUT + gate, cells * outputs)?,
            bias: elements(x, at::BIAS + gate, cells)?,
        })
    }
}

impl LstmBytes<'_> {
    /// Packs the weights.
    pub(crate) fn build(
        &self,
        node: &NodeValues<'_>,
        net: &NetValues<'_, '_>,
        build: &Build,
    ) -> Result<Box<dyn Step>> {
        let name = build.name(node, net)?;
        let Geometry { sequences, sizes, .. } = self.geometry;
        let LstmSizes { inputs, cells, outputs } = sizes;
        let columns = self.gates.len() * cells;
        let gate = |j: usize| (&self.gates[j / cells], j % cells);
        let product = |what: &str, depth: usize, weight: &dyn Fn(usize, usize) -> i8| {
            let sizes = MatrixSizes { depth, columns };
            DenseU8::new(build.isa, &build.store, &format!("LSTM {what} {name}"), sizes, weight)
        };
        let from_input = product("input", inputs, &|j, i| gate(j).0.from_input[gate(j).1 * inputs + i])?;
        let from_output = product("output", outputs, &|j, i| gate(j).0.from_output[gate(j).1 * outputs + i])?;
        let [zero_in, zero_out] = self.zero_points.map(|zero| zero.wrapping_add(128));
        let biases = from_input.biases(zero_in, &|j| gate(j).0.bias[gate(j).1]);
        let biases_of_output = from_output.biases(zero_out, &|_| 0);
        Ok(Box::new(LstmU8 {
            kernels: i16_lstm::Lstm::select(build.isa),
            map: build.bytes.map,
            from_input: GateSums { product: from_input, biases },
            from_output: GateSums { product: from_output, biases: biases_of_output },
            form: self.form.clone(),
            sequences,
            sizes,
            ids: ids(node),
        }))
    }
}

//! ADD, SUB and MUL of quantized numbers of 16 bits, with broadcasting; QUANTIZE and DEQUANTIZE from and to 16 bits.
//!
//! ```text
//! sums:         a' = a · 2^15 · sa / (2 max(sa, sb))      y = (a' ± b') · 2 max(sa, sb) / (2^15 · sy)
//!               by powers of two, if all scales are: a' = a · sa / sy                    y = a' ± b'
//! products:                                               y = a · b · sa · sb / sy
//! quantize:     whole eights: round(x · (1 / scale)), ties to even     rest: round(x / scale), ties away from zero
//! ```
//! Defined by: tflite/kernels/{add,sub,mul,quantize,dequantize}.cc and the SIMD kernel of ADD in
//! optimized/integer_ops/add.h, which scales whole sixteens of equal shapes with one rounding.

use arenite_abi::prelude::*;
use arenite_abi::schema::{AddOptions, SubOptions, activation};
use arenite_base::Quant;
use arenite_layers::lower::{expect_elements, fused_activation};
use arenite_layers::{Loops, Node, Source, Value};

use super::convert;
use crate::fixed_point::{Factor, Multiplier, Ties};
use crate::kernels::i16_map::{self, I16Map};
use crate::kernels::i16_pair::{Combine, I16Kernels, Pair, Rescale};
use crate::ops::build::Build;
use crate::ops::values::{NetValues, NodeValues};
use crate::step::Step;
use crate::steps::i16_map::MapI16;
use crate::steps::i16_pair::{Conversion, ConvertI16, PairI16};

/// A layer on numbers of 16 bits.
#[derive(Clone, Debug)]
pub(crate) enum I16Layer {
    /// A function of two tensors.
    Pair {
        /// The function.
        combine: Combine,
        /// The elements that it visits.
        loops: Loops<2>,
        /// The scaling of the first `grouped` results, and of the others.
        pairs: Box<[Pair; 2]>,
        /// Whole sixteens that SIMD kernels scale.
        grouped: usize,
    },
    /// From one quantization to another.
    Rescale,
    /// From `f32`, with this scale.
    Quantize(f32),
    /// To `f32`, with this scale.
    Dequantize(f32),
    /// A function of one tensor.
    Map {
        /// The function.
        function: i16_map::Function,
        /// Whether numbers below zero are an error.
        is_root: bool,
    },
}

/// Lowers the node if it is one of these for its types.
pub(super) fn lower(x: &Source<'_, '_>) -> Option<Result<Node<I16Layer>>> {
    let (from, to) = (x.input(0).ok()?.1.ty, x.output(0).ok()?.1.ty);
    Some(match (x.node.builtin_code(), from, to) {
        (op::ADD, I16, I16) => pair(x, Combine::Add),
        (op::SUB, I16, I16) => pair(x, Combine::Sub),
        (op::MUL, I16, I16) => pair(x, Combine::Mul),
        (op::QUANTIZE, F32, I16) => reals(x, x.output(0).ok()?.1, I16Layer::Quantize),
        (op::DEQUANTIZE, I16, F32) => reals(x, x.input(0).ok()?.1, I16Layer::Dequantize),
        (op::QUANTIZE, I16, I8 | I16) | (op::QUANTIZE, I8 | U8, I16) | (op::QUANTIZE, I32, I8 | I16) => {
            rescale(x)
        }
        _ => return None,
    })
}

/// Scale and zero point. An error unless there is one of each and the scale is positive.
fn quant_of(value: &Value<'_>) -> Result<Quant> {
    let quant = value.quant.ok_or_else(|| unsupported!("{value} has not one scale for all elements"))?;
    if !(quant.scale > 0.0 && quant.scale.is_finite()) {
        return Err(unsupported!("{value} has scale {}; it must be positive and finite", quant.scale));
    }
    Ok(quant)
}

/// The scale of numbers without a zero point.
pub(super) fn scale_of(value: &Value<'_>) -> Result<f32> {
    let Quant { scale, zero_point } = quant_of(value)?;
    if zero_point != 0 {
        return Err(unsupported!("{value} has zero point {zero_point}; it must be 0"));
    }
    Ok(scale)
}

fn multiplier(real: f64) -> Result<Multiplier> {
    let found = Multiplier::from_real(real);
    found.ok_or_else(|| unsupported!("the scales give the factor {real}, which is out of range"))
}

/// The smallest and the largest result with a scale and an activation of the schema.
pub(super) fn range(activation: i8, scale: f32) -> Result<[i32; 2]> {
    let bound = |x: f32| {
        let steps = (x / scale).round();
        let fits = steps >= i32::MIN as f32 && steps <= i32::MAX as f32;
        fits.then_some(steps as i32).ok_or_else(|| unsupported!("scale {scale} gives no range"))
    };
    let [least, most] = [i16::MIN, i16::MAX].map(i32::from);
    Ok(match activation {
        activation::NONE => [least, most],
        activation::RELU => [0, most],
        activation::RELU_N1_TO_1 => [least.max(bound(-1.0)?), most.min(bound(1.0)?)],
        activation::RELU6 => [0, most.min(bound(6.0)?)],
        other => return Err(unsupported!("fused activation {other} is not a clamp")),
    })
}

fn pair(x: &Source<'_, '_>, combine: Combine) -> Result<Node<I16Layer>> {
    let ((a_id, a), (b_id, b), (output, y)) = (x.input(0)?, x.input(1)?, x.output(0)?);
    for value in [a, b, y] {
        expect_elements(value)?;
        ensure!(value.ty == I16, "{value} is {}, not INT16", value.ty);
    }
    let loops = Loops::new(&[&a.shape, &b.shape], &y.shape)
        .ok_or_else(|| unsupported!("broadcasting {:?} with {:?} is not supported", a.shape, b.shape))?;
    let scales = [scale_of(a)?, scale_of(b)?, scale_of(y)?];
    let [low, high] = range(fused_activation(&x.node)?.unwrap_or(activation::NONE), scales[2])?;
    let by_powers = match combine {
        Combine::Add => x.node.options()?.get(AddOptions::POT_SCALE_INT16)?,
        Combine::Sub => x.node.options()?.get(SubOptions::POT_SCALE_INT16)?,
        _ => false,
    };
    let powers = if by_powers { powers_of_two(scales)? } else { None };
    // Shapes that broadcast and have all elements of the result differ at most in leading ones.
    let is_whole = combine == Combine::Add && powers.is_none() && [a, b].iter().all(|x| x.len() == y.len());
    let grouped = if is_whole { y.len() / 16 * 16 } else { 0 };
    let factors = |once| match (combine, powers) {
        (Combine::Mul, _) => products(scales),
        (_, Some(factors)) => Ok(factors),
        _ => sums(scales, once),
    };
    let pair = |once| Ok::<_, Error>(Pair { factors: factors(once)?, low, high });
    let pairs = Box::new([pair(true)?, pair(false)?]);
    Ok(Node::new(I16Layer::Pair { combine, loops, pairs, grouped }, vec![a_id, b_id], vec![output]))
}

fn products([a, b, y]: [f32; 3]) -> Result<[Factor; 3]> {
    // Computed in f32, as TensorFlow Lite does.
    let factor = multiplier(f64::from(a * b / y))?.factor(Ties::Away);
    Ok([Factor::ZERO, Factor::ZERO, factor])
}

/// The bits by which operands are shifted to the left.
const LEFT: u32 = 15;

/// The factors of sums. SIMD kernels round operands `once`.
fn sums([a, b, y]: [f32; 3], once: bool) -> Result<[Factor; 3]> {
    let twice = 2.0 * a.max(b);
    let operand = |scale: f32| {
        let m = multiplier(f64::from(scale) / f64::from(twice))?;
        let right = m.right();
        Ok(match once && right <= LEFT {
            true => {
                Factor { left: LEFT - right, value: m.value, rounding: 1 << 30, shift: 31, is_away: false }
            }
            false => Factor { left: LEFT, ..m.factor(Ties::Away) },
        })
    };
    let result = f64::from(twice) / f64::from((1u32 << LEFT) as f32 * y);
    Ok([operand(a)?, operand(b)?, multiplier(result)?.factor(Ties::Away)])
}

/// The factors if all scales are powers of two: an operand is divided by a power of two, with ties away from zero.
fn powers_of_two(scales: [f32; 3]) -> Result<Option<[Factor; 3]>> {
    let logs = scales.map(f32::log2);
    let far = logs.map(|log| (log - log.round()).abs());
    // TensorFlow Lite takes scales within a thousandth for powers. Near that bound, its logarithm decides.
    if let Some(i) = far.iter().position(|far| (5e-4..2e-3).contains(far)) {
        return Err(unsupported!("scale {} is almost a power of two", scales[i]));
    }
    if far.iter().any(|&far| far >= 1e-3) {
        return Ok(None);
    }
    let [a, b, y] = logs.map(|log| log.round() as i32);
    let shifts = [y - a, y - b, 0];
    if !shifts.iter().all(|shift| (0..=31).contains(shift)) {
        return Err(unsupported!("scales 2^{a} and 2^{b} of the inputs are larger than the output's 2^{y}"));
    }
    // `x · 2^31 / 2^(31 + shift)`: the form that rounds ties away from zero.
    Ok(Some(shifts.map(|shift| Factor {
        left: 1,
        value: 1 << 30,
        rounding: if shift > 0 { 1 << (30 + shift) } else { 0 },
        shift: 31 + shift as u32,
        is_away: shift > 0,
    })))
}

fn reals(x: &Source<'_, '_>, quantized: &Value<'_>, layer: fn(f32) -> I16Layer) -> Result<Node<I16Layer>> {
    convert::node(x, layer(scale_of(quantized)?))
}

fn rescale(x: &Source<'_, '_>) -> Result<Node<I16Layer>> {
    let (from, to) = (quant_of(x.input(0)?.1)?, quant_of(x.output(0)?.1)?);
    multiplier(f64::from(from.scale) / f64::from(to.scale))?;
    convert::node(x, I16Layer::Rescale)
}

impl I16Layer {
    /// The step.
    pub(crate) fn build(
        &self,
        node: &NodeValues<'_>,
        net: &NetValues<'_, '_>,
        build: &Build,
    ) -> Result<Box<dyn Step>> {
        let kernels = I16Kernels::select(build.isa);
        let (input, output) = (node.inputs[0], node.outputs[0]);
        let conversion = match self {
            I16Layer::Pair { combine, loops, pairs, grouped } => {
                let inputs = [input, node.inputs[1]];
                let shape = (loops.clone(), *grouped);
                return Ok(Box::new(PairI16::new(kernels, *combine, shape, **pairs, inputs, output)));
            }
            I16Layer::Map { function, is_root } => {
                let (map, function) = (I16Map::select(build.isa), function.clone());
                return Ok(Box::new(MapI16 { map, function, is_root: *is_root, input, output }));
            }
            I16Layer::Quantize(scale) => Conversion::Quantize(*scale),
            I16Layer::Dequantize(scale) => Conversion::Dequantize(*scale),
            I16Layer::Rescale => {
                let (a, y) = (&net.values[input], &net.values[output]);
                let (from, to) = (quant_of(a)?, quant_of(y)?);
                let factor = multiplier(f64::from(from.scale) / f64::from(to.scale))?.factor(Ties::Away);
                // Bytes are unsigned here, and their zero points with them.
                let [low, high] = match y.ty {
                    U8 => [0, 255],
                    I16 => [i16::MIN.into(), i16::MAX.into()],
                    ty => return Err(invalid!("{y} is {ty}; it must be UINT8 or INT16")),
                };
                let (from, to) = (from.zero_point, to.zero_point);
                Conversion::Rescale { types: (a.ty, y.ty), by: Rescale { from, factor, to, low, high } }
            }
        };
        Ok(Box::new(ConvertI16 { kernels, conversion, input, output }))
    }
}

//! Functions of one quantized tensor: each of its 256 values has its result in a table.
//!
//! Defined by: tflite/kernels/activations.cc, tflite/kernels/elementwise.cc, tflite/kernels/quantize.cc;
//! tflite/kernels/internal/common.h (`LUTPopulate`), reference/{hard_swish,leaky_relu}.h, optimized/optimized_ops.h
//! (`Requantize`).

use arenite_abi::prelude::*;
use arenite_abi::schema::{GeluOptions, LeakyReluOptions};
use arenite_base::Quant;
use arenite_layers::lower::expect_elements;
use arenite_layers::{Node, Source};

use super::quantization::{FLIP, quant_of, raised, unsigned};
use crate::fixed_point::{Multiplier, Ties, hard_swish::HardSwish, rsqrt};
use crate::ops::build::Build;
use crate::ops::values::{NetValues, NodeValues};
use crate::step::Step;
use crate::steps::lookup::Lookup;
pub(super) use crate::steps::lookup::Table;

/// A function of one tensor.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Function {
    /// Of reals, rounded once.
    Real(fn(f32) -> f32),
    /// `x · clamp(x + 3, 0, 6) / 6`, with 16 bits.
    HardSwish,
    /// `√x`, rounded towards zero.
    Sqrt,
    /// `1 / √x`.
    Rsqrt,
    /// `clamp(x, low, high)`.
    Clamp(f32, f32),
    /// `x > 0 ? x : alpha · x`.
    LeakyRelu(f32),
    /// `|x|`.
    Abs,
    /// The same number with another scale.
    Rescale,
}

pub(super) fn exp(x: f32) -> f32 {
    libm::exp(f64::from(x)) as f32
}

/// The logarithm; of numbers that are not positive, a number below every result.
fn log(x: f32) -> f32 {
    if x <= 0.0 { f32::NEG_INFINITY } else { libm::log(f64::from(x)) as f32 }
}

fn tanh(x: f32) -> f32 {
    libm::tanh(f64::from(x)) as f32
}

fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

pub(super) fn gelu(x: f32) -> f32 {
    0.5 * x * libm::erfc(f64::from(x * -std::f32::consts::FRAC_1_SQRT_2)) as f32
}

pub(super) fn gelu_tanh(x: f32) -> f32 {
    const FACTOR: f32 = (std::f64::consts::FRAC_2_SQRT_PI * std::f64::consts::FRAC_1_SQRT_2) as f32;
    0.5 * x * (1.0 + tanh(FACTOR * (x + 0.044715 * x * x * x)))
}

fn elu(x: f32) -> f32 {
    if x < 0.0 { libm::expm1(f64::from(x)) as f32 } else { x }
}

/// Lowers the node if its op is one of these.
pub(super) fn lower(x: &Source<'_, '_>, code: i32) -> Option<Result<Node<Function>>> {
    let signed = x.input(0).is_ok_and(|(_, value)| value.ty == I8);
    let function = match code {
        op::LOGISTIC => Function::Real(logistic),
        op::TANH => Function::Real(tanh),
        op::EXP if signed => Function::Real(exp),
        op::ELU if signed => Function::Real(elu),
        op::LOG if signed => Function::Real(log),
        op::SQRT if signed => Function::Sqrt,
        op::RSQRT if signed => Function::Rsqrt,
        op::ABS if signed => Function::Abs,
        op::HARD_SWISH => Function::HardSwish,
        op::RELU => Function::Clamp(0.0, f32::INFINITY),
        op::RELU_N1_TO_1 => Function::Clamp(-1.0, 1.0),
        op::RELU6 => Function::Clamp(0.0, 6.0),
        op::RELU_0_TO_1 => Function::Clamp(0.0, 1.0),
        op::QUANTIZE => Function::Rescale,
        op::LEAKY_RELU => match x.node.options().and_then(|options| options.get(LeakyReluOptions::ALPHA)) {
            Ok(alpha) => Function::LeakyRelu(alpha),
            Err(error) => return Some(Err(error)),
        },
        op::GELU => match x.node.options().and_then(|options| options.get(GeluOptions::APPROXIMATE)) {
            Ok(approximate) => Function::Real(if approximate { gelu_tanh } else { gelu }),
            Err(error) => return Some(Err(error)),
        },
        _ => return None,
    };
    Some(node(x, function))
}

fn node(x: &Source<'_, '_>, function: Function) -> Result<Node<Function>> {
    let ((input, a), (output, y)) = (x.input(0)?, x.output(0)?);
    expect_elements(y)?;
    ensure!(a.len() == y.len(), "input has shape {:?}, output {:?}", a.shape, y.shape);
    if a.ty != y.ty && !matches!(function, Function::Rescale) {
        return Err(unsupported!("input is {}, output is {}", a.ty, y.ty));
    }
    function.table(quant_of(a)?, quant_of(y)?)?;
    Ok(Node::new(function, vec![input], vec![output]))
}

/// The step of a function given by its results.
pub(super) fn plain(
    table: &Table,
    node: &NodeValues<'_>,
    net: &NetValues<'_, '_>,
    build: &Build,
) -> Box<dyn Step> {
    let [from, to] =
        [node.inputs[0], node.outputs[0]].map(|id| if net.values[id].ty == I8 { FLIP } else { 0 });
    step(flipped(table, from, to), node, net, build)
}

/// The step that looks up bytes as they are in memory.
pub(super) fn step(
    table: Table,
    node: &NodeValues<'_>,
    net: &NetValues<'_, '_>,
    build: &Build,
) -> Box<dyn Step> {
    let (input, output) = (node.inputs[0], node.outputs[0]);
    let len = net.values[output].len();
    let map = build.bytes.map;
    Box::new(Lookup { map, table, last: None, smallest: 0, flip: 0, len, input, output })
}

/// The table for bytes that are combined with `from` by exclusive or, and whose results are combined with `to`.
pub(super) fn flipped(table: &Table, from: u8, to: u8) -> Table {
    Box::new(std::array::from_fn(|x| table[x ^ usize::from(from)] ^ to))
}

impl Function {
    /// The step.
    pub(crate) fn build(
        &self,
        node: &NodeValues<'_>,
        net: &NetValues<'_, '_>,
        build: &Build,
    ) -> Result<Box<dyn Step>> {
        let (input, output) = (node.inputs[0], node.outputs[0]);
        let ((from, flip), (to, unflip)) = (raised(net, input)?, raised(net, output)?);
        let flipped = |table: Table| flipped(&table, flip, unflip);
        Ok(Box::new(Lookup {
            map: build.bytes.map,
            table: flipped(self.table(from, to)?),
            // Groups of sixteen are rescaled by vectors, which round ties up; the remaining elements are not.
            last: match self {
                Function::Rescale => Some((16, flipped(rescale(from, to, Ties::Away)?))),
                _ => None,
            },
            smallest: if self.is_root() { from.zero_point as u8 } else { 0 },
            flip,
            len: net.values[output].len(),
            input,
            output,
        }))
    }

    /// Whether numbers below zero are an error.
    fn is_root(&self) -> bool {
        matches!(self, Function::Sqrt | Function::Rsqrt)
    }

    /// The result of each byte, if that does not depend on its place and all bytes have one.
    pub(crate) fn of_bytes(&self, node: &NodeValues<'_>, net: &NetValues<'_, '_>) -> Result<Option<Table>> {
        if self.is_root() || matches!(self, Function::Rescale) {
            return Ok(None);
        }
        self.table(unsigned(net, node.inputs[0])?, unsigned(net, node.outputs[0])?).map(Some)
    }

    /// The result of each byte. Zero points count from the type's smallest number, which adds up to the same results.
    fn table(&self, from: Quant, to: Quant) -> Result<Table> {
        Ok(match *self {
            Function::Real(f) => real(f, from, to)?,
            Function::HardSwish => {
                let function = HardSwish::new(from, to).ok_or_else(|| {
                    unsupported!("the ratio of scales {} and {} is not supported", from.scale, to.scale)
                })?;
                table(|q| function.apply(q))
            }
            Function::Sqrt => root(from, to),
            Function::Rsqrt => inverse_root(from, to)?,
            Function::Clamp(low, high) => {
                let factor = multiplier(f64::from(from.scale / to.scale))?;
                let bound = |x: f32| ((x / to.scale).round() as i32).saturating_add(to.zero_point);
                let (low, high) =
                    (bound(low).max(0), if high.is_finite() { bound(high).min(255) } else { 255 });
                table(|q| {
                    let scaled = factor.apply(q - from.zero_point, Ties::Away).wrapping_add(to.zero_point);
                    scaled.max(low).min(high)
                })
            }
            Function::LeakyRelu(alpha) => {
                let positive = multiplier(f64::from(from.scale / to.scale))?;
                let negative = multiplier(f64::from((from.scale * alpha / to.scale).abs()))?;
                let sign = if alpha < 0.0 { -1 } else { 1 };
                table(|q| {
                    let x = q - from.zero_point;
                    let scaled = match x >= 0 {
                        true => positive.apply(x, Ties::Away),
                        false => negative.apply(x, Ties::Away).wrapping_mul(sign),
                    };
                    scaled.wrapping_add(to.zero_point)
                })
            }
            Function::Abs => {
                let factor = multiplier(f64::from(from.scale / to.scale))?;
                let same = from.scale == to.scale;
                table(|q| {
                    let x = (q - from.zero_point).abs();
                    let scaled = if same { x } else { factor.apply(x, Ties::Away) };
                    scaled.wrapping_add(to.zero_point)
                })
            }
            Function::Rescale => rescale(from, to, Ties::Up)?,
        })
    }
}

/// Roots from zero on.
fn root(from: Quant, to: Quant) -> Table {
    table(|q| {
        let root = libm::sqrtf(from.scale * (q - from.zero_point) as f32);
        ((root / to.scale) as i32).saturating_add(to.zero_point)
    })
}

fn inverse_root(from: Quant, to: Quant) -> Result<Table> {
    let factor = multiplier(1.0 / f64::from(from.scale.sqrt() * to.scale))?;
    Ok(table(|q| match q - from.zero_point {
        ..=0 => 255,
        x => rsqrt::apply(x, factor).saturating_add(to.zero_point),
    }))
}

fn rescale(from: Quant, to: Quant, ties: Ties) -> Result<Table> {
    let factor = multiplier(f64::from(from.scale) / f64::from(to.scale))?;
    Ok(table(|q| factor.apply(q - from.zero_point, ties).wrapping_add(to.zero_point)))
}

fn multiplier(real: f64) -> Result<Multiplier> {
    Multiplier::from_real(real).ok_or_else(|| unsupported!("the factor {real} has no fixed-point form"))
}

/// The results of a function of real numbers; an error where the inverse of the output's scale is infinite: times zero
/// it would be NaN, whose byte depends on the sign of the type.
fn real(f: fn(f32) -> f32, from: Quant, to: Quant) -> Result<Table> {
    let inverse = 1.0 / to.scale;
    if !inverse.is_finite() {
        return Err(unsupported!("the output's scale {} is too small", to.scale));
    }
    Ok(table(|q| {
        let steps = (f(from.scale * (q - from.zero_point) as f32) * inverse).round();
        (steps + to.zero_point as f32) as i32
    }))
}

/// `f` of each byte, saturated.
pub(super) fn table(f: impl Fn(i32) -> i32) -> Table {
    Box::new(std::array::from_fn(|q| f(q as i32).clamp(0, 255) as u8))
}

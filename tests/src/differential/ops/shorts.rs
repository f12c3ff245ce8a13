//! Functions of quantized numbers of 16 bits, and conversions from and to them.

use arenite::ElementType::{F32, I8, I16, I32};
use arenite_abi::schema::{AddOptions, GeluOptions, MulOptions, SubOptions};

use super::pairs::{beside, broadcast};
use super::{Entry, NONE, SHORT, activation, elements, entry};
use crate::differential::graph::Form::To;
use crate::differential::graph::{Kind, Quant, Rule};
use crate::differential::net::{Net, Value};
use crate::options::Attributes;

pub const OPS: &[Entry] = &[
    entry("ADD", &[SHORT], NONE, arithmetic),
    entry("SUB", &[SHORT], NONE, arithmetic),
    entry("MUL", &[SHORT], NONE, arithmetic),
    entry(
        "QUANTIZE",
        &[
            To(F32, I16),
            To(I16, I16),
            To(I16, I8),
            To(I8, I16),
            To(arenite::ElementType::U8, I16),
            To(I32, I16),
            To(I32, I8),
        ],
        NONE,
        convert,
    ),
    entry("DEQUANTIZE", &[To(I16, F32)], NONE, convert),
    entry("LOGISTIC", &[SHORT], NONE, function),
    entry("TANH", &[SHORT], NONE, function),
    entry("EXP", &[SHORT], NONE, function),
    entry("LOG", &[SHORT], NONE, function),
    entry("RSQRT", &[SHORT], NONE, function),
    entry("GELU", &[SHORT], NONE, function),
];

/// A scale without a zero point, a power of two as often as not.
pub(super) fn quant(net: &mut Net) -> Quant {
    let scale = match net.random.chance(50) {
        true => 0.5f32.powi(net.random.between(6, 12)),
        false => 0.002 + 0.0019 * net.random.real(),
    };
    Quant { scale, zero_point: 0 }
}

/// The value, or another of its shape if it has 16 bits and no scale.
pub(super) fn with_scale(net: &mut Net, x: Value) -> Value {
    match x.ty == I16 && x.quant.is_none() {
        true => {
            let spec = (I16, x.shape, Some(quant(net)));
            net.given(spec)
        }
        false => x,
    }
}

/// A quantized tensor of this shape: a constant, or an input.
fn operand(net: &mut Net, shape: Vec<i32>, is_constant: bool) -> Value {
    let spec = (I16, shape, Some(quant(net)));
    if is_constant {
        let data = net.elements(I16, spec.1.iter().product::<i32>() as usize);
        return net.constant(spec, data);
    }
    net.given(spec)
}

fn arithmetic(net: &mut Net, kind: Kind) -> Option<()> {
    let a = net.any(I16);
    let a = if a.quant.is_some() { a } else { operand(net, a.shape, false) };
    let (shape, is_constant) = (beside(net, &a.shape), net.random.chance(40));
    let b = operand(net, shape, is_constant);
    let shape = broadcast(&a.shape, &b.shape).filter(|shape| elements(shape) <= 3000)?;
    let (fused, by_powers) = (activation(net), net.random.chance(40));
    let options = match kind.op {
        "ADD" => Attributes::of(|o| {
            o.set(AddOptions::FUSED_ACTIVATION_FUNCTION, fused).set(AddOptions::POT_SCALE_INT16, by_powers)
        }),
        "SUB" => Attributes::of(|o| {
            o.set(SubOptions::FUSED_ACTIVATION_FUNCTION, fused).set(SubOptions::POT_SCALE_INT16, by_powers)
        }),
        _ => Attributes::of(|o| o.set(MulOptions::FUSED_ACTIVATION_FUNCTION, fused)),
    };
    // Sums of powers of two need one operand with the output's scale, and none with a larger one.
    let scales = [a.quant?.scale, b.quant?.scale];
    let quant = match by_powers && kind.op != "MUL" {
        true => Quant { scale: scales[0].max(scales[1]), zero_point: 0 },
        false => quant(net),
    };
    let inputs = if net.random.chance(30) { [b.index, a.index] } else { [a.index, b.index] };
    net.node(kind, &inputs, vec![(I16, shape, Some(quant))], Some(options), Rule::Integers);
    Some(())
}

fn function(net: &mut Net, kind: Kind) -> Option<()> {
    let x = net.any(I16);
    let scale = net.random.pick(&[0.5f32.powi(11), 0.5f32.powi(12), 0.5f32.powi(13), 0.0003, 0.02, 3.0]);
    let spec = (I16, x.shape.clone(), Some(Quant { scale, zero_point: 0 }));
    let x = if x.quant.is_some() && net.random.chance(50) { x } else { net.given(spec) };
    let approximate = net.random.chance(50);
    let options =
        (kind.op == "GELU").then(|| Attributes::of(|o| o.set(GeluOptions::APPROXIMATE, approximate)));
    let quant = match kind.op {
        "LOGISTIC" | "TANH" => Quant { scale: 0.5f32.powi(15), zero_point: 0 },
        _ => quant(net),
    };
    net.node(kind, &[x.index], vec![(I16, x.shape, Some(quant))], options, Rule::Integers);
    Some(())
}

fn convert(net: &mut Net, kind: Kind) -> Option<()> {
    let To(from, to) = kind.form else { return None };
    let mut x = net.any(from);
    if x.quant.is_none() && from != F32 {
        let zero_point = if from == I32 { i64::from(net.random.between(-9, 9)) } else { 0 };
        let quantization = Quant { zero_point, ..quant(net) };
        x = net.given((from, x.shape, Some(quantization)));
    }
    let rule = match (from, to) {
        (F32, _) => Rule::Quantize,
        (_, F32) => Rule::Dequantize,
        _ => Rule::Integers,
    };
    let result = match to {
        F32 => None,
        I8 => net.quant(I8),
        // From bytes, any zero point is permitted.
        _ if from == I16 || from == F32 || net.random.chance(50) => Some(quant(net)),
        _ => Some(Quant { zero_point: net.random.between(-900, 900).into(), ..quant(net) }),
    };
    net.node(kind, &[x.index], vec![(to, x.shape, result)], None, rule);
    Some(())
}

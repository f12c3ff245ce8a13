//! Elementwise functions of one tensor.

use arenite::ElementType::{F32, I8, U8};
use arenite_abi::schema::{GeluOptions, LeakyReluOptions};

use super::{Entry, LONG, NONE, REAL, REAL_AND_BYTES, REALS, SHORT, SIGNED, WHOLE, entry};
use crate::differential::graph::{Kind, Quant, Rule};
use crate::differential::net::{Net, Value};
use crate::options::Attributes;

pub const OPS: &[Entry] = &[
    entry("LOGISTIC", REAL_AND_BYTES, &[SHORT], unary),
    entry("TANH", REAL_AND_BYTES, &[SHORT], unary),
    entry("EXP", &[REAL, SIGNED], NONE, unary),
    entry("LOG", &[REAL, SIGNED], NONE, unary),
    entry("SIN", REALS, NONE, unary),
    entry("COS", REALS, NONE, unary),
    entry("NEG", &[REAL, SIGNED, SHORT, WHOLE, LONG], NONE, unary),
    entry("SQRT", &[REAL, SIGNED], NONE, unary),
    entry("RSQRT", &[REAL, SIGNED], NONE, unary),
    entry("SQUARE", REALS, NONE, unary),
    entry("ABS", &[REAL, SIGNED], &[WHOLE], unary),
    entry("HARD_SWISH", REAL_AND_BYTES, NONE, unary),
    entry("FLOOR", REALS, NONE, unary),
    entry("CEIL", REALS, NONE, unary),
    entry("ROUND", REALS, NONE, unary),
    entry("SIGN", REALS, NONE, unary),
    entry("ELU", &[REAL, SIGNED], NONE, unary),
    entry("LEAKY_RELU", REAL_AND_BYTES, &[SHORT], unary),
    entry("GELU", REAL_AND_BYTES, NONE, unary),
    entry("RELU", REAL_AND_BYTES, &[SHORT], unary),
    entry("RELU6", REAL_AND_BYTES, NONE, unary),
    entry("RELU_N1_TO_1", REAL_AND_BYTES, NONE, unary),
    entry("RELU_0_TO_1", REAL_AND_BYTES, NONE, unary),
];

fn unary(net: &mut Net, kind: Kind) -> Option<()> {
    let x = net.any(kind.form.ty());
    let alpha = net.random.pick(&[0.0, 0.1, 0.25, 1.5, -0.5]);
    let approximate = net.random.chance(50);
    let options = match kind.op {
        "LEAKY_RELU" => Some(Attributes::of(|o| o.set(LeakyReluOptions::ALPHA, alpha))),
        "GELU" => Some(Attributes::of(|o| o.set(GeluOptions::APPROXIMATE, approximate))),
        _ => None,
    };
    let rule = if x.ty == F32 { rule(kind.op, alpha.into()) } else { Rule::Integers };
    let quant = quant(net, kind.op, &x);
    net.node(kind, &[x.index], vec![(x.ty, x.shape, quant)], options, rule);
    Some(())
}

/// The quantization of the result.
fn quant(net: &mut Net, op: &str, x: &Value) -> Option<Quant> {
    x.quant?;
    let lowest = if x.ty == I8 { -128 } else { 0 };
    match op {
        "LOGISTIC" => Some(Quant { scale: 1.0 / 256.0, zero_point: lowest }),
        "TANH" => Some(Quant { scale: 1.0 / 128.0, zero_point: lowest + 128 }),
        _ if net.random.chance(30) => x.quant,
        _ if x.ty == I8 || x.ty == U8 => net.quant(x.ty),
        _ => None,
    }
}

/// Vectorized functions are polynomials, accurate to a few units in the last place of the result. Functions that
/// subtract are accurate relative to their terms: 1, or the argument.
fn rule(op: &str, alpha: f64) -> Rule {
    let function = |slope, ulps, floor| Rule::Function { slope, ulps, floor };
    match op {
        "EXP" => Rule::Exp,
        "SIN" | "COS" => Rule::Sinusoid,
        "SQRT" => Rule::Root,
        "RSQRT" => Rule::InverseRoot,
        "SQUARE" => Rule::Square,
        "FLOOR" | "CEIL" | "ROUND" | "SIGN" => Rule::Step,
        // Below -9 the reference ops use e^x, with an error of e^-18.
        "LOGISTIC" => function(0.25, 8.0, 0.25),
        "TANH" => function(1.0, 8.0, 2.0),
        "ELU" => function(1.0, 8.0, 2.0),
        "HARD_SWISH" => function(1.5, 4.0, 2.0),
        "GELU" => function(1.13, 8.0, 4.0),
        "LEAKY_RELU" => function(alpha.abs().max(1.0), 0.0, 0.0),
        "LOG" => function(f64::INFINITY, 8.0, 0.0),
        _ => function(1.0, 0.0, 0.0),
    }
}

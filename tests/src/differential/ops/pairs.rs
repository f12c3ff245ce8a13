//! Functions of two tensors, with broadcasting.

use arenite::ElementType::F32;
use arenite_abi::schema::{AddOptions, DivOptions, MulOptions, SubOptions};

use super::{Entry, LONG, NONE, REAL, REALS, SHORT, SIGNED, UNSIGNED, WHOLE, activation, elements, entry};
use crate::differential::graph::{Form, Kind, Rule};
use crate::differential::net::{Net, Value};
use crate::options::Attributes;

const NUMBERS: &[Form] = &[REAL, SIGNED, UNSIGNED, WHOLE, LONG];
const ORDERED: &[Form] = &[REAL, SIGNED, UNSIGNED, SHORT, WHOLE, LONG];

pub const OPS: &[Entry] = &[
    entry("ADD", NUMBERS, NONE, arithmetic),
    entry("SUB", NUMBERS, NONE, arithmetic),
    entry("MUL", NUMBERS, NONE, arithmetic),
    entry("DIV", REALS, &[WHOLE, UNSIGNED], arithmetic),
    entry("MAXIMUM", ORDERED, NONE, arithmetic),
    entry("MINIMUM", ORDERED, NONE, arithmetic),
    entry("SQUARED_DIFFERENCE", &[REAL, SIGNED, WHOLE], NONE, arithmetic),
    entry("PRELU", &[REAL, SIGNED, UNSIGNED], NONE, prelu),
    entry("ADD_N", &[REAL, WHOLE], NONE, add_n),
    entry("FLOOR_MOD", REALS, NONE, arithmetic),
];

/// The broadcast shape of both operands.
pub fn broadcast(a: &[i32], b: &[i32]) -> Option<Vec<i32>> {
    let rank = a.len().max(b.len());
    let size = |shape: &[i32], i: usize| (i + shape.len()).checked_sub(rank).map_or(1, |i| shape[i]);
    (0..rank)
        .map(|i| match (size(a, i), size(b, i)) {
            (a, b) if a == b => Some(a),
            (1, size) | (size, 1) => Some(size),
            _ => None,
        })
        .collect()
}

/// A shape that broadcasts with this one.
pub fn beside(net: &mut Net, shape: &[i32]) -> Vec<i32> {
    let mut other = shape.to_vec();
    match net.random.below(10) {
        0..4 => {}
        4 => other.clear(),
        5 => other = vec![1],
        6 | 7 => drop(other.drain(..net.random.below(shape.len() + 1))),
        _ => other.iter_mut().for_each(|size| {
            if net.random.chance(50) {
                *size = 1;
            }
        }),
    }
    if shape.len() < 5 && net.random.chance(5) {
        other.insert(0, 2);
    }
    other
}

/// The other operand: a constant, a tensor of the pool, or an input.
pub fn other(net: &mut Net, x: &Value) -> Value {
    let shape = beside(net, &x.shape);
    match net.random.chance(40) {
        true => net.filled(x.ty, &shape),
        false => net.fitting(x.ty, |other| broadcast(&x.shape, other).is_some(), |_| shape),
    }
}

fn add_n(net: &mut Net, kind: Kind) -> Option<()> {
    let first = net.any(kind.form.ty());
    let mut inputs = vec![first.index];
    for _ in 0..1 + net.random.below(3) {
        inputs.push(net.fitting(first.ty, |other| *other == first.shape, |_| first.shape.clone()).index);
    }
    let rule = if first.ty == F32 { Rule::Sum } else { Rule::Integers };
    net.node(kind, &inputs, vec![(first.ty, first.shape, None)], None, rule);
    Some(())
}

fn arithmetic(net: &mut Net, kind: Kind) -> Option<()> {
    let a = net.any(kind.form.ty());
    let b = other(net, &a);
    let shape = broadcast(&a.shape, &b.shape).filter(|shape| elements(shape) <= 3000)?;
    let fused = activation(net);
    let options = match kind.op {
        "ADD" => Some(Attributes::of(|o| o.set(AddOptions::FUSED_ACTIVATION_FUNCTION, fused))),
        "SUB" => Some(Attributes::of(|o| o.set(SubOptions::FUSED_ACTIVATION_FUNCTION, fused))),
        "MUL" => Some(Attributes::of(|o| o.set(MulOptions::FUSED_ACTIVATION_FUNCTION, fused))),
        "DIV" => Some(Attributes::of(|o| o.set(DivOptions::FUSED_ACTIVATION_FUNCTION, fused))),
        _ => None,
    };
    let rule = match (a.ty, kind.op) {
        (F32, "MUL") => Rule::Product,
        (F32, "DIV") => Rule::Quotient,
        (F32, "SQUARED_DIFFERENCE") => Rule::Square,
        (F32, "MAXIMUM" | "MINIMUM") => Rule::Moves,
        (F32, "FLOOR_MOD") => Rule::Step,
        (F32, _) => Rule::Sum,
        _ => Rule::Integers,
    };
    let same = matches!(kind.op, "MAXIMUM" | "MINIMUM");
    let quant = if same { a.quant } else { a.quant.and_then(|_| net.quant(a.ty)) };
    let inputs = if net.random.chance(30) { [b.index, a.index] } else { [a.index, b.index] };
    net.node(kind, &inputs, vec![(a.ty, shape, quant)], options, rule);
    Some(())
}

/// One slope per channel, or a slope with the shape of `x`.
fn prelu(net: &mut Net, kind: Kind) -> Option<()> {
    let x = net.of_rank(kind.form.ty(), 1);
    let mut shape = x.shape[1..].to_vec();
    if net.random.chance(70) {
        let last = shape.len().saturating_sub(1);
        shape[..last].fill(1);
    }
    let alpha = net.filled(x.ty, &shape);
    let quant = x.quant.and_then(|_| net.quant(x.ty));
    let rule = match x.ty {
        // For two constants, the slope is at most 1.
        F32 => Rule::Function { slope: 1.0, ulps: 0.0, floor: 0.0 },
        _ => Rule::Integers,
    };
    net.node(kind, &[x.index, alpha.index], vec![(x.ty, x.shape, quant)], None, rule);
    Some(())
}

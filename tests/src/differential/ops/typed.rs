//! Comparisons, logic, selection.

use arenite::ElementType::{Bool, F32};

use super::pairs::{broadcast, other};
use super::{ANY, Entry, LONG, NONE, REAL, REALS, SIGNED, TRUTH, WHOLE, elements, entry};
use crate::differential::graph::{Form, Kind, Rule};
use crate::differential::net::Net;

const COMPARED: &[Form] = &[REAL, WHOLE, LONG];

pub const OPS: &[Entry] = &[
    entry("LESS", COMPARED, &[SIGNED], compare),
    entry("LESS_EQUAL", COMPARED, &[SIGNED], compare),
    entry("GREATER", COMPARED, &[SIGNED], compare),
    entry("GREATER_EQUAL", COMPARED, &[SIGNED], compare),
    entry("EQUAL", COMPARED, &[TRUTH], compare),
    entry("NOT_EQUAL", COMPARED, &[SIGNED], compare),
    entry("POW", REALS, &[WHOLE], power),
    entry("FLOOR_DIV", REALS, &[WHOLE], floor_division),
    entry("LOGICAL_AND", &[TRUTH], NONE, compare),
    entry("LOGICAL_OR", &[TRUTH], NONE, compare),
    entry("LOGICAL_NOT", &[TRUTH], NONE, not),
    entry("SELECT", ANY, NONE, select),
    entry("SELECT_V2", ANY, NONE, select),
];

fn compare(net: &mut Net, kind: Kind) -> Option<()> {
    let a = net.any(kind.form.ty());
    let b = other(net, &a);
    let shape = broadcast(&a.shape, &b.shape).filter(|shape| elements(shape) <= 3000)?;
    let rule = if a.ty == F32 { Rule::Step } else { Rule::Integers };
    net.node(kind, &[a.index, b.index], vec![(Bool, shape, None)], None, rule);
    Some(())
}

/// The exponents are any numbers, or one: an integer as often as not.
fn power(net: &mut Net, kind: Kind) -> Option<()> {
    let a = net.any(kind.form.ty());
    let b = match net.random.chance(40) {
        true if a.ty == F32 => {
            let exponent = net.random.pick(&[2.0f32, 3.0, 0.5, -1.0, 1.000_001, 7.0, 2.4]);
            net.constant((F32, vec![1], None), exponent.to_le_bytes().to_vec())
        }
        _ => other(net, &a),
    };
    let shape = broadcast(&a.shape, &b.shape).filter(|shape| elements(shape) <= 3000)?;
    let rule = match a.ty {
        F32 => Rule::Function { slope: f64::INFINITY, ulps: 1.0, floor: 0.0 },
        _ => Rule::Integers,
    };
    net.node(kind, &[a.index, b.index], vec![(a.ty, shape, None)], None, rule);
    Some(())
}

/// The divisors are one constant.
fn floor_division(net: &mut Net, kind: Kind) -> Option<()> {
    let a = net.any(kind.form.ty());
    let divisor = net.random.pick(&[2, 3, -7, 100]);
    let bytes = if a.ty == F32 { (divisor as f32 * 0.3).to_le_bytes() } else { i32::to_le_bytes(divisor) };
    let b = net.constant((a.ty, vec![1], None), bytes.to_vec());
    let rule = if a.ty == F32 { Rule::Step } else { Rule::Integers };
    net.node(kind, &[a.index, b.index], vec![(a.ty, a.shape.clone(), None)], None, rule);
    Some(())
}

fn not(net: &mut Net, kind: Kind) -> Option<()> {
    let x = net.any(Bool);
    net.node(kind, &[x.index], vec![(Bool, x.shape, None)], None, Rule::Integers);
    Some(())
}

/// SELECT's condition has the shape of its operands, or one element per row; SELECT_V2's broadcasts.
fn select(net: &mut Net, kind: Kind) -> Option<()> {
    let a = net.any(kind.form.ty());
    let broadcasts = kind.op == "SELECT_V2";
    let b = match broadcasts {
        true => other(net, &a),
        false => net.fitting(a.ty, |shape| shape == a.shape, |_| a.shape.clone()),
    };
    let shape = broadcast(&a.shape, &b.shape).filter(|shape| elements(shape) <= 3000)?;
    let mut holds = shape.clone();
    match (broadcasts, net.random.below(3)) {
        (true, 0) => drop(holds.drain(..net.random.below(shape.len() + 1))),
        (false, 0) => holds.truncate(1),
        // One condition per row.
        (true, 1) => holds.last_mut().into_iter().for_each(|size| *size = 1),
        _ => {}
    }
    let condition = net.fitting(Bool, |shape| shape == holds, |_| holds.clone());
    let inputs = [condition.index, a.index, b.index];
    net.node(kind, &inputs, vec![a.like(shape)], None, Rule::Moves);
    Some(())
}

//! Bounds of recurrent layers. The states of LSTM and SVDF come from earlier invocations.

use arenite_model::writer::Operator;

use super::{Bound, Input, Rule, TINY, U};

/// The bound of a layer whose states come from the previous invocation: that one's, if it is larger.
pub(super) fn carried(
    rule: Rule,
    known: Bound,
    node: &Operator,
    before: Option<&[Option<Bound>]>,
) -> Option<Bound> {
    let (Rule::Lstm { .. } | Rule::Memory { .. }, Some(before)) = (rule, before) else { return Some(known) };
    let earlier = before[*node.outputs.first()? as usize]?;
    Some(Bound { abs: known.abs.max(earlier.abs), rel: known.rel.max(earlier.rel) })
}

/// The bound of a layer with these inputs: the data, weights and biases, and the states after the invocation.
pub(super) fn bound(rule: Rule, inputs: &[Input], exact: bool) -> Option<Bound> {
    let x = inputs.first()?.facts.largest.max(1.0);
    let abs = match rule {
        // In each iteration, the quantized state may differ by one step.
        Rule::Loop { hybrid: true } => 1.0 / 16.0,
        Rule::Loop { hybrid: false } => 1e-5,
        // The bounds of gates add up over time. Cells are at most as large as the number of time steps, in three
        // invocations.
        Rule::Lstm { times, depth } => {
            let (times, depth) = (3.0 * times as f64, depth as f64);
            8.0 * times * times * (1e-6 + depth * U * depth * x)
        }
        Rule::Memory { depth, terms } => {
            let (depth, terms) = (depth as f64, terms as f64);
            // Weights, biases and the numbers in the memory.
            let largest = inputs[1..].iter().map(|input| input.facts.largest).fold(1.0, f64::max);
            let number = (depth + 2.0) * U * depth * x * largest;
            (terms + 2.0) * U * terms * largest * largest + terms * number * largest + TINY
        }
        _ => return None,
    };
    let ordinary = inputs.iter().all(|input| input.facts.is_ordinary());
    (exact && ordinary).then_some(Bound { abs, rel: 0.0 })
}

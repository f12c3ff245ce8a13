//! Bounds on the difference between a delegate's results and the reference ops'.
//!
//! Both compute in `f32`, in different orders. With u = 2⁻²³, twice the unit roundoff, so that it covers both:
//!
//! ```text
//! exact inputs   integers, moves, and operations that IEEE 754 rounds once: the same bits
//! sums of K      |got − want| ≤ (K + 2) · u · Σ|terms|, whatever the order. All terms are multiples of 2^g and their sums
//!                below 2^(g + 24): nothing is rounded in any order, so the same bits
//! Winograd       its transforms multiply by up to 21/4 and add 36 numbers: 2⁻¹⁶ · Σ|terms| more
//! functions      polynomials: some u of the result, or of 1 where the result is a difference
//! inexact input  the error grows by the function's slope; after a step (a comparison, a rounding) no bound is known
//! ```
//! A bound applies to a whole tensor and is derived from the reference ops' results. It covers ordinary numbers.
//! Infinities and NaN must be the same; a number near `f32::MAX` must be close relative to its own magnitude. If two of
//! these are added, the order decides whether the sum overflows, so no bound is known. The same holds for weights that
//! are NaN or infinite: some kernels multiply zeros outside of the image by them.

mod recurrent;

use arenite::ElementType::{self, F32};
use arenite_model::writer::Operator;

use super::graph::{Graph, Rule, Setting};
use super::reals;
use super::run::Array;

/// `|got − want| ≤ abs + rel · |want|`; for quantized tensors, of the real values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// The absolute part.
    pub abs: f64,
    /// The relative part.
    pub rel: f64,
}

/// A bound that requires the same bits.
pub const EXACT: Bound = Bound { abs: 0.0, rel: 0.0 };

pub(super) const U: f64 = 1.0 / (1 << 23) as f64;
/// Smaller results may be flushed to zero by some instruction sets.
const TINY: f64 = f32::MIN_POSITIVE as f64;
/// Greater magnitudes are not ordinary numbers.
const HUGE: f32 = 1e30;

impl Bound {
    fn is_exact(self) -> bool {
        self == EXACT
    }
}

/// Properties of the values of a float tensor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    /// The largest magnitude of ordinary numbers.
    largest: f64,
    /// The smallest value.
    least: f64,
    /// The smallest magnitude.
    nearest: f64,
    /// Whether some numbers are near `f32::MAX`.
    huge: usize,
    /// Whether some are infinite or NaN.
    pub(super) special: bool,
    /// All numbers are multiples of `2^grid`.
    grid: i32,
    /// The number of elements.
    count: usize,
    /// The number of elements in a row, the innermost dimension.
    row: usize,
}

impl Facts {
    fn of(array: &Array) -> Facts {
        let count = array.bytes.len() / 4;
        let (least, nearest) = (f64::MAX, f64::MAX);
        let row = array.shape.last().map_or(1, |&size| size as usize);
        let mut facts =
            Facts { largest: 0.0, least, nearest, huge: 0, special: false, grid: 300, count, row };
        if array.ty != F32 {
            return facts;
        }
        for x in array.bytes.as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes)) {
            facts.least = facts.least.min(x.into());
            facts.nearest = facts.nearest.min(x.abs().into());
            match x.is_finite() {
                false => facts.special = true,
                true if x.abs() >= HUGE => facts.huge += 1,
                true => facts.largest = facts.largest.max(x.abs().into()),
            }
            if x.is_finite() && x != 0.0 {
                let exponent = (x.to_bits() >> 23 & 0xff) as i32;
                let fraction = x.to_bits() & 0x7f_ffff | if exponent > 0 { 1 << 23 } else { 0 };
                facts.grid = facts.grid.min(exponent.max(1) - 150 + fraction.trailing_zeros() as i32);
            }
        }
        facts
    }

    /// Whether all numbers are ordinary.
    fn is_ordinary(&self) -> bool {
        !self.special && self.huge == 0
    }

    /// The error of these numbers under a bound.
    fn error(&self, bound: Bound) -> f64 {
        bound.abs + bound.rel * self.largest
    }
}

/// An input of a node.
#[derive(Clone, Copy)]
pub(super) struct Input {
    pub(super) bound: Bound,
    pub(super) facts: Facts,
}

impl Input {
    pub(super) fn error(&self) -> f64 {
        self.facts.error(self.bound)
    }
}

/// The bound of each tensor; `None` if no bound is known. `tensors` are the reference ops' results, `before` the bounds
/// of the previous invocation, whose results may be inputs of this one.
pub fn bounds(
    graph: &Graph,
    tensors: &[Option<Array>],
    setting: &Setting,
    before: Option<&[Option<Bound>]>,
) -> Vec<Option<Bound>> {
    let winograd = setting.winograd && !setting.is_of_gpu();
    let mut bounds = vec![Some(EXACT); tensors.len()];
    for (state, before) in graph.states.iter().flat_map(|state| before.map(|before| (state, before))) {
        bounds[state.before as usize] = before[state.after as usize];
    }
    for (operator, (_, rule)) in graph.model.subgraphs[0].operators.iter().zip(&graph.notes) {
        let known = operator.outputs.first().and_then(|&output| {
            let (ty, y) = facts(tensors, output)?;
            let inputs = inputs(operator, ty, rule, tensors, &bounds)?;
            let (rule, to) = (allowed(*rule, winograd), step(graph, output));
            let reals = setting.is_of_gpu().then(|| {
                let from = operator.inputs.iter().filter_map(|&input| step_of_bytes(graph, input));
                reals::bound(rule, &inputs, from.reduce(f64::max), step_of_bytes(graph, output))
            });
            reals.flatten().unwrap_or_else(|| bound(rule, &inputs, y, to))
        });
        let known = known.and_then(|known| recurrent::carried(*rule, known, operator, before));
        // The first value of a variable in the body is the last one of the previous invocation.
        let known = known.filter(|_| {
            let mut results = operator.outputs.iter();
            !keeps_values(graph, *rule) || results.all(|&y| before.is_none_or(|b| b[y as usize].is_some()))
        });
        operator.outputs.iter().for_each(|&output| bounds[output as usize] = known);
    }
    bounds
}

/// Whether a loop's body may have variables.
fn keeps_values(graph: &Graph, rule: Rule) -> bool {
    let inner = graph.model.subgraphs.iter().skip(1).flat_map(|graph| &graph.tensors);
    matches!(rule, Rule::Loop { .. }) && inner.into_iter().any(|tensor| tensor.is_variable)
}

fn facts(tensors: &[Option<Array>], tensor: i32) -> Option<(ElementType, Facts)> {
    let array = tensors.get(usize::try_from(tensor).ok()?)?.as_ref()?;
    Some((array.ty, Facts::of(array)))
}

/// The inputs of a node, if their bounds suffice. An input that selects elements and has another type than the results
/// must be exact, because the selection could be different otherwise.
fn inputs(
    operator: &Operator,
    ty: ElementType,
    rule: &Rule,
    tensors: &[Option<Array>],
    bounds: &[Option<Bound>],
) -> Option<Vec<Input>> {
    let present = operator.inputs.iter().filter(|&&index| index >= 0);
    let input = |&index: &i32| {
        let bound = bounds.get(index as usize).copied().flatten()?;
        let (of, facts) = facts(tensors, index)?;
        (of == ty || bound.is_exact() || converts(rule)).then_some(Input { bound, facts })
    };
    present.map(input).collect()
}

fn converts(rule: &Rule) -> bool {
    matches!(
        rule,
        Rule::Quantize
            | Rule::Dequantize
            | Rule::Products { .. }
            | Rule::Loop { .. }
            | Rule::Lstm { .. }
            | Rule::Memory { .. }
    )
}

fn allowed(rule: Rule, allowed: bool) -> Rule {
    match rule {
        Rule::Products { main, weights, bias, depth, winograd } => {
            Rule::Products { main, weights, bias, depth, winograd: winograd && allowed }
        }
        rule => rule,
    }
}

/// The scale of a quantized tensor.
pub fn step(graph: &Graph, tensor: i32) -> Option<f64> {
    let tensor = graph.model.subgraphs[0].tensors.get(tensor as usize)?;
    tensor.quantization.as_ref().and_then(|q| q.scale.first()).map(|&scale| scale.into())
}

/// The same, only for 8-bit tensors.
fn step_of_bytes(graph: &Graph, tensor: i32) -> Option<f64> {
    let element = graph.model.subgraphs[0].tensors.get(usize::try_from(tensor).ok()?)?.element_type;
    let ty = ElementType::from_raw(element as u32);
    step(graph, tensor).filter(|_| matches!(ty, Some(ElementType::I8 | ElementType::U8)))
}

/// The bound of a node's results `y`.
fn bound(rule: Rule, inputs: &[Input], y: Facts, step: Option<f64>) -> Option<Bound> {
    let exact = inputs.iter().all(|input| input.bound.is_exact());
    let (error, x) = (inputs.iter().map(Input::error).sum::<f64>(), inputs.first()?.facts);
    let carried: f64 = inputs.iter().map(|input| input.bound.rel).sum();
    let within = |abs: f64, rel: f64| abs.is_finite().then_some(Bound { abs, rel: rel + carried });
    match rule {
        Rule::Products { .. } => products(rule, inputs),
        // With other shapes there may be more terms per result.
        Rule::Fold { count, mean } => fold(inputs[0], count.max(x.count / y.count.max(1)), mean),
        Rule::Exp => within(TINY, 8.0 * U + error.exp_m1()),
        Rule::Softmax { .. } | Rule::LogSoftmax if x.huge > 1 => None,
        // The rounding error of the sums of long rows.
        Rule::Softmax { beta } => {
            within(beta * error + TINY, (x.row as f64).max(64.0) * U + 4.0 * U * beta * x.largest)
        }
        Rule::LogSoftmax => {
            within(2.0 * error + (x.row as f64).max(32.0) * U + 32.0 * U * x.largest, 32.0 * U)
        }
        Rule::InverseRoot => (exact || x.least > 2.0 * error)
            .then(|| within(TINY, 4.0 * U + error / x.least.max(f64::MIN_POSITIVE)))
            .flatten(),
        Rule::Blend if x.huge > 0 => None,
        Rule::Blend => within(2.0 * error + 8.0 * U * x.largest, 8.0 * U),
        // At zero, a slope of NaN acts as a step.
        Rule::Function { .. } if !exact && inputs[1..].iter().any(|slope| slope.facts.special) => None,
        Rule::Function { slope, ulps, floor } => {
            let floor = floor * U * x.largest.max(1.0);
            let carried = if exact { 0.0 } else { slope * error };
            within(carried + floor + if ulps > 0.0 { TINY } else { 0.0 }, ulps * U)
        }
        Rule::Moves => {
            let largest = |of: fn(Bound) -> f64| inputs.iter().map(|x| of(x.bound)).fold(0.0, f64::max);
            Some(Bound { abs: largest(|bound| bound.abs), rel: largest(|bound| bound.rel) })
        }
        Rule::Loop { .. } | Rule::Lstm { .. } | Rule::Memory { .. } => recurrent::bound(rule, inputs, exact),
        _ if exact => Some(EXACT),
        Rule::Sum => within(error, U),
        Rule::Product => match inputs {
            // Values near zero, multiplied by infinity, can become anything.
            [a, b] if a.facts.is_ordinary() && b.facts.is_ordinary() => {
                let (da, db) = (a.error(), b.error());
                within(da * b.facts.largest + db * a.facts.largest + da * db, U)
            }
            _ => None,
        },
        Rule::Quotient => match inputs {
            [a, b] if b.facts.nearest > 2.0 * b.error() && a.facts.is_ordinary() => {
                within((a.error() + y.largest * b.error()) / (b.facts.nearest - b.error()), U)
            }
            _ => None,
        },
        Rule::Square if !inputs.iter().all(|input| input.facts.is_ordinary()) => None,
        Rule::Square => within(2.0 * y.largest.sqrt() * error + error * error, U),
        Rule::Root => (x.least > 2.0 * error).then(|| within(error / x.least.sqrt(), U)).flatten(),
        Rule::Quantize => step.and_then(|step| within(error + step, 0.0)),
        Rule::Dequantize => within(error, U),
        Rule::Integers | Rule::Step | Rule::Hybrid => None,
    }
}

/// The smallest float is `2^SMALLEST`.
const SMALLEST: i32 = -149;

fn products(rule: Rule, inputs: &[Input]) -> Option<Bound> {
    let Rule::Products { main, weights, bias, depth, winograd } = rule else { return None };
    let (x, w) = (inputs.get(main)?, inputs.get(weights)?);
    let b = inputs.get(bias).map_or((0.0, 300), |b| (b.facts.largest, b.facts.grid));
    let (x_facts, w_facts) = (x.facts, w.facts);
    if x_facts.huge + w_facts.huge > 1 || winograd && (x_facts.special || x_facts.huge > 0) || w_facts.special
    {
        return None;
    }
    let exact = x.bound.is_exact() && w.bound.is_exact();
    let ordinary = x_facts.is_ordinary() && w_facts.is_ordinary();
    if !(exact || ordinary) {
        return None;
    }
    let k = depth as f64;
    let terms = k * x_facts.largest * w_facts.largest + b.0;
    let is_exact = exact && !winograd && x_facts.huge + w_facts.huge == 0;
    let grid = (x_facts.grid + w_facts.grid).min(b.1);
    // Products of tiny numbers are rounded to the grid of the smallest float.
    let is_fine = grid >= SMALLEST && terms <= 2f64.powi(grid.saturating_add(24).clamp(-400, 400));
    if is_exact && is_fine {
        return Some(EXACT);
    }
    let transforms = if winograd { terms / (1 << 16) as f64 } else { 0.0 };
    let carried = k * (x.error() * w_facts.largest + w.error() * x_facts.largest);
    Some(Bound {
        abs: (k + 2.0) * U * terms + transforms + carried + TINY,
        rel: (k + 2.0) * U + x.bound.rel + w.bound.rel,
    })
}

fn fold(x: Input, count: usize, mean: bool) -> Option<Bound> {
    let k = count as f64;
    let terms = k * x.facts.largest;
    if x.facts.huge > 1 {
        return None;
    }
    let is_exact = x.bound.is_exact()
        && x.facts.huge == 0
        && terms <= 2f64.powi(x.facts.grid.saturating_add(24).clamp(-400, 400));
    match (is_exact, mean) {
        (true, false) => Some(EXACT),
        // A division, or a multiplication by the reciprocal.
        (true, true) => Some(Bound { abs: TINY, rel: 2.0 * U }),
        _ => {
            let sum = (k + 2.0) * U * terms + k * x.error();
            Some(Bound { abs: TINY + if mean { sum / k } else { sum }, rel: (k + 2.0) * U + x.bound.rel })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(numbers: &[f32], bound: Bound) -> Input {
        let bytes = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        Input { bound, facts: Facts::of(&Array { ty: F32, shape: vec![numbers.len() as i32], bytes }) }
    }

    fn products(x: &[f32], w: &[f32], depth: usize) -> Option<Bound> {
        let inputs = [input(x, EXACT), input(w, EXACT)];
        let rule = Rule::Products { main: 0, weights: 1, bias: 2, depth, winograd: false };
        bound(rule, &inputs, inputs[0].facts, None)
    }

    #[test]
    fn sums_that_are_exact_in_any_order_are_exact() {
        assert_eq!(products(&[0.5, -4.0], &[0.125, 1.0], 1000), Some(EXACT));
        assert_ne!(products(&[0.5, -4.0], &[0.1, 1.0], 1000), Some(EXACT));
        assert_ne!(products(&[1e-43], &[0.125], 1), Some(EXACT));
        // 2²⁴ terms of 4, in steps of 1/16.
        assert_ne!(products(&[0.5, -4.0], &[0.125, 1.0], 1 << 24), Some(EXACT));
    }

    #[test]
    fn sums_near_f32_max_have_no_bound() {
        assert_eq!(products(&[f32::MAX, f32::MIN, 1.0], &[1.0], 3), None);
        assert!(products(&[f32::MAX, 1.0], &[1.0], 3).is_some_and(|bound| bound.abs < 1e-5));
        assert!(products(&[f32::INFINITY, f32::NAN, 1.0], &[1.0], 3).is_some());
    }

    #[test]
    fn errors_grow_by_slopes_and_end_at_steps() {
        let x = input(&[0.5, 3.0], Bound { abs: 1e-3, rel: 0.0 });
        let of = |rule| bound(rule, &[x], x.facts, Some(0.5));
        let abs = |rule| of(rule).map(|bound| bound.abs);
        assert_eq!(abs(Rule::Function { slope: 2.0, ulps: 0.0, floor: 0.0 }), Some(2e-3));
        assert_eq!(of(Rule::Step), None);
        assert_eq!(abs(Rule::Quantize), Some(0.501));
        assert_eq!(bound(Rule::Step, &[input(&[0.5], EXACT)], x.facts, None), Some(EXACT));
    }
}

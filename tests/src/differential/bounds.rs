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
//! transforms     2 u of the result, and 10⁻¹³ · Σ|terms|, because they are computed in double precision
//! sinusoids      4 u of the result, and of an argument's error, which grows with its magnitude, up to 2:
//!                |sin a − sin b| ≤ min(|a − b|, 2)
//! inexact input  the error grows by the function's slope; after a step (a comparison, a rounding) no bound is known
//! ```
//! A bound applies to a whole tensor and is derived from the reference ops' results. It covers ordinary numbers.
//! Infinities and NaN must be the same; a number near `f32::MAX` must be close relative to its own magnitude. If two of
//! these are added, the order decides whether the sum overflows, so no bound is known. The same holds for weights that
//! are NaN or infinite: some kernels multiply zeros outside of the image by them.

mod arithmetic;
mod recurrent;

use arenite::ElementType::{self, F32};
use arenite_model::writer::Operator;

use super::graph::{Graph, Rule, Setting};
use super::reals;
use super::run::Array;
use arithmetic::{fold, product, products, quotient};

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

    /// The error of the ordinary numbers under a bound.
    fn error(&self, bound: Bound) -> f64 {
        bound.abs + bound.rel * self.largest
    }

    /// The same, of all finite numbers.
    fn error_of_all(&self, bound: Bound) -> f64 {
        bound.abs + bound.rel * if self.huge > 0 { f32::MAX.into() } else { self.largest }
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

    fn error_of_all(&self) -> f64 {
        self.facts.error_of_all(self.bound)
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
    for (operator, (kind, rule)) in graph.model.subgraphs[0].operators.iter().zip(&graph.notes) {
        let known = operator.outputs.first().and_then(|&output| {
            let (ty, y) = facts(tensors, output)?;
            let rule = rule.of_results(kind.op, ty)?;
            let inputs = inputs(operator, ty, &rule, tensors, &bounds)?;
            let (rule, to) = (allowed(rule, winograd), step(graph, output));
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
        for (i, &output) in operator.outputs.iter().enumerate() {
            bounds[output as usize] = known.filter(|known| *rule != Rule::Top || i == 0 || known.is_exact());
        }
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
        Rule::Transform if !x.is_ordinary() => None,
        // Each result adds up at most all elements.
        Rule::Transform => within(x.count as f64 * (error + 1e-13 * x.largest) + TINY, 2.0 * U),
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
        Rule::Moves | Rule::Top => {
            let largest = |of: fn(Bound) -> f64| inputs.iter().map(|x| of(x.bound)).fold(0.0, f64::max);
            Some(Bound { abs: largest(|bound| bound.abs), rel: largest(|bound| bound.rel) })
        }
        Rule::Loop { .. } | Rule::Lstm { .. } | Rule::Memory { .. } => recurrent::bound(rule, inputs, exact),
        // The relative error of an argument is an absolute error of the result.
        Rule::Sinusoid => Some(Bound { abs: inputs[0].error_of_all().min(2.0), rel: 4.0 * U }),
        _ if exact => Some(EXACT),
        // Between two huge numbers, a difference can be small, and its error huge.
        Rule::Sum if inputs.iter().filter(|input| input.facts.huge > 0).count() > 1 => None,
        Rule::Sum => within(error, U),
        Rule::Product => product(inputs),
        Rule::Quotient => quotient(inputs, y),
        Rule::Square if !inputs.iter().all(|input| input.facts.is_ordinary()) => None,
        Rule::Square => within(2.0 * y.largest.sqrt() * error + error * error, U),
        Rule::Root => (x.least > 2.0 * error).then(|| within(error / x.least.sqrt(), U)).flatten(),
        Rule::Quantize => step.and_then(|step| within(error + step, 0.0)),
        Rule::Dequantize => within(error, U),
        Rule::Integers | Rule::Step | Rule::Hybrid => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::call::Call;
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
    fn an_error_of_a_sines_argument_is_one_of_its_result() {
        let sine = |numbers: &[f32], abs, rel| {
            let x = input(numbers, Bound { abs, rel });
            bound(Rule::Sinusoid, &[x], x.facts, None).map(|bound| bound.abs)
        };
        assert_eq!(sine(&[0.5, -1024.0], 0.0, 0.0), Some(0.0));
        assert_eq!(sine(&[0.5, -1024.0], 0.125, 0.0625 / 1024.0), Some(0.1875));
        // The sine of any number is between -1 and 1.
        assert_eq!(sine(&[0.5, 1e9], 0.0, 8.0 * U), Some(2.0));
        // An exact argument of any magnitude has one sine, an inexact huge one has any.
        assert_eq!(sine(&[0.5, -3e38], 0.0, 0.0), Some(0.0));
        assert_eq!(sine(&[0.5, -3e38], 0.0, 8.0 * U), Some(2.0));
    }

    #[test]
    fn inexact_numbers_near_f32_max_have_no_difference() {
        let sum = |a: &[f32], b: &[f32], rel| {
            let inputs = [a, b].map(|numbers| input(numbers, Bound { abs: 0.0, rel }));
            bound(Rule::Sum, &inputs, inputs[0].facts, None)
        };
        assert_eq!(sum(&[3e38, 1.0], &[3e38, 1.0], 0.0), Some(EXACT));
        assert_eq!(sum(&[3e38, 1.0], &[3e38, 1.0], U), None);
        assert!(sum(&[3e38, 1.0], &[2.0, 1.0], U).is_some_and(|bound| bound.abs < 1e-6));
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

    /// Blends of floats round, wherever the tables expect integers.
    #[test]
    fn bounds_follow_the_types_of_results() {
        use super::super::{Checked, check, draw, judge::Verdict, run::run, setting};

        let wanted = ("RESIZE_BILINEAR", ElementType::U8);
        let is_resize = |graph: &Graph| graph.notes.iter().map(|(k, _)| (k.op, k.form.ty())).eq([wanted]);
        let retyped = |mut graph: Graph| {
            graph.retyped = true;
            for tensor in &mut graph.model.subgraphs[0].tensors {
                if tensor.element_type == ElementType::U8 as i32 {
                    (tensor.element_type, tensor.quantization) = (F32 as i32, None);
                }
            }
            graph
        };
        let drawn = (0..).map(draw).filter(|graph| graph.spoilt.is_none() && is_resize(graph)).map(retyped);
        for graph in drawn.filter(|graph| run(graph, None).steps.iter().all(Result::is_ok)).take(2) {
            let setting = Setting { isa: None, threads: 1, call: Call::Main, ..setting(graph.seed) };
            let Checked { verdict, nodes, .. } = check(graph.clone(), &setting);
            assert!(matches!(verdict, Verdict::Same { judged: 2.., unknown: 0 }), "{graph}{verdict:?}");
            assert!(nodes[0].1, "{graph}");
        }
        assert_eq!(Rule::Integers.of_results("SOFTMAX", F32), None);
        assert_eq!(Rule::Integers.of_results("SOFTMAX", ElementType::U8), Some(Rule::Integers));
    }
}

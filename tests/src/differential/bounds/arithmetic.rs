//! Bounds of products, quotients, and sums of many terms.

use super::super::graph::Rule;
use super::{Bound, EXACT, Facts, Input, TINY, U};

/// The bound of `a · b` where an operand is inexact.
pub(super) fn product(inputs: &[Input]) -> Option<Bound> {
    let &[a, b] = inputs else { return None };
    // Values near zero, multiplied by infinity, can become anything.
    let ordinary = a.facts.is_ordinary() && b.facts.is_ordinary();
    let (da, db) = (a.error(), b.error());
    let abs = da * b.facts.largest + db * a.facts.largest + da * db;
    (ordinary && abs.is_finite()).then_some(Bound { abs, rel: U + a.bound.rel + b.bound.rel })
}

/// The bound of `y = a / b` where an operand is inexact.
pub(super) fn quotient(inputs: &[Input], y: Facts) -> Option<Bound> {
    let &[a, b] = inputs else { return None };
    let known = b.facts.nearest > 2.0 * b.error() && a.facts.is_ordinary();
    let abs = (a.error() + y.largest * b.error()) / (b.facts.nearest - b.error());
    (known && abs.is_finite()).then_some(Bound { abs, rel: U + a.bound.rel + b.bound.rel })
}

/// The smallest float is `2^SMALLEST`.
const SMALLEST: i32 = -149;

pub(super) fn products(rule: Rule, inputs: &[Input]) -> Option<Bound> {
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

pub(super) fn fold(x: Input, count: usize, mean: bool) -> Option<Bound> {
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

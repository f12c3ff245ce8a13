//! The loop over the cells of a row, for any instruction set.

use super::Row;
use crate::f32_map::functions::{logistic, tanh};
use crate::simd::Simd;

/// # Safety
/// `a` and `b` must have `n` sums for each gate, `cell` and `y` must be writable for `n` elements, and `cell` readable.
#[inline(always)]
pub(super) unsafe fn row<S: Simd>(s: S, row: &Row) {
    let n = row.n;
    let forget = usize::from(row.has_input_gate);
    let mut j = 0;
    while j < n {
        let left = S::LANES.min(n - j);
        let whole = left == S::LANES;
        // SAFETY: the vector, or its first `left` elements, are below `n`.
        let get =
            |p: *const f32| unsafe { if whole { s.load(p.add(j)) } else { s.load_first(p.add(j), left) } };
        // SAFETY: as for `get`.
        let put = |p: *mut f32, v: S::V| unsafe {
            if whole { s.store(p.add(j), v) } else { s.store_first(p.add(j), v, left) }
        };
        let gate = |k: usize| s.add(get(row.a.wrapping_add(k * n)), get(row.b.wrapping_add(k * n)));
        let kept = logistic(s, gate(forget));
        let new = if row.has_input_gate { logistic(s, gate(0)) } else { s.sub(s.splat(1.0), kept) };
        let mut cell = s.fma(new, tanh(s, gate(forget + 1)), s.mul(kept, get(row.cell)));
        if row.clip > 0.0 {
            // NaN becomes the limit, as in the reference op.
            cell = s.max(s.min(cell, s.splat(row.clip)), s.splat(-row.clip));
        }
        put(row.cell, cell);
        put(row.y, s.mul(logistic(s, gate(forget + 2)), tanh(s, cell)));
        j += S::LANES;
    }
}

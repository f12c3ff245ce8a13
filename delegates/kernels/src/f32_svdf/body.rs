//! The loop over filters, for any instruction set.

use super::Filters;
use crate::simd::Simd;

/// # Safety
/// There must be `count` new numbers, and `count` rows of `memory ≥ 1` weights; as many numbers of the state must be
/// readable and writable, and `count` results writable.
#[inline(always)]
pub(super) unsafe fn remember<S: Simd>(s: S, filters: &Filters) {
    let &Filters { count, memory, new, time, state, y } = filters;
    for f in 0..count {
        let (row, weights) = (state.wrapping_add(f * memory), time.wrapping_add(f * memory));
        let mut sums = s.splat(0.0);
        let mut i = 0;
        // SAFETY: accesses elements below `memory` of row `f`. A vector is loaded before it is stored one element
        // earlier, and the next one is loaded behind all that was stored.
        unsafe {
            while i + S::LANES < memory {
                let v = s.load(row.add(i + 1));
                s.store(row.add(i), v);
                sums = s.fma(v, s.load(weights.add(i)), sums);
                i += S::LANES;
            }
            let left = memory - 1 - i;
            if left > 0 {
                let v = s.load_first(row.add(i + 1), left);
                s.store_first(row.add(i), v, left);
                sums = s.fma(v, s.load_first(weights.add(i), left), sums);
            }
            let last = *new.add(f);
            *row.add(memory - 1) = last;
            *y.add(f) = s.sum(sums) + last * *weights.add(memory - 1);
        }
    }
}

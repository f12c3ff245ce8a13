//! The loop, for any instruction set.

use crate::blend::{Column, Row};
use crate::simd::Simd;

/// # Safety
/// The row must meet the requirements of [`super::Blend`].
#[inline(always)]
pub(super) unsafe fn row<S: Simd>(s: S, row: &Row<f32, f32>) {
    let (n, v) = (row.n, row.distance);
    for x in 0..row.count {
        // SAFETY: there are `count` columns. Both pixels of both rows have `n` elements, and result `x` is writable for
        // as many. Other elements are accessed only if they are before `end` and among the row's results, and those are
        // written again.
        unsafe {
            let Column { low, high, distance: u } = *row.columns.add(x);
            let weights = [(1.0 - v) * (1.0 - u), (1.0 - v) * u, v * (1.0 - u), v * u].map(|w| s.splat(w));
            let mean = |[a, b, c, d]: [S::V; 4]| {
                let [of_a, of_b, of_c, of_d] = weights;
                s.fma(d, of_d, s.fma(c, of_c, s.fma(b, of_b, s.mul(a, of_a))))
            };
            let [above, below] = row.rows;
            let from = [above.add(low), above.add(high), below.add(low), below.add(high)];
            let to = row.c.add(x * n);
            let mut i = 0;
            while i + S::LANES <= n {
                s.store(to.add(i), mean(from.map(|from| s.load(from.add(i)))));
                i += S::LANES;
            }
            if i == n {
                continue;
            }
            let left = n - i;
            let readable = from.iter().all(|from| row.end.offset_from(from.add(i)) >= S::LANES as isize);
            if readable && x * n + i + S::LANES <= row.count * n {
                s.store(to.add(i), mean(from.map(|from| s.load(from.add(i)))));
            } else {
                s.store_first(to.add(i), mean(from.map(|from| s.load_first(from.add(i), left))), left);
            }
        }
    }
}

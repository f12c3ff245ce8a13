//! The loops, for any [`Words`].

// Loops over rows, which all arrays have.
#![allow(clippy::needless_range_loop)]

use super::words::Words;
use super::{MOST, Tile};

/// The dot products of four rows of `n ≤ MOST` words with weights. The sum of `MOST` products fits in 32 bits.
///
/// # Safety
/// `n` elements must be readable in each row and at `w`.
#[inline(always)]
unsafe fn dots<S: Words>(s: S, n: usize, rows: [*const i16; 4], w: *const i8) -> [i32; 4] {
    let mut sums = [s.nothing(); 4];
    let whole = n - n % S::WORDS;
    // SAFETY: whole vectors end within `n`, and single elements are below it.
    unsafe {
        for i in (0..whole).step_by(S::WORDS) {
            let weights = s.weights(w.add(i));
            for r in 0..4 {
                sums[r] = s.with(sums[r], rows[r].add(i), weights);
            }
        }
        let mut totals = sums.map(|sum| s.total(sum));
        for i in whole..n {
            let weight = i32::from(*w.add(i));
            for r in 0..4 {
                totals[r] += i32::from(*rows[r].add(i)) * weight;
            }
        }
        totals
    }
}

/// # Safety
/// The arguments must meet the requirements of [`super::Kernel`].
#[inline(always)]
pub(super) unsafe fn tile<S: Words>(s: S, t: &Tile) {
    for c in 0..t.columns {
        let mut sums = [0i64; 4];
        for tap in 0..t.taps {
            // SAFETY: there is a pointer for each tap and row, as `Kernel` requires. Missing rows repeat the last one.
            let rows = [0, 1, 2, 3].map(|r| unsafe { *t.a.add(tap * t.rows + r.min(t.rows - 1)) });
            for from in (0..t.k).step_by(MOST) {
                let n = MOST.min(t.k - from);
                // SAFETY: `n ≤ k − from` words follow in each row, and as many of the `taps · k` weights of the column,
                // as `Kernel` requires.
                let some = unsafe {
                    let w = t.weights.add((c * t.taps + tap) * t.k + from);
                    dots(s, n, rows.map(|row| row.add(from)), w)
                };
                sums.iter_mut().zip(some).for_each(|(sum, some)| *sum += i64::from(some));
            }
        }
        for (r, &sum) in sums[..t.rows].iter().enumerate() {
            // SAFETY: `rows · columns` sums are writable, as `Kernel` requires.
            unsafe { t.sums.add(r * t.columns + c).write(sum) };
        }
    }
}

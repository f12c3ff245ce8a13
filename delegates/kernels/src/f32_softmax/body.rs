//! The loops, for any instruction set.

use crate::f32_map::functions::exp;
use crate::simd::Simd;

/// The most elements of a narrow row, times the lanes of the widest vector.
const NARROW: usize = super::NARROW * 16;

/// `y[i] = exp(β (x[i] − max x)) / Σ`, or with `LOG` `x[i] − max x − ln Σ`. `y` may be `x`, except with `LOG`.
///
/// # Safety
/// `x` must be readable, and `y` readable and writable, for `n ≥ 1` elements.
#[inline(always)]
pub(super) unsafe fn row<S: Simd, const LOG: bool>(s: S, n: usize, x: *const f32, beta: f32, y: *mut f32) {
    // SAFETY: accesses whole vectors below `n`, then the rest; `x` and `y` have `n` elements.
    unsafe {
        let most = largest(s, n, x);
        let (m, b) = (s.splat(most), s.splat(beta));
        let mut sums = [s.splat(0.0); 2];
        let mut i = 0;
        while i + 2 * S::LANES <= n {
            for (v, sum) in sums.iter_mut().enumerate() {
                let at = i + v * S::LANES;
                let e = exp(s, s.mul(s.sub(s.load(x.add(at)), m), b));
                if !LOG {
                    s.store(y.add(at), e);
                }
                *sum = s.add(*sum, e);
            }
            i += 2 * S::LANES;
        }
        while i < n {
            let left = S::LANES.min(n - i);
            let e = exp(s, s.mul(s.sub(s.load_first(x.add(i), left), m), b));
            s.store_first(y.add(i), e, left);
            // Lanes past the end of the row are loaded as zeros.
            sums[0] = s.add(sums[0], s.load_first(y.add(i), left));
            i += S::LANES;
        }
        let sum = s.sum(s.add(sums[0], sums[1]));
        if LOG {
            let log = s.splat(sum.ln());
            each(
                s,
                n,
                |i| s.store(y.add(i), s.sub(s.sub(s.load(x.add(i)), m), log)),
                |i, left| {
                    s.store_first(y.add(i), s.sub(s.sub(s.load_first(x.add(i), left), m), log), left);
                },
            );
        } else {
            let part = s.splat(1.0 / sum);
            each(
                s,
                n,
                |i| s.store(y.add(i), s.mul(s.load(y.add(i)), part)),
                |i, left| {
                    s.store_first(y.add(i), s.mul(s.load_first(y.add(i), left), part), left);
                },
            );
        }
    }
}

#[inline(always)]
fn each<S: Simd>(_: S, n: usize, mut full: impl FnMut(usize), mut rest: impl FnMut(usize, usize)) {
    let mut i = 0;
    while i + S::LANES <= n {
        full(i);
        i += S::LANES;
    }
    if i < n {
        rest(i, n - i);
    }
}

/// # Safety
/// `x` must be readable for `n ≥ 1` elements.
#[inline(always)]
unsafe fn largest<S: Simd>(s: S, n: usize, x: *const f32) -> f32 {
    // SAFETY: reads vectors that end at `n` or before or, if there are fewer elements than lanes, single elements; `x`
    // has `n` elements.
    unsafe {
        if n < S::LANES {
            let mut most = *x;
            for i in 1..n {
                most = most.max(*x.add(i));
            }
            return most;
        }
        let last = s.load(x.add(n - S::LANES));
        let mut most = [last; 2];
        let mut i = 0;
        while i + 2 * S::LANES <= n {
            most[0] = s.max(most[0], s.load(x.add(i)));
            most[1] = s.max(most[1], s.load(x.add(i + S::LANES)));
            i += 2 * S::LANES;
        }
        if i + S::LANES <= n {
            most[0] = s.max(most[0], s.load(x.add(i)));
        }
        s.largest(s.max(most[0], most[1]))
    }
}

/// Computes rows with few elements: as many rows at a time as a vector has lanes, one row per lane.
///
/// # Safety
/// `x` must be readable and `y` writable for `rows · n` elements, with `n ≤` [`super::NARROW`].
#[inline(always)]
pub(super) unsafe fn narrow<S: Simd, const LOG: bool>(
    s: S,
    rows: usize,
    n: usize,
    x: *const f32,
    beta: f32,
    y: *mut f32,
) {
    let mut transposed = [0f32; NARROW];
    let b = s.splat(beta);
    for first in (0..rows).step_by(S::LANES) {
        let count = S::LANES.min(rows - first);
        // SAFETY: accesses `n` elements of rows below `rows`; `transposed` has a vector for each of `n` positions.
        unsafe {
            let (x, y) = (x.add(first * n), y.add(first * n));
            let t = transposed.as_mut_ptr();
            for lane in 0..count {
                for i in 0..n {
                    *t.add(i * S::LANES + lane) = *x.add(lane * n + i);
                }
            }
            let mut m = s.load(t);
            for i in 1..n {
                m = s.max(m, s.load(t.add(i * S::LANES)));
            }
            let mut sum = s.splat(0.0);
            for i in 0..n {
                let at = t.add(i * S::LANES);
                let d = s.sub(s.load(at), m);
                let e = exp(s, s.mul(d, b));
                sum = s.add(sum, e);
                s.store(at, if LOG { d } else { e });
            }
            if LOG {
                let mut sums = [0f32; 16];
                s.store(sums.as_mut_ptr(), sum);
                for (lane, sum) in sums.iter().take(count).enumerate() {
                    let log = sum.ln();
                    for i in 0..n {
                        *y.add(lane * n + i) = *t.add(i * S::LANES + lane) - log;
                    }
                }
            } else {
                let part = s.div(s.splat(1.0), sum);
                for i in 0..n {
                    let at = t.add(i * S::LANES);
                    s.store(at, s.mul(s.load(at), part));
                }
                for lane in 0..count {
                    for i in 0..n {
                        *y.add(lane * n + i) = *t.add(i * S::LANES + lane);
                    }
                }
            }
        }
    }
}

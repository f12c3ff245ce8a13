//! The loop, for any instruction set.

// Indices are constants once loops over vectors are unrolled.
#![allow(clippy::needless_range_loop)]

use crate::simd::Simd;

/// The number of partial sums, which hides the latency of each.
const WIDE: usize = 4;

/// `Σ f(x[i])` for `n` elements. `f` must be 0 for lanes that contain `nothing`, with which a partial vector is filled.
///
/// # Safety
/// `x` must be readable for `n` elements.
#[inline(always)]
unsafe fn sum<S: Simd>(s: S, n: usize, x: *const f32, nothing: f32, f: impl Fn(S::V) -> S::V) -> f32 {
    let mut sums = [s.splat(0.0); WIDE];
    let mut i = 0;
    // SAFETY: accesses whole vectors below `n`, then the rest; `x` has `n` elements.
    unsafe {
        while i + WIDE * S::LANES <= n {
            for v in 0..WIDE {
                sums[v] = s.add(sums[v], f(s.load(x.add(i + v * S::LANES))));
            }
            i += WIDE * S::LANES;
        }
        while i + S::LANES <= n {
            sums[0] = s.add(sums[0], f(s.load(x.add(i))));
            i += S::LANES;
        }
        if i < n {
            let mut rest = [nothing; 16];
            core::ptr::copy_nonoverlapping(x.add(i), rest.as_mut_ptr(), n - i);
            sums[1] = s.add(sums[1], f(s.load(rest.as_ptr())));
        }
    }
    s.sum(s.add(s.add(sums[0], sums[1]), s.add(sums[2], sums[3])))
}

/// `y[i] = (x[i] − m) / √(v + ε) · gamma[i] + beta[i]`, with the mean and variance of the row. `y` may be `x`. A null
/// `gamma` means ones, a null `beta` zeros.
///
/// # Safety
/// `x`, and `gamma` and `beta` if they are not null, must be readable, and `y` writable, for `n ≥ 1` elements.
#[inline(always)]
pub(super) unsafe fn row<S: Simd>(
    s: S,
    n: usize,
    x: *const f32,
    gamma: *const f32,
    beta: *const f32,
    epsilon: f32,
    y: *mut f32,
) {
    // SAFETY: accesses only elements below `n`; `# Safety` requires `n` elements of each row that is not null.
    unsafe {
        let mean = sum(s, n, x, 0.0, |x| x) / n as f32;
        let m = s.splat(mean);
        let square = |x: S::V| {
            let d = s.sub(x, m);
            s.mul(d, d)
        };
        let variance = sum(s, n, x, mean, square) / n as f32;
        let scale = s.splat(1.0 / (variance + epsilon).sqrt());
        let mut i = 0;
        while i < n {
            let left = S::LANES.min(n - i);
            let whole = left == S::LANES;
            let get = |p: *const f32| if whole { s.load(p.add(i)) } else { s.load_first(p.add(i), left) };
            let mut v = s.mul(s.sub(get(x), m), scale);
            if !gamma.is_null() {
                v = s.mul(v, get(gamma));
            }
            if !beta.is_null() {
                v = s.add(v, get(beta));
            }
            if whole {
                s.store(y.add(i), v)
            } else {
                s.store_first(y.add(i), v, left)
            };
            i += S::LANES;
        }
    }
}

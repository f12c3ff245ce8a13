//! The loops, for any instruction set. `F` is the number of a function of `Unary` or `Binary`.

use super::functions::{FAR_ANGLE, exp, finite, unary as apply_unary};
use super::{Binary, Unary};
use crate::simd::Simd;

#[inline(always)]
fn apply_binary<S: Simd, const F: usize>(s: S, a: S::V, b: S::V) -> S::V {
    match Binary::ALL[F] {
        Binary::Add => finite(s, s.add(a, b)),
        Binary::Sub => finite(s, s.sub(a, b)),
        Binary::SubFrom => finite(s, s.sub(b, a)),
        Binary::Mul => finite(s, s.mul(a, b)),
        Binary::Div => finite(s, s.div(a, b)),
        Binary::DivInto => finite(s, s.div(b, a)),
        Binary::Min => s.min(a, b),
        Binary::MinOf => s.min(b, a),
        Binary::Max => s.max(a, b),
        Binary::MaxOf => s.max(b, a),
        Binary::Leak => s.select_lt(a, s.splat(0.0), s.mul(a, b), a),
        Binary::LeakOf => s.select_lt(b, s.splat(0.0), s.mul(a, b), b),
        Binary::SquaredDifference => {
            let d = s.sub(a, b);
            s.mul(d, d)
        }
    }
}

/// Calls `$full(i)` for whole vectors and `$rest(i, n)` for the rest.
macro_rules! each {
    ($s:ident, $n:expr, |$i:ident| $full:expr, |$j:ident, $left:ident| $rest:expr) => {{
        let mut at = 0;
        while at + S::LANES <= $n {
            let $i = at;
            $full;
            at += S::LANES;
        }
        if at < $n {
            let ($j, $left) = (at, $n - at);
            $rest;
        }
    }};
}

/// # Safety
/// `x` must be readable and `y` writable for `n` elements.
#[inline(always)]
pub(super) unsafe fn unary<S: Simd, const F: usize>(s: S, n: usize, x: *const f32, y: *mut f32) {
    if !matches!(Unary::ALL[F], Unary::Sin | Unary::Cos) {
        // SAFETY: the caller's guarantee.
        return unsafe { in_vectors::<S, F>(s, n, x, y) };
    }
    for at in (0..n).step_by(ANGLES) {
        let count = ANGLES.min(n - at);
        // SAFETY: elements `at` to `at + count` are below `n`.
        unsafe {
            let (x, y) = (x.add(at), y.add(at));
            if S::FUSED && magnitude(s, count, x) <= FAR_ANGLE {
                in_vectors::<S, F>(s, count, x, y);
            } else {
                (0..count).for_each(|i| *y.add(i) = Unary::ALL[F].exact(f64::from(*x.add(i))) as f32);
            }
        }
    }
}

/// The number of angles that are all reduced in vectors, or all exactly.
const ANGLES: usize = 256;

/// The largest `|x|` that is a number.
///
/// # Safety
/// `x` must be readable for `n` elements.
#[inline(always)]
unsafe fn magnitude<S: Simd>(s: S, n: usize, x: *const f32) -> f32 {
    let mut most = s.splat(0.0);
    // SAFETY: `each!` visits whole vectors below `n`, then the rest; `x` has `n` elements.
    unsafe {
        each!(s, n, |i| most = s.larger_magnitude(s.load(x.add(i)), most), |i, left| most =
            s.larger_magnitude(s.load_first(x.add(i), left), most));
    }
    s.largest(most)
}

/// # Safety
/// `x` must be readable and `y` writable for `n` elements.
#[inline(always)]
unsafe fn in_vectors<S: Simd, const F: usize>(s: S, n: usize, x: *const f32, y: *mut f32) {
    let done = if const { S::MASKS && runs_in_pairs(Unary::ALL[F]) } { n - n % (2 * S::LANES) } else { 0 };
    for at in (0..done).step_by(2 * S::LANES) {
        // SAFETY: both vectors end within `n`.
        unsafe {
            let two = [s.load(x.add(at)), s.load(x.add(at + S::LANES))];
            let [a, b] = match Unary::ALL[F] {
                Unary::Sqrt => s.sqrt_of_two(two),
                _ => [apply_unary::<S, F>(s, two[0]), apply_unary::<S, F>(s, two[1])],
            };
            s.store(y.add(at), a);
            s.store(y.add(at + S::LANES), b);
        }
    }
    // SAFETY: `each!` visits whole vectors below `n`, then the rest; `x` and `y` have `n` elements.
    unsafe {
        let (n, x, y) = (n - done, x.add(done), y.add(done));
        each!(s, n, |i| s.store(y.add(i), apply_unary::<S, F>(s, s.load(x.add(i)))), |i, left| s
            .store_first(y.add(i), apply_unary::<S, F>(s, s.load_first(x.add(i), left)), left));
    }
}

/// Whether two vectors at a time are faster than one, with 32 registers: they keep more units busy.
const fn runs_in_pairs(f: Unary) -> bool {
    use Unary::*;
    matches!(f, Sqrt | Sin | Tanh | Gelu | GeluTanh)
}

/// # Safety
/// `a` must be readable and `y` writable for `n` elements in each of `rows` rows, and `b` readable for `n` elements.
#[inline(always)]
pub(super) unsafe fn binary<S: Simd, const F: usize>(
    s: S,
    rows: usize,
    n: usize,
    a: *const f32,
    b: *const f32,
    y: *mut f32,
) {
    for row in 0..rows {
        // SAFETY: `each!` visits whole vectors below `n`, then the rest; `b` and rows of `a` and `y` have `n` elements.
        unsafe {
            let (a, y) = (a.add(row * n), y.add(row * n));
            each!(
                s,
                n,
                |i| s.store(y.add(i), apply_binary::<S, F>(s, s.load(a.add(i)), s.load(b.add(i)))),
                |i, left| {
                    let (a, b) = (s.load_first(a.add(i), left), s.load_first(b.add(i), left));
                    s.store_first(y.add(i), apply_binary::<S, F>(s, a, b), left);
                }
            );
        }
    }
}

/// # Safety
/// `a` must be readable and `y` writable for `n` elements in each of `rows` rows, and `b` readable for `rows` elements.
#[inline(always)]
pub(super) unsafe fn scalar<S: Simd, const F: usize>(
    s: S,
    rows: usize,
    n: usize,
    a: *const f32,
    b: *const f32,
    y: *mut f32,
) {
    for row in 0..rows {
        // SAFETY: `each!` visits whole vectors below `n`, then the rest; rows of `a` and `y` have `n` elements.
        unsafe {
            let (a, b, y) = (a.add(row * n), s.splat(*b.add(row)), y.add(row * n));
            each!(s, n, |i| s.store(y.add(i), apply_binary::<S, F>(s, s.load(a.add(i)), b)), |i, left| s
                .store_first(y.add(i), apply_binary::<S, F>(s, s.load_first(a.add(i), left), b), left));
        }
    }
}

/// # Safety
/// `x` must be readable and `y` writable for `n` elements.
#[inline(always)]
pub(super) unsafe fn clamp<S: Simd>(s: S, n: usize, x: *const f32, low: f32, high: f32, y: *mut f32) {
    let (low, high) = (s.splat(low), s.splat(high));
    // SAFETY: `each!` visits whole vectors below `n`, then the rest; `x` and `y` have `n` elements.
    unsafe {
        each!(s, n, |i| s.store(y.add(i), s.clamp(s.load(x.add(i)), low, high)), |i, left| s.store_first(
            y.add(i),
            s.clamp(s.load_first(x.add(i), left), low, high),
            left
        ));
    }
}

/// # Safety
/// `x` must be readable for `n` elements.
#[inline(always)]
pub(super) unsafe fn sum<S: Simd>(s: S, n: usize, x: *const f32) -> f32 {
    let mut total = s.splat(0.0);
    // SAFETY: `each!` visits whole vectors below `n`, then the rest; `x` has `n` elements.
    unsafe {
        each!(s, n, |i| total = s.add(total, s.load(x.add(i))), |i, left| total =
            s.add(total, s.load_first(x.add(i), left)));
    }
    s.sum(total)
}

/// # Safety
/// `x` must be readable for `n` elements.
#[inline(always)]
pub(super) unsafe fn largest<S: Simd>(s: S, n: usize, x: *const f32) -> f32 {
    let mut most = s.splat(f32::NEG_INFINITY);
    let mut last = f32::NEG_INFINITY;
    // SAFETY: `each!` visits whole vectors below `n`, then the rest; `x` has `n` elements.
    unsafe {
        each!(s, n, |i| most = s.max(s.load(x.add(i)), most), |i, left| (i..i + left)
            .for_each(|i| last = last.max(*x.add(i))));
    }
    s.largest(most).max(last)
}

/// # Safety
/// `x` must be readable and `y` writable for `n` elements.
#[inline(always)]
pub(super) unsafe fn exp_sum<S: Simd>(s: S, n: usize, x: *const f32, m: f32, y: *mut f32) -> f32 {
    let m = s.splat(m);
    let mut total = s.splat(0.0);
    let mut last = 0.0;
    // SAFETY: `each!` visits whole vectors below `n`, then the rest; `x` and `y` have `n` elements.
    unsafe {
        each!(
            s,
            n,
            |i| {
                let e = exp(s, s.sub(s.load(x.add(i)), m));
                s.store(y.add(i), e);
                total = s.add(total, e);
            },
            |i, left| {
                s.store_first(y.add(i), exp(s, s.sub(s.load_first(x.add(i), left), m)), left);
                (i..i + left).for_each(|i| last += *y.add(i));
            }
        );
    }
    s.sum(total) + last
}

/// # Safety
/// `x` must be readable, and `y` readable and writable, for `n` elements.
#[inline(always)]
pub(super) unsafe fn axpy<S: Simd>(s: S, n: usize, x: *const f32, a: f32, y: *mut f32) {
    let a = s.splat(a);
    // SAFETY: `each!` visits whole vectors below `n`, then the rest; `x` and `y` have `n` elements.
    unsafe {
        each!(s, n, |i| s.store(y.add(i), s.fma(s.load(x.add(i)), a, s.load(y.add(i)))), |i, left| {
            let sum = s.fma(s.load_first(x.add(i), left), a, s.load_first(y.add(i), left));
            s.store_first(y.add(i), sum, left);
        });
    }
}

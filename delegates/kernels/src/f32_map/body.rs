//! The loops, for any instruction set. `F` is the number of a function in `Unary` or `Binary`.

use super::functions::{erf, exp, exp_less_one, logistic, tanh};
use super::{Binary, Unary};
use crate::simd::Simd;

/// Below, GELU's gate is 0: where the rational functions end they are not quite −1.
const FAR: f32 = -5.7;

#[inline(always)]
fn apply_unary<S: Simd, const F: usize>(s: S, x: S::V) -> S::V {
    let half = s.splat(0.5);
    let one = s.splat(1.0);
    match Unary::ALL[F] {
        Unary::Abs => s.abs(x),
        Unary::Neg => s.sub(s.splat(-0.0), x),
        Unary::Sqrt => s.sqrt(x),
        Unary::Rsqrt => s.div(one, s.sqrt(x)),
        Unary::Square => s.mul(x, x),
        Unary::Floor => s.floor(x),
        Unary::Ceil => s.sub(s.splat(-0.0), s.floor(s.sub(s.splat(-0.0), x))),
        Unary::Round => {
            // What is rounded up to zero is a positive one.
            let nearest = s.round(x);
            s.select_lt(x, s.splat(0.0), s.add(nearest, s.splat(0.0)), nearest)
        }
        Unary::Exp => exp(s, x),
        Unary::Elu => s.select_lt(x, s.splat(0.0), exp_less_one(s, x), x),
        Unary::Logistic => logistic(s, x),
        Unary::Tanh => tanh(s, x),
        Unary::HardSwish => {
            let gate = s.clamp(s.add(x, s.splat(3.0)), s.splat(0.0), s.splat(6.0));
            s.mul(s.mul(x, gate), s.splat(1.0 / 6.0))
        }
        Unary::Silu => finite(s, s.mul(x, logistic(s, x))),
        Unary::Gelu => {
            let e = erf(s, s.mul(x, s.splat(std::f32::consts::FRAC_1_SQRT_2)));
            s.mul(s.mul(x, half), s.select_lt(x, s.splat(FAR), s.splat(0.0), s.add(one, e)))
        }
        Unary::GeluTanh => {
            let cube = s.mul(s.mul(x, x), s.mul(x, s.splat(0.044_715)));
            let t = tanh(s, s.mul(s.splat(0.797_884_6), s.add(x, cube)));
            s.mul(s.mul(x, half), s.select_lt(x, s.splat(FAR), s.splat(0.0), s.add(one, t)))
        }
    }
}

/// The largest number in place of an infinite one, as arithmetic without an activation gives it; NaN stays NaN.
#[inline(always)]
fn finite<S: Simd>(s: S, x: S::V) -> S::V {
    s.clamp(x, s.splat(f32::MIN), s.splat(f32::MAX))
}

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

/// Calls `$full(i)` for whole vectors and `$rest(i, n)` for what is left.
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
/// `x` is readable and `y` writable for `n` elements.
#[inline(always)]
pub unsafe fn unary<S: Simd, const F: usize>(s: S, n: usize, x: *const f32, y: *mut f32) {
    // SAFETY: `each!` calls for whole vectors below `n`, then for what is left of it; `x` and `y` have `n` elements.
    unsafe {
        each!(s, n, |i| s.store(y.add(i), apply_unary::<S, F>(s, s.load(x.add(i)))), |i, left| s
            .store_first(y.add(i), apply_unary::<S, F>(s, s.load_first(x.add(i), left)), left));
    }
}

/// # Safety
/// `a` and `b` are readable and `y` writable for `n` elements.
#[inline(always)]
pub unsafe fn binary<S: Simd, const F: usize>(s: S, n: usize, a: *const f32, b: *const f32, y: *mut f32) {
    // SAFETY: `each!` calls for whole vectors below `n`, then for what is left of it; `a`, `b` and `y` have `n` elements.
    unsafe {
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

/// # Safety
/// `a` is readable and `y` writable for `n` elements.
#[inline(always)]
pub unsafe fn scalar<S: Simd, const F: usize>(s: S, n: usize, a: *const f32, b: f32, y: *mut f32) {
    let b = s.splat(b);
    // SAFETY: `each!` calls for whole vectors below `n`, then for what is left of it; `a` and `y` have `n` elements.
    unsafe {
        each!(s, n, |i| s.store(y.add(i), apply_binary::<S, F>(s, s.load(a.add(i)), b)), |i, left| s
            .store_first(y.add(i), apply_binary::<S, F>(s, s.load_first(a.add(i), left), b), left));
    }
}

/// # Safety
/// `x` is readable and `y` writable for `n` elements.
#[inline(always)]
pub unsafe fn clamp<S: Simd>(s: S, n: usize, x: *const f32, low: f32, high: f32, y: *mut f32) {
    let (low, high) = (s.splat(low), s.splat(high));
    // SAFETY: `each!` calls for whole vectors below `n`, then for what is left of it; `x` and `y` have `n` elements.
    unsafe {
        each!(s, n, |i| s.store(y.add(i), s.clamp(s.load(x.add(i)), low, high)), |i, left| s.store_first(
            y.add(i),
            s.clamp(s.load_first(x.add(i), left), low, high),
            left
        ));
    }
}

/// # Safety
/// `x` is readable for `n` elements.
#[inline(always)]
pub unsafe fn sum<S: Simd>(s: S, n: usize, x: *const f32) -> f32 {
    let mut total = s.splat(0.0);
    // SAFETY: `each!` calls for whole vectors below `n`, then for what is left of it; `x` has `n` elements.
    unsafe {
        each!(s, n, |i| total = s.add(total, s.load(x.add(i))), |i, left| total =
            s.add(total, s.load_first(x.add(i), left)));
    }
    s.sum(total)
}

/// # Safety
/// `x` is readable for `n` elements.
#[inline(always)]
pub unsafe fn largest<S: Simd>(s: S, n: usize, x: *const f32) -> f32 {
    let mut most = s.splat(f32::NEG_INFINITY);
    let mut last = f32::NEG_INFINITY;
    // SAFETY: `each!` calls for whole vectors below `n`, then for what is left of it; `x` has `n` elements.
    unsafe {
        each!(s, n, |i| most = s.max(s.load(x.add(i)), most), |i, left| (i..i + left)
            .for_each(|i| last = last.max(*x.add(i))));
    }
    s.largest(most).max(last)
}

/// # Safety
/// `x` is readable and `y` writable for `n` elements.
#[inline(always)]
pub unsafe fn exp_sum<S: Simd>(s: S, n: usize, x: *const f32, m: f32, y: *mut f32) -> f32 {
    let m = s.splat(m);
    let mut total = s.splat(0.0);
    let mut last = 0.0;
    // SAFETY: `each!` calls for whole vectors below `n`, then for what is left of it; `x` and `y` have `n` elements.
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
/// `x` is readable and `y` readable and writable for `n` elements.
#[inline(always)]
pub unsafe fn axpy<S: Simd>(s: S, n: usize, x: *const f32, a: f32, y: *mut f32) {
    let a = s.splat(a);
    // SAFETY: `each!` calls for whole vectors below `n`, then for what is left of it; `x` and `y` have `n` elements.
    unsafe {
        each!(s, n, |i| s.store(y.add(i), s.fma(s.load(x.add(i)), a, s.load(y.add(i)))), |i, left| {
            let sum = s.fma(s.load_first(x.add(i), left), a, s.load_first(y.add(i), left));
            s.store_first(y.add(i), sum, left);
        });
    }
}

/// # Safety
/// All of `x` are readable and `y` is writable for `n` elements.
#[inline(always)]
pub unsafe fn blend<S: Simd>(s: S, n: usize, x: [*const f32; 4], w: [f32; 4], y: *mut f32) {
    let w = w.map(|w| s.splat(w));
    let mix = |[a, b, c, d]: [S::V; 4]| s.fma(d, w[3], s.fma(c, w[2], s.fma(b, w[1], s.mul(a, w[0]))));
    // SAFETY: `each!` calls for whole vectors below `n`, then for what is left of it; all four of `x` and `y` have `n` elements.
    unsafe {
        each!(s, n, |i| s.store(y.add(i), mix(x.map(|x| s.load(x.add(i))))), |i, left| s.store_first(
            y.add(i),
            mix(x.map(|x| s.load_first(x.add(i), left))),
            left
        ));
    }
}

//! Transcendental functions of vectors, each within a few units in the last place where that matters.

use crate::simd::Simd;

const LOG2_E: f32 = std::f32::consts::LOG2_E;
/// `ln 2 = LN2_HIGH + LN2_LOW`, the first with few enough bits that its products with small integers are exact.
const LN2_HIGH: f32 = 0.693_359_4;
const LN2_LOW: f32 = -2.121_944_4e-4;

/// `eˣ`: `2ⁿ · eʳ` with `n = round(x / ln 2)`, `|r| ≤ ln 2 / 2`, `eʳ` by the Taylor polynomial of degree 7 (error below
/// 2⁻²⁷). 0 below −104, and +∞ above 88.8.
#[inline(always)]
pub fn exp<S: Simd>(s: S, x: S::V) -> S::V {
    let x = s.clamp(x, s.splat(-104.0), s.splat(89.0));
    let n = s.round(s.mul(x, s.splat(LOG2_E)));
    let r = s.fma(n, s.splat(-LN2_HIGH), x);
    let r = s.fma(n, s.splat(-LN2_LOW), r);
    let mut p = s.splat(1.0 / 5040.0);
    for c in [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        p = s.fma(p, r, s.splat(c));
    }
    s.scale_far(p, n)
}

/// `eˣ − 1` for `x ≤ 0`, without cancellation near 0: `2ⁿ · (eʳ − 1) + (2ⁿ − 1)`, the reduction as of [`exp`].
#[inline(always)]
pub fn exp_less_one<S: Simd>(s: S, x: S::V) -> S::V {
    let x = s.clamp(x, s.splat(-87.0), s.splat(0.0));
    let n = s.round(s.mul(x, s.splat(LOG2_E)));
    let r = s.fma(n, s.splat(-LN2_LOW), s.fma(n, s.splat(-LN2_HIGH), x));
    let mut p = s.splat(1.0 / 5040.0);
    for c in [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0] {
        p = s.fma(p, r, s.splat(c));
    }
    let one = s.splat(1.0);
    s.add(s.scale(s.mul(p, r), n), s.sub(s.scale(one, n), one))
}

/// `1 / (1 + e⁻ˣ)`.
#[inline(always)]
pub fn logistic<S: Simd>(s: S, x: S::V) -> S::V {
    let one = s.splat(1.0);
    // Not so far that the exponential overflows.
    let far = s.min(s.splat(88.0), s.sub(s.splat(0.0), x));
    s.quotient(one, s.add(one, exp(s, far)))
}

/// `Σ c[i] · qⁱ`, the last coefficient first.
#[inline(always)]
fn polynomial<S: Simd, const N: usize>(s: S, q: S::V, c: [f32; N]) -> S::V {
    let mut p = s.splat(c[0]);
    for c in &c[1..] {
        p = s.fma(p, q, s.splat(*c));
    }
    p
}

/// `tanh x`: an odd rational function of degrees 13 and 6 between −7.9 and 7.9, where it rounds to ±1. Coefficients: Eigen's
/// `generic_fast_tanh_float`.
#[inline(always)]
pub fn tanh<S: Simd>(s: S, x: S::V) -> S::V {
    let x = s.clamp(x, s.splat(-7.905_311), s.splat(7.905_311));
    let q = s.mul(x, x);
    let p = polynomial(
        s,
        q,
        [
            -2.760_768_5e-16,
            2.000_188e-13,
            -8.604_672e-11,
            5.122_297e-8,
            1.485_722_4e-5,
            6.372_619e-4,
            4.893_524_6e-3,
        ],
    );
    let d = polynomial(s, q, [1.198_258_4e-6, 1.185_347_1e-4, 2.268_434_6e-3, 4.893_525e-3]);
    s.quotient(s.mul(x, p), d)
}

/// `erf x`: an odd rational function of degrees 13 and 8 between −4 and 4, where it rounds to ±1. Coefficients: Eigen's
/// `generic_fast_erf_float`.
#[inline(always)]
pub fn erf<S: Simd>(s: S, x: S::V) -> S::V {
    let x = s.clamp(x, s.splat(-4.0), s.splat(4.0));
    let q = s.mul(x, x);
    let p = polynomial(
        s,
        q,
        [
            -2.726_142_3e-10,
            2.770_681_4e-8,
            -2.101_024e-6,
            -5.692_506_4e-5,
            -7.349_906e-4,
            -2.954_6e-3,
            -1.609_603_3e-2,
        ],
    );
    let d =
        polynomial(s, q, [-1.456_607_2e-5, -2.133_740_6e-4, -1.682_827e-3, -7.373_329e-3, -1.426_473_9e-2]);
    s.quotient(s.mul(x, p), d)
}

//! Functions of vectors. Transcendental ones have an error of a few units in the last place where that matters.

use arenite_base::Unary;

use crate::simd::Simd;

const LOG2_E: f32 = std::f32::consts::LOG2_E;
/// `ln 2 = LN2_HIGH + LN2_LOW`. The first has so few bits that its products with small integers are exact.
const LN2_HIGH: f32 = 0.693_359_4;
const LN2_LOW: f32 = -2.121_944_4e-4;

/// Below this, GELU's gate is 0: at the end of their range the rational functions are not exactly −1.
const FAR: f32 = -5.7;

/// The function of number `F`.
#[inline(always)]
pub(super) fn unary<S: Simd, const F: usize>(s: S, x: S::V) -> S::V {
    let half = s.splat(0.5);
    match Unary::ALL[F] {
        Unary::Abs => s.abs(x),
        Unary::Neg => s.sub(s.splat(-0.0), x),
        Unary::Sqrt => s.sqrt(x),
        Unary::Rsqrt => s.inverse_root(x),
        Unary::Square => s.mul(x, x),
        Unary::Floor => s.floor(x),
        Unary::Ceil => s.sub(s.splat(-0.0), s.floor(s.sub(s.splat(-0.0), x))),
        Unary::Round => {
            // Numbers that are rounded up to zero become positive zero.
            let nearest = s.round(x);
            s.select_lt(x, s.splat(0.0), s.add(nearest, s.splat(0.0)), nearest)
        }
        Unary::Sign => sign(s, x),
        Unary::Exp => exp(s, x),
        Unary::Log => log(s, x),
        Unary::Sin => sine(s, x),
        Unary::Cos => cosine(s, x),
        Unary::Elu => s.select_lt(x, s.splat(0.0), exp_less_one(s, x), x),
        Unary::Logistic => logistic(s, x),
        Unary::Tanh => tanh(s, x),
        Unary::HardSwish => {
            let gate = s.clamp(s.add(x, s.splat(3.0)), s.splat(0.0), s.splat(6.0));
            s.mul(s.mul(x, gate), s.splat(1.0 / 6.0))
        }
        Unary::Silu => finite(s, s.mul(x, logistic(s, x))),
        Unary::Gelu => {
            let gate = s.add(half, half_erf(s, x));
            s.mul(x, s.select_lt(x, s.splat(FAR), s.splat(0.0), gate))
        }
        Unary::GeluTanh => gelu_tanh(s, x),
    }
}

/// `x · (½ + ½ · tanh(√(2/π) · (x + 0.044715 x³)))`.
#[inline(always)]
fn gelu_tanh<S: Simd>(s: S, x: S::V) -> S::V {
    let half = s.splat(0.5);
    let factor = s.fma(s.mul(x, x), s.splat(0.044_715 * 0.797_884_6), s.splat(0.797_884_6));
    let gate = s.fma(tanh(s, s.mul(x, factor)), half, half);
    s.mul(x, s.select_lt(x, s.splat(FAR), s.splat(0.0), gate))
}

/// −1, 0 or 1.
#[inline(always)]
fn sign<S: Simd>(s: S, x: S::V) -> S::V {
    let zero = s.splat(0.0);
    // The sum makes negative zero positive, and keeps NaN.
    let positive = s.select_lt(zero, x, s.splat(1.0), s.add(x, zero));
    s.select_lt(x, zero, s.splat(-1.0), positive)
}

/// Replaces an infinite number by the largest finite one, as arithmetic without an activation does. NaN stays NaN.
#[inline(always)]
pub(super) fn finite<S: Simd>(s: S, x: S::V) -> S::V {
    s.clamp(x, s.splat(f32::MIN), s.splat(f32::MAX))
}

/// Adding and subtracting `1.5 · 2²³` rounds a number below 2²² to an integer, in two additions where rounding
/// instructions take longer.
const ROUND: f32 = 12_582_912.0;
/// The coefficients of r⁶ to r² in `eʳ ≈ 1 + r + r² (…)` for `|r| ≤ ln 2 / 2`: the polynomial with the least relative
/// error, 2⁻²⁸.
const EXP: [f32; 5] = [1.381_454e-3, 8.368_745e-3, 4.166_839e-2, 1.666_652_1e-1, 4.999_999_4e-1];

/// The coefficients of r² and r in `eʳ` for `|r| ≤ ln 2 / 64`: relative error 2⁻²⁴.
const EXP_NEAR_ZERO: [f32; 2] = [5.000_011_3e-1, 1.000_014_7];

/// `eˣ`. The result is 0 below −104, and +∞ above 88.8.
#[inline(always)]
pub fn exp<S: Simd>(s: S, x: S::V) -> S::V {
    exp_within::<S, true, false>(s, s.clamp(x, s.splat(-104.0), s.splat(89.0)))
}

/// `eˣ` as `2ⁿ · eʳ`, or if `NEGATED` `e⁻ˣ` as `2ⁿ · e⁻ʳ`. The exponent is between −104 and 89, or if not `FAR` between
/// −87 and 88. With a table of powers, `n` is a multiple of 1/32 and `r` smaller.
#[inline(always)]
fn exp_within<S: Simd, const FAR: bool, const NEGATED: bool>(s: S, x: S::V) -> S::V {
    let (one, sign) = (s.splat(1.0), if NEGATED { -1.0 } else { 1.0 });
    let round = s.splat(ROUND / S::POWERS as f32);
    let sum = s.fma(x, s.splat(sign * LOG2_E), round);
    let n = s.sub(sum, round);
    let r = s.fma(n, s.splat(-sign * LN2_LOW), s.fma(n, s.splat(-sign * LN2_HIGH), x));
    if S::POWERS == 1 {
        let [c6, c5, c4, c3, c2] = EXP;
        let p = polynomial(s, r, [c6, sign * c5, c4, sign * c3, c2]);
        let y = s.fma(s.fma(p, r, s.splat(sign)), r, one);
        return if FAR { s.scale_far(y, n) } else { s.scale(y, n) };
    }
    let ([c2, c1], power) = (EXP_NEAR_ZERO, s.power(sum));
    let p = s.fma(s.splat(c2), r, s.splat(sign * c1));
    s.scale_far(s.fma(s.mul(power, r), p, power), n)
}

/// `eˣ − 1` for `x ≤ 0`, without cancellation near 0: `2ⁿ · (eʳ − 1) + (2ⁿ − 1)`.
#[inline(always)]
pub fn exp_less_one<S: Simd>(s: S, x: S::V) -> S::V {
    let x = s.clamp(x, s.splat(-87.0), s.splat(0.0));
    // `x = n · ln 2 + r` with `|r| ≤ ln 2 / 2`.
    let n = s.sub(s.fma(x, s.splat(LOG2_E), s.splat(ROUND)), s.splat(ROUND));
    let r = s.fma(n, s.splat(-LN2_LOW), s.fma(n, s.splat(-LN2_HIGH), x));
    let one = s.splat(1.0);
    let p = s.fma(polynomial(s, r, EXP), r, one);
    s.add(s.scale(s.mul(p, r), n), s.sub(s.scale(one, n), one))
}

/// The coefficients of q² to 1 in `2 · atanh(s) ≈ 2s + s³ · (…)` with `q = s²`, for −1/7 ≤ s ≤ 1/5: the polynomial with
/// the least relative error of the whole, 2⁻²⁸. Their signs are changed.
const LOG: [f32; 3] = [-0.303_652_5, -0.399_576_07, -0.666_669_5];

/// `ln x` as `n · ln 2 + ln(1 + r)`, where `x = 2ⁿ · (1 + r)` and `¾ ≤ 1 + r < 1½`, and `ln(1 + r) = 2 · atanh(s)` with
/// `s = r / (2 + r)`. Since `2s = r − s · r`, the small terms are added first.
#[inline(always)]
fn log<S: Simd>(s: S, x: S::V) -> S::V {
    let (n, m) = s.split(x);
    let r = s.sub(m, s.splat(1.0));
    let minus_s = s.div(r, s.sub(s.splat(-2.0), r));
    let q = s.mul(minus_s, minus_s);
    let tail = s.fma(polynomial(s, q, LOG), q, r);
    s.fma(n, s.splat(std::f32::consts::LN_2), s.fma(minus_s, tail, r))
}

/// The largest angle that [`sine`] and [`cosine`] reduce.
pub(super) const FAR_ANGLE: f32 = 1e5;

/// `sin x` for angles up to [`FAR_ANGLE`]. Small angles are their sines, also −0.
#[inline(always)]
fn sine<S: Simd>(s: S, x: S::V) -> S::V {
    let sum = s.fma(x, s.splat(std::f32::consts::FRAC_1_PI), s.splat(ROUND));
    let turns = s.sub(sum, s.splat(ROUND));
    s.select_lt(s.abs(x), s.splat(1.0 / 4096.0), x, sinusoid(s, x, turns, sum))
}

/// `cos x` for angles up to [`FAR_ANGLE`]: the sine of `x + π/2`.
#[inline(always)]
fn cosine<S: Simd>(s: S, x: S::V) -> S::V {
    let half = s.splat(0.5);
    let sum = s.add(s.fma(x, s.splat(std::f32::consts::FRAC_1_PI), half), s.splat(ROUND));
    sinusoid(s, x, s.sub(s.sub(sum, s.splat(ROUND)), half), sum)
}

/// The sine of `r` in `x = turns · π + r`, where `|r| ≤ π/2`; its sign changes with each half turn of `sum`, an integer
/// plus [`ROUND`]. An odd polynomial of `r` (relative error below 2⁻²⁶) that is ±1 at ±π/2. π has three parts of 24
/// bits; where [`FUSED`](Simd::FUSED), the product with the first leaves no rounding error.
#[inline(always)]
fn sinusoid<S: Simd>(s: S, x: S::V, turns: S::V, sum: S::V) -> S::V {
    const HALF_TURN: [f32; 3] = [std::f32::consts::PI, -8.742_278e-8, -3.430_249e-15];
    let mut r = x;
    for part in HALF_TURN {
        r = s.fma(turns, s.splat(-part), r);
    }
    let q = s.mul(r, r);
    let p = polynomial(s, q, [2.605_750_5e-6, -1.980_959e-4, 8.333_066e-3, -0.166_666_6]);
    s.negate_odd(s.fma(s.mul(r, q), p, r), sum)
}

/// `1 / (1 + e⁻ˣ)`.
#[inline(always)]
pub fn logistic<S: Simd>(s: S, x: S::V) -> S::V {
    let one = s.splat(1.0);
    // Limited so that the exponential does not overflow.
    let near = s.clamp(x, s.splat(-88.0), s.splat(87.0));
    s.div(one, s.add(one, exp_within::<S, false, true>(s, near)))
}

/// `Σ c[i] · qⁱ`; the coefficients are in descending order.
#[inline(always)]
fn polynomial<S: Simd, const N: usize>(s: S, q: S::V, c: [f32; N]) -> S::V {
    let mut p = s.splat(c[0]);
    for c in &c[1..] {
        p = s.fma(p, q, s.splat(*c));
    }
    p
}

/// `tanh x`: an odd rational function of degrees 9 and 8 between −7.9 and 7.9, where it is ±1 within three units in the
/// last place, and never beyond.
#[inline(always)]
pub fn tanh<S: Simd>(s: S, x: S::V) -> S::V {
    let x = s.clamp(x, s.splat(-7.9053), s.splat(7.9053));
    let q = s.mul(x, x);
    let p = polynomial(s, q, [1.547_910_6e-8, 2.206_014_7e-5, 3.581_254_3e-3, 1.345_253_7e-1, 1.0]);
    let d = polynomial(s, q, [8.619_669e-7, 3.427_333e-4, 2.620_087_8e-2, 4.678_586_7e-1, 1.0]);
    s.div(s.mul(x, p), d)
}

/// `½ · erf(x / √2)`: an odd rational function of degrees 13 and 8 between −4√2 and 4√2, where it rounds to ±½.
/// Coefficients: Eigen's `generic_fast_erf_float`, for that argument and half the result.
#[inline(always)]
fn half_erf<S: Simd>(s: S, x: S::V) -> S::V {
    const END: f32 = 4.0 * std::f32::consts::SQRT_2;
    let x = s.clamp(x, s.splat(-END), s.splat(END));
    let q = s.mul(x, x);
    let p = polynomial(
        s,
        q,
        [
            -1.505_995_1e-12,
            3.061_199_3e-10,
            -4.642_651e-8,
            -2.515_756_3e-6,
            -6.496_46e-5,
            -5.223_044_4e-4,
            -5.690_807e-3,
        ],
    );
    let d =
        polynomial(s, q, [-9.103_795e-7, -2.667_175_8e-5, -4.207_067_5e-4, -3.686_664_4e-3, -1.426_473_9e-2]);
    s.div(s.mul(x, p), d)
}

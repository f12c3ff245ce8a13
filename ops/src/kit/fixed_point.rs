//! Elementary functions in 32-bit fixed point: exp, 1/(1+x), tanh, logistic, log, 1/sqrt.
//!
//! Defined by: gemmlowp fixedpoint.h and tflite/kernels/internal/common.h.
//!
//! A number in `Q(n).(31-n)` is a raw i32 that represents `raw / 2^(31-n)`; `n` is its number of integer bits. Sums
//! wrap; products round to nearest and saturate. The product of `Qa` and `Qb` is `Q(a+b)`.

use super::requantize::{Multiplier, rounding_divide_by_pot, saturating_rounding_doubling_high_mul as mul};

/// One in Q0.31, or rather the closest number of the format.
pub const ONE_Q0: i32 = i32::MAX;

/// Computes `x × 2^exponent`. Left shifts saturate; right shifts round to nearest, ties away from zero.
#[inline]
pub fn multiply_by_pot(x: i32, exponent: i32) -> i32 {
    if exponent < 0 {
        return rounding_divide_by_pot(x, exponent.unsigned_abs());
    }
    let wide = i64::from(x) << exponent.min(31);
    wide.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
}

/// Converts from `from` to `to` integer bits (gemmlowp `Rescale`).
#[inline]
pub fn rescale(x: i32, from: u32, to: u32) -> i32 {
    multiply_by_pot(x, from as i32 - to as i32)
}

/// `exp(a)` in Q0.31 for `a <= 0` with `integer_bits` (at most 29) integer bits.
pub fn exp_on_negative_values(a: i32, integer_bits: u32) -> i32 {
    if a == 0 {
        return ONE_Q0;
    }
    let integer_bits = integer_bits.min(29);
    let fractional_bits = 31 - integer_bits;
    if integer_bits > 5 && a < -(1 << (36 - integer_bits)) {
        return 0; // below -32
    }
    // a = fraction - remainder, fraction in [-1/4, 0), remainder a multiple of 1/4.
    let quarter = 1i32 << (fractional_bits - 2);
    let fraction = (a & (quarter - 1)) - quarter;
    let remainder = fraction.wrapping_sub(a);
    let mut result = exp_on_quarter(rescale(fraction, integer_bits, 0));
    for (exponent, factor) in EXP_OF_NEGATED_POWERS {
        let bit = (fractional_bits as i32 + exponent) as u32;
        if integer_bits as i32 > exponent && remainder & (1 << bit) != 0 {
            result = mul(result, factor);
        }
    }
    result
}

/// `1 / (1 + x)` in Q0.31 for `x` in `[0, 1]`, Q0.31.
pub fn one_over_one_plus_x_for_x_in_0_1(x: i32) -> i32 {
    // The result of Newton's method is 2 / (1 + x) in Q2; half of that has the same raw value in Q1.
    rescale(two_over_one_plus_x(x), 1, 0)
}

/// `(1 - x) / (1 + x)` in Q0.31 for `x` in `[0, 1]`, Q0.31.
pub fn one_minus_x_over_one_plus_x_for_x_in_0_1(x: i32) -> i32 {
    rescale(two_over_one_plus_x(x).wrapping_sub(ONE_Q2), 2, 0)
}

/// `tanh(a)` in Q0.31 for `a` with `integer_bits` (at most 28) integer bits.
pub fn tanh(a: i32, integer_bits: u32) -> i32 {
    if a == 0 {
        return 0;
    }
    let negative = if a < 0 { a } else { -a };
    // exp(2a): doubling adds one integer bit.
    let exp = exp_on_negative_values(negative, integer_bits + 1);
    let magnitude = one_minus_x_over_one_plus_x_for_x_in_0_1(exp);
    if a < 0 { magnitude.wrapping_neg() } else { magnitude }
}

/// `1 / (1 + exp(-a))` in Q0.31 for `a` with `integer_bits` (at most 29) integer bits.
pub fn logistic(a: i32, integer_bits: u32) -> i32 {
    if a == 0 {
        return 1 << 30;
    }
    let negative = if a < 0 { a } else { -a };
    let positive = one_over_one_plus_x_for_x_in_0_1(exp_on_negative_values(negative, integer_bits));
    if a > 0 { positive } else { ONE_Q0.wrapping_sub(positive) }
}

/// `1 / x` for a positive `x` with `integer_bits` integer bits (`GetReciprocal`).
///
/// Returns `(r, bits)`: `1 / x = r × 2^-bits`, `r` in Q0.31 within `(1/2, 1]`.
pub fn reciprocal(x: i32, integer_bits: i32) -> (i32, i32) {
    let headroom = x.leading_zeros();
    let shifted = (x as u32).checked_shl(headroom).unwrap_or(0);
    let fraction = shifted.wrapping_sub(1 << 31) as i32;
    (one_over_one_plus_x_for_x_in_0_1(fraction), integer_bits - headroom as i32)
}

/// `1 / sqrt(x)` as a multiplier (`GetInvSqrtQuantizedMultiplierExp` with reversed shift).
/// `x <= 1` counts as one.
pub fn inverse_sqrt(x: i32) -> Multiplier {
    if x <= 1 {
        return Multiplier { value: i32::MAX, shift: 0 };
    }
    let mut x = x;
    let mut right_shift = 11;
    while x >= 1 << 29 {
        x /= 4;
        right_shift += 1;
    }
    // An even left shift that brings x into [2^27, 2^29).
    let pairs = (x.leading_zeros() - 1) / 2 - 1;
    right_shift -= pairs as i32;
    x <<= 2 * pairs;

    // Newton's method in Q3 from 1: y = y × 3/2 - x/2 × y³.
    let half_x = rounding_divide_by_pot(x >> 1, 1);
    let mut y = 1 << 28;
    for _ in 0..5 {
        let cube = rescale(mul(mul(y, y), y), 9, 3);
        y = rescale(mul(THREE_HALVES_Q3, y).wrapping_sub(mul(half_x, cube)), 6, 3);
    }
    let value = mul(y, SQRT_HALF_Q0);
    if right_shift < 0 {
        let value = value.wrapping_shl(right_shift.unsigned_abs());
        return Multiplier { value, shift: 0 };
    }
    Multiplier { value, shift: -right_shift }
}

/// `ln(x)` for `x >= 1` with `input_bits` integer bits, as a number with `output_bits` integer bits
/// (`log_x_for_x_greater_than_or_equal_to_1`). `output_bits` is at most 29.
pub fn log_x_for_x_greater_than_or_equal_to_1(x: i32, input_bits: u32, output_bits: u32) -> i32 {
    let sum_bits = output_bits.min(29) + 1;
    let quarter = rescale(1 << 29, 0, sum_bits);
    let whole = |bits: i32| multiply_by_pot(bits, 31 - sum_bits as i32);

    // Two candidates for x = r × 2^power, r near sqrt(sqrt(1/2)); the second pre-multiplies x by
    // sqrt(1/2). The smaller r goes with the larger power.
    let a_zeros = x.leading_zeros() as i32;
    let r_a = multiply_by_pot(mul(multiply_by_pot(x, a_zeros - 1), SQRT_HALF_Q0), 1);
    let power_a = whole(input_bits as i32 - a_zeros).saturating_add(quarter);
    let b_headroom = mul(x, SQRT_HALF_Q0).leading_zeros() as i32 - 1;
    let r_b = multiply_by_pot(x, b_headroom);
    let power_b = whole(input_bits as i32 - b_headroom).saturating_sub(quarter);
    let (r, power) = (r_a.min(r_b), power_a.max(power_b));

    // ln(r) by a rational approximation around sqrt(sqrt(1/2)).
    let p = rounding_half_sum(r, SQRT_SQRT_HALF_Q0);
    let q = r.wrapping_sub(SQRT_SQRT_HALF_Q0).wrapping_mul(2);
    let q2 = mul(q, q);
    let numerator = mul(q, r).wrapping_add(mul(mul(q, q2), LOG_ALPHA_N));
    let inner = LOG_ALPHA_I.wrapping_add(q).wrapping_add(mul(LOG_ALPHA_D, q2));
    let denominator_minus_one = mul(p, inner).wrapping_add(mul(LOG_ALPHA_F, q));
    let reciprocal = one_over_one_plus_x_for_x_in_0_1(denominator_minus_one);

    let log_r = mul(rescale(numerator, 0, sum_bits), reciprocal);
    rescale(mul(power, LN_2_Q0).wrapping_add(log_r), sum_bits, sum_bits - 1)
}

/// `(a + b) / 2`, ties away from zero.
#[inline]
pub fn rounding_half_sum(a: i32, b: i32) -> i32 {
    let sum = i64::from(a) + i64::from(b);
    ((sum + if sum >= 0 { 1 } else { -1 }) / 2) as i32
}

/// `exp(a)` for `a` in `[-1/4, 0)`, both Q0.31: Taylor's series of degree 4 around -1/8.
fn exp_on_quarter(a: i32) -> i32 {
    const EXP_OF_MINUS_EIGHTH: i32 = 1_895_147_668;
    const ONE_THIRD: i32 = 715_827_883;
    let x = a.wrapping_add(1 << 28);
    let x2 = mul(x, x);
    let x3 = mul(x2, x);
    let x4 = mul(x2, x2);
    let cubic = mul(rounding_divide_by_pot(x4, 2).wrapping_add(x3), ONE_THIRD);
    let tail = rounding_divide_by_pot(cubic.wrapping_add(x2), 1);
    EXP_OF_MINUS_EIGHTH.wrapping_add(mul(EXP_OF_MINUS_EIGHTH, x.wrapping_add(tail)))
}

/// `2 / (1 + x)` in Q2.29 for `x` in `[0, 1]`, Q0.31: Newton's division of `1 / ((1 + x) / 2)`.
fn two_over_one_plus_x(x: i32) -> i32 {
    const FORTY_EIGHT_17THS_Q2: i32 = 1_515_870_810;
    const MINUS_THIRTY_TWO_17THS_Q2: i32 = -1_010_580_540;
    let half = rounding_half_sum(x, ONE_Q0);
    let mut y = FORTY_EIGHT_17THS_Q2.wrapping_add(mul(half, MINUS_THIRTY_TWO_17THS_Q2));
    for _ in 0..3 {
        let error = ONE_Q2.wrapping_sub(mul(half, y));
        y = y.wrapping_add(rescale(mul(y, error), 4, 2));
    }
    y
}

const ONE_Q2: i32 = 1 << 29;
const THREE_HALVES_Q3: i32 = (1 << 28) + (1 << 27);
const SQRT_HALF_Q0: i32 = 1_518_500_250;
const SQRT_SQRT_HALF_Q0: i32 = 1_805_811_301;
const LN_2_Q0: i32 = 1_488_522_236;
const LOG_ALPHA_N: i32 = 117_049_297;
const LOG_ALPHA_D: i32 = 127_690_142;
const LOG_ALPHA_I: i32 = 1_057_819_769;
const LOG_ALPHA_F: i32 = 638_450_708;

/// `(k, exp(-2^k) in Q0.31)`.
const EXP_OF_NEGATED_POWERS: [(i32, i32); 7] = [
    (-2, 1_672_461_947),
    (-1, 1_302_514_674),
    (0, 790_015_084),
    (1, 290_630_308),
    (2, 39_332_535),
    (3, 720_401),
    (4, 242),
];

/// The checksums come from gemmlowp's and TFLite's own code for the same arguments.
#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::checksum;

    #[test]
    fn exp() {
        let cases = [
            (0, i32::MAX),
            (-1, 2_147_483_124),
            (-100, 2_147_479_956),
            (-1 << 24, 1_672_462_419),
            (-1 << 26, 790_015_308),
            (-100_000_000, 483_927_985),
            (-1 << 28, 39_332_546),
            (-1_000_000_000, 725),
            (i32::MIN, 0),
        ];
        for (a, want) in cases {
            assert_eq!(exp_on_negative_values(a, 5), want, "{a}");
        }
        let got = checksum((0..200_000i64).flat_map(|i| {
            let a = -((i * 10737 % (1 << 31)) as i32);
            [5, 0, 12].map(|bits| i64::from(exp_on_negative_values(a, bits)))
        }));
        assert_eq!(got, 0xefa5_6af4_5303_85d9);
    }

    #[test]
    fn quotients() {
        let cases = [
            (0, i32::MAX, i32::MAX),
            (1 << 20, 2_146_435_584, 2_145_387_520),
            (1 << 30, 1_431_655_762, 715_827_876),
            (2_000_000_000, 1_111_923_858, 76_364_068),
            (i32::MAX, 1_073_741_820, -8),
        ];
        for (x, reciprocal, ratio) in cases {
            assert_eq!(one_over_one_plus_x_for_x_in_0_1(x), reciprocal, "{x}");
            assert_eq!(one_minus_x_over_one_plus_x_for_x_in_0_1(x), ratio, "{x}");
        }
    }

    #[test]
    fn tanh_and_logistic() {
        let cases = [
            (0, 0, 1 << 30),
            (1, 260, 1_073_741_948),
            (-1, -260, 1_073_741_699),
            (1 << 27, 1_635_510_876, 1_569_936_226),
            (-1 << 27, -1_635_510_876, 577_547_421),
            (-500_000_000, -2_144_989_272, 50_548_927),
            (i32::MAX, i32::MAX, 2_147_483_406),
        ];
        for (a, want_tanh, want_logistic) in cases {
            assert_eq!(tanh(a, 4), want_tanh, "{a}");
            assert_eq!(logistic(a, 4), want_logistic, "{a}");
        }
        let got = checksum((0..200_000i64).flat_map(|i| {
            let a = (i * 21474 - 2_147_400_000) as i32;
            let quotient = one_over_one_plus_x_for_x_in_0_1(a & i32::MAX);
            [tanh(a, 4), logistic(a, 4), quotient].map(i64::from)
        }));
        assert_eq!(got, 0xdb57_acf8_8315_8fdb);
    }

    #[test]
    fn reciprocals_and_inverse_roots() {
        for (x, want) in [
            (1, (i32::MAX, -19)),
            (3, (1_431_655_762, -18)),
            (1 << 20, (i32::MAX, 1)),
            (123_456_789, (1_167_333_038, 7)),
            (i32::MAX, (1_073_741_820, 11)),
        ] {
            assert_eq!(reciprocal(x, 12), want, "{x}");
        }
        for (x, value, shift) in [
            (0, i32::MAX, 0),
            (1, i32::MAX, 0),
            (2, 1_518_498_372, 0),
            (4, 1_073_741_828, 0),
            (100, 214_748_363, 0),
            (12345, 309_246_148, -4),
            (1 << 29, 379_624_593, -12),
            (i32::MAX, 189_812_531, -12),
        ] {
            assert_eq!(inverse_sqrt(x), Multiplier { value, shift }, "{x}");
        }
        let arguments = core::iter::successors(Some(2i64), |i| Some(i + i / 1000 + 1));
        let arguments = arguments.take_while(|i| *i < i64::from(i32::MAX));
        let got = checksum(arguments.flat_map(|i| {
            let (root, (r, bits)) = (inverse_sqrt(i as i32), reciprocal(i as i32, 12));
            [root.value, root.shift, r, bits].map(i64::from)
        }));
        assert_eq!(got, 0xeb74_cc46_7641_a9de);
    }

    #[test]
    fn logarithm() {
        let log = |x| log_x_for_x_greater_than_or_equal_to_1(x, 12, 5);
        for (x, want) in [
            (1 << 19, 0),
            ((1 << 19) + 1, 128),
            (1 << 20, 46_516_320),
            (123_456_789, 366_522_130),
            (i32::MAX, 558_195_838),
        ] {
            assert_eq!(log(x), want, "{x}");
        }
        let arguments = core::iter::successors(Some(1i64 << 19), |i| Some(i + i / 10000 + 1));
        let arguments = arguments.take_while(|i| *i < i64::from(i32::MAX));
        assert_eq!(checksum(arguments.map(|i| i64::from(log(i as i32)))), 0xec69_b045_60fd_6501);
    }

    #[test]
    fn no_panic_outside_the_domain() {
        for a in [i32::MIN, i32::MIN + 1, -1, 0, 1, i32::MAX] {
            for bits in [0, 1, 5, 6, 28, 29, 31, 40] {
                exp_on_negative_values(a, bits);
                tanh(a, bits);
                logistic(a, bits);
                log_x_for_x_greater_than_or_equal_to_1(a, bits, bits);
                reciprocal(a, bits as i32);
            }
            one_over_one_plus_x_for_x_in_0_1(a);
            inverse_sqrt(a);
            for exponent in [i32::MIN, -32, -31, 31, 32, i32::MAX] {
                multiply_by_pot(a, exponent);
            }
        }
    }
}

//! LOGISTIC and TANH in 16-bit fixed point, for inputs with 3 integer bits.
//!
//! Defined by: gemmlowp fixedpoint.h, with `std::int16_t` as the raw type. The steps are the same as in
//! [`fixed_point`](super::fixed_point), with 15 instead of 31 fraction bits.

use super::requantize::{rounding_divide_by_pot, saturating_rounding_doubling_high_mul_i16 as mul};

const ONE_Q0: i16 = i16::MAX;
const ONE_Q2: i16 = 1 << 13;

/// `1 / (1 + exp(-a))` in Q0.15 for `a` in Q3.12.
pub fn logistic(a: i16) -> i16 {
    if a == 0 {
        return 1 << 14;
    }
    let negative = if a < 0 { a } else { -a };
    let twice = two_over_one_plus_x(exp_on_negative_values(negative, 3));
    let positive = multiply_by_pot(twice, 1);
    if a > 0 { positive } else { ONE_Q0.wrapping_sub(positive) }
}

/// `tanh(a)` in Q0.15 for `a` in Q3.12.
pub fn tanh(a: i16) -> i16 {
    tanh_of(a, 3)
}

/// `tanh(a)` in Q0.15 for `a` with `integer_bits`, 0 to 6.
pub fn tanh_of(a: i16, integer_bits: i32) -> i16 {
    if a == 0 {
        return 0;
    }
    let negative = if a < 0 { a } else { -a };
    // (1 - e^2a) / (1 + e^2a); doubling adds one integer bit.
    let twice = two_over_one_plus_x(exp_on_negative_values(negative, integer_bits.clamp(0, 6) as u32 + 1));
    let magnitude = multiply_by_pot(twice.wrapping_sub(ONE_Q2), 2);
    if a < 0 { magnitude.wrapping_neg() } else { magnitude }
}

/// Computes `x × 2^exponent`. Left shifts saturate; right shifts round to nearest, ties away from zero.
pub fn multiply_by_pot(x: i16, exponent: i32) -> i16 {
    if exponent < 0 {
        return rounding_divide_by_pot(x.into(), exponent.unsigned_abs()) as i16;
    }
    let wide = i32::from(x) << exponent.min(15);
    wide.clamp(i16::MIN.into(), i16::MAX.into()) as i16
}

/// `exp(a)` in Q0.15 for `a < 0` with `integer_bits` (1 to 7) integer bits.
fn exp_on_negative_values(a: i16, integer_bits: u32) -> i16 {
    let fractional_bits = 15 - integer_bits as i32;
    if integer_bits > 5 && a < -(32 << fractional_bits) {
        return 0;
    }
    let quarter = 1i16 << (fractional_bits - 2);
    let fraction = (a & (quarter - 1)) - quarter;
    let remainder = fraction.wrapping_sub(a);
    let mut result = exp_on_quarter(multiply_by_pot(fraction, integer_bits as i32));
    for (exponent, factor) in EXP_OF_NEGATED_POWERS {
        if integer_bits as i32 > exponent && remainder & (1 << (fractional_bits + exponent)) != 0 {
            result = mul(result, factor);
        }
    }
    result
}

/// `exp(a)` for `a` in `[-1/4, 0)`, by the Taylor series around -1/8.
fn exp_on_quarter(a: i16) -> i16 {
    let x = a.wrapping_add(1 << 12);
    let x2 = mul(x, x);
    let x3 = mul(x2, x);
    let x4_over_4 = multiply_by_pot(mul(x2, x2), -2);
    let tail = multiply_by_pot(mul(x4_over_4.wrapping_add(x3), ONE_THIRD).wrapping_add(x2), -1);
    EXP_OF_NEGATED_EIGHTH.saturating_add(mul(EXP_OF_NEGATED_EIGHTH, x.wrapping_add(tail)))
}

/// `2 / (1 + x)` in Q2.13 for `x` in `[0, 1]`, by three steps of Newton's method.
fn two_over_one_plus_x(x: i16) -> i16 {
    let half_denominator = ((i32::from(x) + i32::from(ONE_Q0) + 1) / 2) as i16;
    let mut y = FORTY_EIGHT_17TH_Q2.wrapping_add(mul(half_denominator, MINUS_THIRTY_TWO_17TH_Q2));
    for _ in 0..3 {
        let error = ONE_Q2.wrapping_sub(mul(half_denominator, y));
        y = y.wrapping_add(multiply_by_pot(mul(y, error), 2));
    }
    y
}

/// gemmlowp's 32-bit constants, rounded to 16 bits.
const fn from_32_bits(x: i32) -> i16 {
    ((x as i64 + (1 << 15)) >> 16) as i16
}

const EXP_OF_NEGATED_EIGHTH: i16 = from_32_bits(1_895_147_668);
const ONE_THIRD: i16 = from_32_bits(715_827_883);
const FORTY_EIGHT_17TH_Q2: i16 = from_32_bits(1_515_870_810);
const MINUS_THIRTY_TWO_17TH_Q2: i16 = from_32_bits(-1_010_580_540);

/// `(e, exp(-2^e))` in Q0.15.
const EXP_OF_NEGATED_POWERS: [(i32, i16); 7] = [
    (-2, from_32_bits(1_672_461_947)),
    (-1, from_32_bits(1_302_514_674)),
    (0, from_32_bits(790_015_084)),
    (1, from_32_bits(290_630_308)),
    (2, from_32_bits(39_332_535)),
    (3, from_32_bits(720_401)),
    (4, from_32_bits(242)),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_input_is_near_the_function() {
        for a in i16::MIN..=i16::MAX {
            let x = f64::from(a) / 4096.0;
            let expected = 32768.0 / (1.0 + (-x).exp());
            assert!((f64::from(logistic(a)) - expected).abs() < 10.0, "logistic({x})");
            let expected = 32768.0 * x.tanh();
            assert!((f64::from(tanh(a)) - expected).abs() < 20.0, "tanh({x}) = {}, not {expected}", tanh(a));
        }
    }
}

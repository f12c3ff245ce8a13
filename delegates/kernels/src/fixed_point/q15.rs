//! LOGISTIC and TANH in 16-bit fixed point, without branches, so that loops over them become vectors.
//!
//! Defined by: gemmlowp fixedpoint.h, with `std::int16_t` as the raw type.

/// 1 in Q2.13.
const ONE_Q2: i16 = 1 << 13;

/// gemmlowp's 32-bit constants, rounded to 16 bits.
const fn from_32_bits(x: i32) -> i16 {
    ((x as i64 + (1 << 15)) >> 16) as i16
}

const EXP_OF_NEGATED_EIGHTH: i16 = from_32_bits(1_895_147_668);
const ONE_THIRD: i16 = from_32_bits(715_827_883);
const FORTY_EIGHT_17TH_Q2: i16 = from_32_bits(1_515_870_810);
const MINUS_THIRTY_TWO_17TH_Q2: i16 = from_32_bits(-1_010_580_540);

/// `exp(-2^e)` in Q0.15 for `e` from −2 to 4.
const EXP_OF_NEGATED_POWERS: [i16; 7] = [
    from_32_bits(1_672_461_947),
    from_32_bits(1_302_514_674),
    from_32_bits(790_015_084),
    from_32_bits(290_630_308),
    from_32_bits(39_332_535),
    from_32_bits(720_401),
    from_32_bits(242),
];

/// `round(a · b / 2¹⁵)`, ties up. The operands are never both −2¹⁵.
#[inline(always)]
fn mul(a: i16, b: i16) -> i16 {
    ((((i32::from(a) * i32::from(b)) >> 14) + 1) >> 1) as i16
}

/// `x / 2^n`, ties away from zero, for `n` of 1 or 2.
#[inline(always)]
fn divided(x: i16, n: u32) -> i16 {
    let (mask, below) = ((1 << n) - 1, i16::from(x < 0));
    (x >> n) + i16::from((x & mask) > (mask >> 1) + below)
}

/// `x · 2^n`, saturated.
#[inline(always)]
fn doubled(x: i16, n: u32) -> i16 {
    (i32::from(x) << n).clamp(i16::MIN.into(), i16::MAX.into()) as i16
}

/// The number of integer bits of a number, and constants that depend on it.
#[derive(Clone, Copy, Debug)]
pub struct IntegerBits {
    bits: u32,
    /// A quarter.
    quarter: i16,
    /// The bit that has the value `2^e`, for `e` from −2 to 4; 0 if the number has no such bit.
    powers: [i16; 7],
    /// Numbers below this have the exponential 0.
    least: i16,
}

impl IntegerBits {
    /// Of a number with 1 to 7 integer bits.
    pub const fn new(bits: u32) -> IntegerBits {
        let fraction = 15 - bits as i32;
        let mut powers = [0; 7];
        let mut i = 0;
        while i < 7 {
            if bits as i32 > i as i32 - 2 {
                powers[i] = 1 << (fraction + i as i32 - 2);
            }
            i += 1;
        }
        let least = if bits > 5 { -(32 << fraction) } else { i16::MIN as i32 };
        IntegerBits { bits, quarter: 1 << (fraction - 2), powers, least: least as i16 }
    }
}

/// `exp(a)` in Q0.15 for `a < 0`.
#[inline(always)]
fn exp_on_negative_values(a: i16, of: &IntegerBits) -> i16 {
    let fraction = (a & (of.quarter - 1)) - of.quarter;
    let remainder = fraction.wrapping_sub(a);
    let mut result = exp_on_quarter(fraction << of.bits);
    for (power, factor) in of.powers.iter().zip(EXP_OF_NEGATED_POWERS) {
        let next = mul(result, factor);
        result = if remainder & power != 0 { next } else { result };
    }
    if a < of.least { 0 } else { result }
}

/// `exp(a)` for `a` in `[-1/4, 0)`, by the Taylor series around -1/8.
#[inline(always)]
fn exp_on_quarter(a: i16) -> i16 {
    let x = a.wrapping_add(1 << 12);
    let x2 = mul(x, x);
    let x3 = mul(x2, x);
    let x4_over_4 = divided(mul(x2, x2), 2);
    let tail = divided(mul(x4_over_4.wrapping_add(x3), ONE_THIRD).wrapping_add(x2), 1);
    EXP_OF_NEGATED_EIGHTH.saturating_add(mul(EXP_OF_NEGATED_EIGHTH, x.wrapping_add(tail)))
}

/// `2 / (1 + x)` in Q2.13 for `x` in `[0, 1]`, by three steps of Newton's method.
#[inline(always)]
fn two_over_one_plus_x(x: i16) -> i16 {
    let half_denominator = ((i32::from(x) + (1 << 15)) >> 1) as i16;
    let mut y = FORTY_EIGHT_17TH_Q2.wrapping_add(mul(half_denominator, MINUS_THIRTY_TWO_17TH_Q2));
    for _ in 0..3 {
        let error = ONE_Q2.wrapping_sub(mul(half_denominator, y));
        y = y.wrapping_add(doubled(mul(y, error), 2));
    }
    y
}

/// `1 / (1 + exp(-a))` in Q0.15 for `a` in Q3.12.
#[inline(always)]
pub fn logistic(a: i16) -> i16 {
    const BITS: IntegerBits = IntegerBits::new(3);
    let negative = if a < 0 { a } else { -a };
    let positive = doubled(two_over_one_plus_x(exp_on_negative_values(negative, &BITS)), 1);
    let result = if a > 0 { positive } else { i16::MAX.wrapping_sub(positive) };
    if a == 0 { 1 << 14 } else { result }
}

/// `tanh(a)` in Q0.15. `of` describes `2a`, which has one more integer bit than `a`.
#[inline(always)]
pub fn tanh(a: i16, of: &IntegerBits) -> i16 {
    let negative = if a < 0 { a } else { -a };
    // (1 - e^2a) / (1 + e^2a)
    let twice = two_over_one_plus_x(exp_on_negative_values(negative, of));
    let magnitude = doubled(twice.wrapping_sub(ONE_Q2), 2);
    let result = if a < 0 { magnitude.wrapping_neg() } else { magnitude };
    if a == 0 { 0 } else { result }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_input_is_near_the_function() {
        for a in i16::MIN..=i16::MAX {
            let want = 32768.0 / (1.0 + (-f64::from(a) / 4096.0).exp());
            assert!((f64::from(logistic(a)) - want).abs() < 10.0, "logistic {a}: {}", logistic(a));
            for bits in 0..=6 {
                let want = 32768.0 * (f64::from(a) / f64::from(1 << (15 - bits))).tanh();
                let got = tanh(a, &IntegerBits::new(bits + 1));
                assert!((f64::from(got) - want).abs() < 20.0, "tanh {a} with {bits} bits: {got}, not {want}");
            }
        }
    }
}

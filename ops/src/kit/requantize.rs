//! Fixed-point requantization: real multipliers as `value × 2^(shift − 31)`, and quantized numbers.
//!
//! Defined by: tflite/kernels/internal/quantization_util.cc, tflite/kernels/internal/common.cc and gemmlowp
//! fixedpoint.h, in the default build, which rounds twice (`TFLITE_SINGLE_ROUNDING` is 0).

use super::activation::Limits;
use super::ratio::quotient;

arenite_abi::plain! {
    /// A real factor in fixed point: `real = value / 2^31 × 2^shift`.
    ///
    /// A positive `shift` shifts left before the multiplication, a negative one shifts right after it. `apply` covers
    /// both TFLite's "smaller than one" and its "greater than one" form: with `shift <= 0` or `shift >= 0` the other
    /// shift is the identity.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Multiplier {
        /// The Q0.31 significand: `2^30 <= |value| < 2^31`, or 0.
        pub value: i32,
        /// The power of two that scales the significand.
        pub shift: i32,
    }
}

impl Multiplier {
    /// The factor zero.
    pub const ZERO: Multiplier = Multiplier { value: 0, shift: 0 };

    /// The nearest fixed-point form of `real` (`QuantizeMultiplier`).
    ///
    /// Factors below about `2^-32` become zero. `None` if `real` is infinite or NaN.
    #[inline(never)] // small machines compute with f64 in software
    pub fn from_real(real: f64) -> Option<Multiplier> {
        // real = ±significand / 2^53 × 2^shift, where 2^52 <= significand < 2^53, unless it is zero or below 2^-1022.
        let (bits, exponent) = (real.to_bits(), (real.to_bits() >> 52 & 0x7ff) as i32);
        if exponent == 0x7ff {
            return None;
        }
        let significand = bits & ((1 << 52) - 1) | 1 << 52;
        let mut shift = exponent - 1022;
        // Ties away from zero.
        let magnitude = ((significand + (1 << 21)) >> 22) as i64;
        let mut value = if real.is_sign_negative() { -magnitude } else { magnitude };
        if value == 1 << 31 {
            value /= 2;
            shift += 1;
        }
        if shift < -31 {
            return Some(Multiplier::ZERO);
        }
        let value = i32::try_from(value).ok()?;
        Some(Multiplier { value, shift })
    }

    /// Like `from_real`, for factors in `(0, 1)`; the shift is never positive. `None` outside that range.
    pub fn from_real_smaller_than_one(real: f64) -> Option<Multiplier> {
        if !(real > 0.0 && real < 1.0) {
            return None;
        }
        Multiplier::from_real(real).filter(|m| m.shift <= 0)
    }

    /// Like `from_real`, for factors above one; the shift is never negative. `None` outside that range.
    pub fn from_real_greater_than_one(real: f64) -> Option<Multiplier> {
        if real <= 1.0 {
            return None;
        }
        Multiplier::from_real(real).filter(|m| m.shift >= 0)
    }

    /// The fixed-point form of `input_scale × filter_scale / output_scale`, computed in f64.
    pub fn from_scales(input: f32, filter: f32, output: f32) -> Option<Multiplier> {
        Multiplier::from_real(quotient(input, filter, output))
    }

    /// Returns `-self`, which SUB needs for its second input.
    pub fn negated(self) -> Multiplier {
        Multiplier { value: self.value.wrapping_neg(), shift: self.shift }
    }

    /// Computes `x × self`, rounded twice: to nearest in Q31, then to nearest with ties away from zero
    /// (`MultiplyByQuantizedMultiplier` on i32). A left shift that overflows wraps.
    #[inline]
    pub fn apply(self, x: i32) -> i32 {
        let left = self.shift.max(0) as u32;
        let right = self.shift.min(0).unsigned_abs();
        let shifted = x.wrapping_mul(1i32.wrapping_shl(left));
        rounding_divide_by_pot(saturating_rounding_doubling_high_mul(shifted, self.value), right)
    }

    /// Computes `x × self`, rounded twice, both times with ties up. This is the rounding of TFLite's SIMD kernels
    /// (`MultiplyByQuantizedMultiplier4Rows`) and of ruy, which CONV_2D, FULLY_CONNECTED and QUANTIZE use. It differs
    /// from [`Multiplier::apply`] only for negative ties.
    #[inline]
    pub fn apply_ties_up(self, x: i32) -> i32 {
        let left = self.shift.max(0) as u32;
        let right = self.shift.min(0).unsigned_abs();
        let shifted = x.wrapping_mul(1i32.wrapping_shl(left));
        let product = saturating_rounding_doubling_high_mul(shifted, self.value);
        match right {
            0 => product,
            // Half a step is added by adding the last bit that is shifted out.
            1..=31 => (product >> right) + (product >> (right - 1) & 1),
            _ => 0,
        }
    }

    /// Computes `x × self` for `shift <= 0`, rounded twice (`MultiplyByQuantizedMultiplierSmallerThanOneExp`).
    ///
    /// The right shift should be 0 to 31. Other shifts are undefined in C++, yet common in DIV: TFLite's kernels on x86
    /// use the shift modulo 32, but round as if all digits had been shifted out. This function does the same.
    #[inline]
    pub fn apply_right(self, x: i32) -> i32 {
        let product = saturating_rounding_doubling_high_mul(x, self.value);
        let right = self.shift.wrapping_neg() as u32;
        let mask = 1i64.wrapping_shl(right).wrapping_sub(1) as i32;
        let threshold = (mask >> 1) + i32::from(product < 0);
        product.wrapping_shr(right).wrapping_add(i32::from(product & mask > threshold))
    }

    /// Computes `x × self`, rounded once, ties up: ruy without SIMD, which the 16-bit FULLY_CONNECTED and CONV_2D with
    /// 32-bit sums use.
    ///
    /// Intended for `-31 <= shift < 31`; outside that range the result is zero or wraps.
    #[inline]
    pub fn apply_once(self, x: i32) -> i32 {
        let product = i64::from(x).wrapping_mul(i64::from(self.value));
        match 31i32.saturating_sub(self.shift) {
            right @ 1..=62 => (product.wrapping_add(1 << (right - 1)) >> right) as i32,
            right if right > 62 => 0,
            left => product.wrapping_shl(left.unsigned_abs()) as i32,
        }
    }

    /// Computes `x × self` for the 64-bit sums of 16-bit kernels (`MultiplyByQuantizedMultiplier` on i64): the
    /// significand is reduced to 15 bits and the product is rounded once, ties up.
    ///
    /// Intended for `|x| < 2^47` and `shift < 8`; outside that range the result wraps.
    #[inline]
    pub fn apply_i64(self, x: i64) -> i32 {
        let reduced = if self.value < 0x7fff_0000 { (self.value + (1 << 15)) >> 16 } else { 0x7fff };
        let product = x.wrapping_mul(i64::from(reduced));
        let total_shift = 15i32.saturating_sub(self.shift);
        if total_shift <= 0 {
            return product.wrapping_shl(total_shift.unsigned_abs()) as i32;
        }
        let total_shift = total_shift.min(63) as u32;
        (product.wrapping_add(1 << (total_shift - 1)) >> total_shift) as i32
    }
}

arenite_abi::plain! {
    /// The scale and the zero point of a per-tensor quantized tensor: `real = scale × (q − zero_point)`.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Quant {
        /// The real size of one step.
        pub scale: f32,
        /// The quantized value of real zero.
        pub zero_point: i32,
    }
}

impl Quant {
    /// The real number that `q` represents.
    #[inline]
    pub fn dequantize(self, q: i32) -> f32 {
        self.scale * q.wrapping_sub(self.zero_point) as f32
    }

    /// Like [`dequantize`](Self::dequantize) for element `i` of `count`, rounded like SIMD code, which computes groups
    /// of eight as `scale × q + (−zero_point × scale)`.
    #[inline]
    pub fn dequantize_in_eights(self, q: i32, i: usize, count: usize) -> f32 {
        if i >= count - count % 8 {
            return self.dequantize(q);
        }
        q as f32 * self.scale + (f64::from(self.scale) * f64::from(self.zero_point.wrapping_neg())) as f32
    }

    /// The quantized number nearest to `x`, ties away from zero, within `limits`.
    #[inline]
    pub fn quantize(self, x: f32, limits: Limits<i32>) -> i32 {
        quantize_f32(x, self.scale, self.zero_point, limits)
    }
}

arenite_abi::plain! {
    /// Converts from one quantization to another: `clamp(multiplier × (q − input_zero_point) + output_zero_point)`.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Requantize {
        /// The zero point of the input.
        pub input_zero_point: i32,
        /// The zero point of the output.
        pub output_zero_point: i32,
        /// The ratio `input scale / output scale`.
        pub multiplier: Multiplier,
        /// The range of the output.
        pub limits: Limits<i32>,
    }
}

impl Requantize {
    /// The conversion between two quantizations, or `None` if the ratio of the scales is not finite.
    pub fn between(input: Quant, output: Quant, limits: Limits<i32>) -> Option<Requantize> {
        let ratio = quotient(input.scale, 1.0, output.scale);
        Some(Requantize {
            input_zero_point: input.zero_point,
            output_zero_point: output.zero_point,
            multiplier: Multiplier::from_real(ratio)?,
            limits,
        })
    }

    /// The output value for `q`.
    #[inline]
    pub fn apply(&self, q: i32) -> i32 {
        let scaled = self.multiplier.apply(q.wrapping_sub(self.input_zero_point));
        self.limits.clamp(scaled.wrapping_add(self.output_zero_point))
    }
}

/// Computes `clamp(round(x / scale) + zero_point)`, ties away from zero (`AffineQuantize`).
///
/// Values beyond i32 saturate and NaN becomes 0; in TFLite these casts are undefined.
#[inline]
pub fn quantize_f32(x: f32, scale: f32, zero_point: i32, limits: Limits<i32>) -> i32 {
    limits.clamp((round_f32(x / scale) as i32).saturating_add(zero_point))
}

/// The nearest integer, ties away from zero (`TfLiteRound` on float).
#[inline]
pub fn round_f32(x: f32) -> f32 {
    libm::roundf(x)
}

/// The nearest integer, ties away from zero (`TfLiteRound` on double).
#[inline]
pub fn round_f64(x: f64) -> f64 {
    libm::round(x)
}

/// Computes `x / 2^exponent`, ties away from zero. Zero for exponents above 31.
#[inline]
pub fn rounding_divide_by_pot(x: i32, exponent: u32) -> i32 {
    if exponent > 31 {
        return 0;
    }
    let mask = ((1u32 << exponent) - 1) as i32;
    let threshold = (mask >> 1) + i32::from(x < 0);
    (x >> exponent) + i32::from((x & mask) > threshold)
}

/// Computes `round(a × b / 2^31)`; saturates in the one case that overflows (`i32::MIN²`).
#[inline]
pub fn saturating_rounding_doubling_high_mul(a: i32, b: i32) -> i32 {
    if a == i32::MIN && b == i32::MIN {
        return i32::MAX;
    }
    // gemmlowp truncates (product ± 2^30) / 2^31, one less below zero, which is the same as rounding down here.
    ((i64::from(a) * i64::from(b) + (1 << 30)) >> 31) as i32
}

/// Computes `round(a × b / 2^15)`; saturates in the one case that overflows (`i16::MIN²`).
#[inline]
pub fn saturating_rounding_doubling_high_mul_i16(a: i16, b: i16) -> i16 {
    if a == i16::MIN && b == i16::MIN {
        return i16::MAX;
    }
    ((i32::from(a) * i32::from(b) + (1 << 14)) >> 15) as i16
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO_POW_31: f64 = 2_147_483_648.0;

    /// `QuantizeMultiplier` as TFLite writes it.
    fn from_real_in_f64(real: f64) -> Option<Multiplier> {
        let (fraction, mut shift) = libm::frexp(real);
        let mut value = (fraction * TWO_POW_31).round() as i64;
        if value == 1 << 31 {
            value /= 2;
            shift += 1;
        }
        let value = i32::try_from(value).ok().filter(|_| real.is_finite())?;
        Some(if value == 0 || shift < -31 { Multiplier::ZERO } else { Multiplier { value, shift } })
    }

    #[test]
    fn from_real_without_f64_arithmetic() {
        let mut bits = 1u64;
        for _ in 0..100_000 {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Exponents from 2^-64 to 2^63, and all ends of the significand.
            let near = f64::from_bits(bits & !(0x7ff << 52) | (1023 - 64 + (bits >> 57)) << 52);
            let half = f64::from_bits(near.to_bits() & !0x3f_ffff | (0x1f_ffff + (bits >> 60 & 3)));
            let most = f64::from_bits(near.to_bits() | 0xf_ffff_ffe0_0000);
            for real in [near, half, most, f64::from_bits(bits)] {
                assert_eq!(Multiplier::from_real(real), from_real_in_f64(real), "{real:e}");
            }
        }
    }

    #[test]
    fn multiplier_from_real() {
        let cases = [
            (0.0, 0, 0),
            (1.0, 1 << 30, 1),
            (0.5, 1 << 30, 0),
            (0.25, 1 << 30, -1),
            (0.75, 1_610_612_736, 0),
            (-0.75, -1_610_612_736, 0),
            (3.0, 1_610_612_736, 2),
            // 1 - 2^-40 rounds up to one.
            (1.0 - 2f64.powi(-40), 1 << 30, 1),
            // 2^-32 still has shift -31; the next smaller power is flushed to zero.
            (2f64.powi(-32), 1 << 30, -31),
            (2f64.powi(-33), 0, 0),
        ];
        for (real, value, shift) in cases {
            assert_eq!(Multiplier::from_real(real), Some(Multiplier { value, shift }), "{real}");
        }
        assert_eq!(Multiplier::from_real(f64::NAN), None);
        assert_eq!(Multiplier::from_real(f64::INFINITY), None);
    }

    #[test]
    fn multiplier_ties_round_away_from_zero() {
        let (low, high, least) = (2f64.powi(30), 2f64.powi(31), 2f64.powi(-22));
        let cases = [
            (low + 1.5, (1 << 30) + 2, 0),
            (low + 1.5 - least, (1 << 30) + 1, 0),
            (-low - 1.5, -(1 << 30) - 2, 0),
            (-low - 1.5 + least, -(1 << 30) - 1, 0),
            (high - 0.5 - least, i32::MAX, 0),
            (high - 0.5, 1 << 30, 1),
            (high - least, 1 << 30, 1),
        ];
        for (scaled, value, shift) in cases {
            let found = Multiplier::from_real(scaled / TWO_POW_31);
            assert_eq!(found, Some(Multiplier { value, shift }), "{scaled}");
        }
    }

    #[test]
    fn multiplier_variants_reject_the_other_range() {
        assert!(Multiplier::from_real_smaller_than_one(0.3).is_some());
        assert_eq!(Multiplier::from_real_smaller_than_one(1.0), None);
        assert_eq!(Multiplier::from_real_smaller_than_one(0.0), None);
        assert_eq!(Multiplier::from_real_smaller_than_one(f64::NAN), None);
        assert!(Multiplier::from_real_greater_than_one(1.5).is_some());
        assert_eq!(Multiplier::from_real_greater_than_one(1.0), None);
        assert_eq!(Multiplier::from_real_greater_than_one(f64::NAN), None);
    }

    #[test]
    fn apply_rounds_twice() {
        let half = Multiplier { value: 1 << 30, shift: 0 };
        let quarter = Multiplier { value: 1 << 30, shift: -1 };
        let three = Multiplier { value: 1_610_612_736, shift: 2 };
        // Rounded once with ties up, -1/2 would be 0; C++ division truncates after the nudge, so here it is -1, then 0.
        let cases = [
            (half, 3, 2),
            (half, 1, 1),
            (half, -1, 0),
            (half, -3, -1),
            (quarter, 2, 1),
            // 1/4: in Q31 it gives 1/2 -> 1, then 1/2 -> 1. A single rounding would give 0.
            (quarter, 1, 1),
            (quarter, -2, -1),
            (three, 7, 21),
            (three, -7, -21),
        ];
        for (m, x, want) in cases {
            assert_eq!(m.apply(x), want, "{m:?} × {x}");
        }
    }

    #[test]
    fn apply_ties_up_differs_on_negative_ties() {
        let quarter = Multiplier { value: 1 << 30, shift: -1 };
        let third = Multiplier { value: 1_288_490_240, shift: -1 };
        // (x, x/4 ties up, x/4 ties away, 0.3 x ties up); LiteRT's QUANTIZE gives the same.
        let cases = [
            (-8, -2, -2, -2),
            (-7, -1, -2, -2),
            (-6, -1, -2, -2),
            (-5, -1, -1, -1),
            (-3, 0, -1, -1),
            (-2, 0, -1, 0),
            (-1, 0, 0, 0),
            (1, 1, 1, 1),
            (5, 2, 2, 2),
            (6, 2, 2, 2),
        ];
        for (x, up, away, scaled) in cases {
            assert_eq!(quarter.apply_ties_up(x), up, "{x}");
            assert_eq!(quarter.apply(x), away, "{x}");
            assert_eq!(third.apply_ties_up(x), scaled, "{x}");
        }
    }

    #[test]
    fn apply_right_takes_shifts_modulo_32() {
        let half = |right: i32| Multiplier { value: 1 << 30, shift: -right };
        for x in [0, 1, -1, 2, -2, 6, -6, 1000, i32::MAX, i32::MIN] {
            for right in [0, 1, 2, 7, 30, 31] {
                assert_eq!(half(right).apply_right(x), half(right).apply(x), "{x} {right}");
            }
        }
        // LiteRT's DIV and LESS give the same: 2^20 / 2 shifted by 34 and by -1.
        for (x, right, want) in [
            (1 << 20, 34, (1 << 17) + 1),
            (-(1 << 20), 34, -(1 << 17)),
            (1 << 20, -1, 1),
            (0, 34, 1),
            (-(1 << 20), -1, -1),
        ] {
            assert_eq!(half(right).apply_right(x), want, "{x} {right}");
        }
    }

    #[test]
    fn apply_once_rounds_once() {
        let quarter = Multiplier { value: 1 << 30, shift: -1 };
        // 1/4 is below a half; rounding twice would give 1.
        for (x, want) in [(1, 0), (2, 1), (-2, 0), (-3, -1), (6, 2), (-6, -1)] {
            assert_eq!(quarter.apply_once(x), want, "{x}");
        }
        assert_eq!(Multiplier { value: 1_610_612_736, shift: 2 }.apply_once(-7), -21);
    }

    #[test]
    fn apply_never_panics() {
        for shift in [i32::MIN, -100, -32, -31, 0, 1, 30, 31, 32, 100, i32::MAX] {
            for value in [i32::MIN, -1, 0, 1 << 30, i32::MAX] {
                for x in [i32::MIN, -1, 0, 1, i32::MAX] {
                    let m = Multiplier { value, shift };
                    m.apply(x);
                    m.apply_ties_up(x);
                    m.apply_once(x);
                    m.apply_right(x);
                    m.apply_i64(i64::from(x) << 16);
                    m.negated();
                }
            }
        }
        assert_eq!(Multiplier { value: i32::MAX, shift: -40 }.apply(i32::MAX), 0);
    }

    #[test]
    fn apply_i64_uses_fifteen_bits() {
        let half = Multiplier { value: 1 << 30, shift: 0 };
        // reduced = 2^14, total shift 15: (x × 2^14 + 2^14) >> 15.
        let cases = [(3, 2), (1, 1), (-1, 0), (-3, -1), (1 << 32, i32::MIN)];
        for (x, want) in cases {
            assert_eq!(half.apply_i64(x), want, "{x}");
        }
        let near_one = Multiplier { value: i32::MAX, shift: 0 };
        assert_eq!(near_one.apply_i64(32768), 32767);
    }

    #[test]
    fn divide_by_power_of_two() {
        let cases = [
            (5, 1, 3),
            (-5, 1, -3),
            (3, 2, 1),
            (-3, 2, -1),
            (2, 2, 1),
            (-2, 2, -1),
            (1, 2, 0),
            (7, 0, 7),
            (i32::MIN, 31, -1),
            (i32::MAX, 31, 1),
            (i32::MAX, 32, 0),
        ];
        for (x, exponent, want) in cases {
            assert_eq!(rounding_divide_by_pot(x, exponent), want, "{x} / 2^{exponent}");
        }
    }

    #[test]
    fn high_mul() {
        let cases = [
            (1 << 30, 1 << 30, 1 << 29),
            (i32::MIN, i32::MIN, i32::MAX),
            (i32::MIN, i32::MAX, -i32::MAX),
            (1, 1 << 30, 1),
            (-1, 1 << 30, 0),
        ];
        for (a, b, want) in cases {
            assert_eq!(saturating_rounding_doubling_high_mul(a, b), want, "{a} × {b}");
        }
        assert_eq!(saturating_rounding_doubling_high_mul_i16(i16::MIN, i16::MIN), i16::MAX);
        assert_eq!(saturating_rounding_doubling_high_mul_i16(1 << 14, 3), 2);
        assert_eq!(saturating_rounding_doubling_high_mul_i16(1 << 14, -3), -1);
    }

    #[test]
    fn quantize_and_back() {
        let i8_limits = Limits { min: -128, max: 127 };
        let cases = [
            (0.0, 3),
            (0.25, 4),
            (-0.25, 2),
            (0.2, 3),
            (1e9, 127),
            (f32::NEG_INFINITY, -128),
            (f32::INFINITY, 127),
            (f32::NAN, 3),
        ];
        for (x, want) in cases {
            assert_eq!(quantize_f32(x, 0.5, 3, i8_limits), want, "{x}");
        }
        assert_eq!(Quant { scale: 0.5, zero_point: 3 }.dequantize(7), 2.0);
    }

    #[test]
    fn requantize_between_scales() {
        let input = Quant { scale: 1.0, zero_point: 10 };
        let output = Quant { scale: 0.5, zero_point: -5 };
        let step = Requantize::between(input, output, Limits { min: -128, max: 127 }).unwrap();
        for (q, want) in [(10, -5), (11, -3), (9, -7), (100, 127), (-128, -128)] {
            assert_eq!(step.apply(q), want, "{q}");
        }
        let zero = Quant { scale: 0.0, zero_point: 0 };
        assert_eq!(Requantize::between(input, zero, Limits { min: 0, max: 0 }), None);
    }
}

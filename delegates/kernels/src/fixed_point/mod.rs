//! Real factors in fixed-point form, with which sums are scaled to quantized results.
//!
//! Defined by: tflite/kernels/internal/quantization_util.cc, tflite/kernels/internal/common.cc; gemmlowp fixedpoint.h.
//!
//! Multiplying by `value / 2³¹ · 2^shift` rounds twice: the product to Q31, then the right shift. Both can be computed
//! as one floor of a 64-bit number, with `p = x · 2^max(shift, 0) · value` and `s = max(−shift, 0)`:
//!
//! ```text
//! floor((p + 2³⁰ + [s > 0] · 2^(30 + s) − away) / 2^(31 + s))      away = 2³¹ if ties go away from zero, x < 0 and s > 0
//! ```
//! The first rounding may make zero of a negative `p ≥ −2³⁰`. The result is 0 then, with and without `away`.

pub mod hard_swish;
pub mod q15;
pub mod rsqrt;

/// A real factor: `value / 2³¹ · 2^shift`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Multiplier {
    /// `2³⁰ ≤ value < 2³¹`, or 0.
    pub value: i32,
    /// Between −31 and 30.
    pub shift: i32,
}

/// How the second rounding treats negative ties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ties {
    /// Upward, like the SIMD kernels of TensorFlow Lite.
    Up,
    /// Away from zero, like its scalar kernels.
    Away,
}

impl Multiplier {
    /// The multiplier nearest to `real`. `None` if `real` is negative, not finite, or at least 2³⁰. Numbers below about
    /// 2⁻³² become zero.
    pub fn from_real(real: f64) -> Option<Multiplier> {
        if !(0.0..1_073_741_824.0).contains(&real) {
            return None;
        }
        let (fraction, mut shift) = split(real);
        let mut value = (fraction * 2_147_483_648.0).round() as i64;
        if value == 1 << 31 {
            value /= 2;
            shift += 1;
        }
        if value == 0 || shift < -31 {
            return Some(Multiplier { value: 0, shift: 0 });
        }
        Some(Multiplier { value: value as i32, shift })
    }

    /// The factor `input · filter / output`, computed in `f64`. `None` as for `from_real`.
    pub fn from_scales(input: f32, filter: f32, output: f32) -> Option<Multiplier> {
        Multiplier::from_real(f64::from(input) * f64::from(filter) / f64::from(output))
    }

    /// `s` in the formula.
    pub fn right(self) -> u32 {
        self.shift.min(0).unsigned_abs()
    }

    /// The factor in the form of one floor.
    pub fn factor(self, ties: Ties) -> Factor {
        let s = self.right();
        let second = if s > 0 { 1 << (30 + s) } else { 0 };
        Factor {
            left: self.shift.max(0) as u32,
            value: self.value,
            rounding: (1 << 30) + second,
            shift: 31 + s,
            is_away: ties == Ties::Away && s > 0,
        }
    }

    /// Multiplies `x` by the factor.
    pub fn apply(self, x: i32, ties: Ties) -> i32 {
        self.factor(ties).apply(x)
    }
}

/// A factor in the form of one floor: `floor((x · 2^left · value + rounding − away) / 2^shift)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Factor {
    /// The left shift before the multiplication, up to 31. It wraps.
    pub left: u32,
    /// The value that is multiplied with; not negative.
    pub value: i32,
    /// The rounding term that is added to the product.
    pub rounding: i64,
    /// The right shift, up to 62.
    pub shift: u32,
    /// Whether 2³¹ is subtracted from products of negative numbers; the right shift is more than 31 then.
    pub is_away: bool,
}

impl Factor {
    /// The factor zero.
    pub const ZERO: Factor = Factor { left: 0, value: 0, rounding: 0, shift: 32, is_away: false };

    /// Multiplies `x` by the factor.
    pub fn apply(self, x: i32) -> i32 {
        self.apply_lane(x)
    }

    /// As [`apply`](Self::apply), always inlined, so that loops over it become vectors.
    #[inline(always)]
    pub fn apply_lane(&self, x: i32) -> i32 {
        let x = i64::from(x.wrapping_shl(self.left));
        let away = if self.is_away { 1 << 31 } else { 0 };
        ((x * i64::from(self.value) + self.rounding - (x & away)) >> self.shift) as i32
    }

    /// The factor as a real number, without rounding.
    pub fn real(self) -> f64 {
        f64::from(self.value) * 2f64.powi(self.left as i32 - self.shift as i32)
    }

    /// The exponent `n` if the factor is exactly `2^n` for all `x`.
    pub fn power_of_two(self) -> Option<u32> {
        let exact =
            self.value == 1 << 30 && self.left == 0 && !self.is_away && self.rounding < 1 << self.shift;
        (exact && self.shift <= 30).then(|| 30 - self.shift)
    }

    /// The same factor without a left shift: the right shift is `left` bits shorter. Valid for numbers whose left shift
    /// fits in 32 bits.
    pub fn without_left(self) -> Factor {
        if self.is_away || self.left > 30 || self.rounding & ((1 << self.left) - 1) != 0 {
            return self;
        }
        Factor { left: 0, rounding: self.rounding >> self.left, shift: self.shift - self.left, ..self }
    }
}

/// Splits `real = fraction · 2^exponent` with a fraction in [½, 1), or 0.
fn split(real: f64) -> (f64, i32) {
    if real == 0.0 {
        return (0.0, 0);
    }
    // Subnormal numbers are scaled to normal ones.
    let (real, moved) = if real < f64::MIN_POSITIVE { (real * 2f64.powi(64), 64) } else { (real, 0) };
    let bits = real.to_bits();
    let exponent = (bits >> 52) as i32 - 1022;
    (f64::from_bits(bits & !(0x7ff << 52) | 1022 << 52), exponent - moved)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Rounds twice, like gemmlowp.
    fn twice(x: i32, m: Multiplier, ties: Ties) -> i32 {
        let x = x.wrapping_mul(1i32 << m.shift.max(0));
        let product = i64::from(x) * i64::from(m.value);
        let nudge = if product >= 0 { 1 << 30 } else { 1 - (1 << 30) };
        let high = ((product + nudge) / (1 << 31)) as i32;
        let s = m.right();
        match ties {
            Ties::Up if s == 0 => high,
            Ties::Up => ((i64::from(high) + (1 << (s - 1))) >> s) as i32,
            Ties::Away => {
                let mask = ((1i64 << s) - 1) as i32;
                let threshold = (mask >> 1) + i32::from(high < 0);
                (high >> s) + i32::from((high & mask) > threshold)
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn one_floor_is_two_roundings(value in (1i32 << 30)..=i32::MAX, shift in -31i32..=30, seed: u64) {
            let m = Multiplier { value, shift };
            let mut state = seed | 1;
            for i in 0..500u32 {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                // Numbers of all magnitudes, which are ties for factors that are powers of one half.
                let x = (state >> 32) as i32 >> (i % 31);
                for ties in [Ties::Up, Ties::Away] {
                    prop_assert_eq!(m.apply(x, ties), twice(x, m, ties), "{} {:?} {:?}", x, m, ties);
                    let half = Multiplier { value: 1 << 30, shift: m.shift };
                    prop_assert_eq!(half.apply(x, ties), twice(x, half, ties), "{} {:?} {:?}", x, half, ties);
                }
            }
        }
    }

    #[test]
    fn multipliers_of_reals() {
        let cases = [
            (0.0, (0, 0)),
            (1.0, (1 << 30, 1)),
            (0.5, (1 << 30, 0)),
            (0.75, (3 << 29, 0)),
            (0.999_999_999_9, (1 << 30, 1)),
            (3.0, (3 << 29, 2)),
            (2f64.powi(-32), (1 << 30, -31)),
            (2f64.powi(-33), (0, 0)),
            (5e-324, (0, 0)),
        ];
        for (real, (value, shift)) in cases {
            assert_eq!(Multiplier::from_real(real), Some(Multiplier { value, shift }), "{real}");
        }
        for real in [-1.0, f64::NAN, f64::INFINITY, 2e9] {
            assert_eq!(Multiplier::from_real(real), None, "{real}");
        }
        assert_eq!(Multiplier::from_scales(0.5, 0.5, 1.0), Some(Multiplier { value: 1 << 30, shift: -1 }));
    }
}

//! HARD_SWISH of bytes, computed with 16 bits: `x` is scaled to 1/128 of a quantization step, and to a scale in which
//! 2¹⁵ represents 3.
//!
//! Defined by: tflite/kernels/internal/reference/hard_swish.h.

use arenite_base::Quant;

use super::Multiplier;

/// `value / 2¹⁵ · 2^exponent`.
#[derive(Clone, Copy, Debug)]
struct Multiplier15 {
    value: i16,
    exponent: i32,
}

/// The function for one pair of input and output quantization.
#[derive(Clone, Copy, Debug)]
pub struct HardSwish {
    zero_points: [i32; 2],
    /// The factor to the output's scale.
    output: Multiplier15,
    /// The factor to a third.
    third: Multiplier15,
}

impl HardSwish {
    /// `None` if a factor is too large.
    pub fn new(from: Quant, to: Quant) -> Option<HardSwish> {
        let fine = 1.0 / 128.0 * from.scale;
        let output = Multiplier15::new(Multiplier::from_real(f64::from(fine / to.scale))?);
        let third = Multiplier15::new(Multiplier::from_real(f64::from(fine / (3.0 / 32768.0)))?);
        (output.exponent <= 0).then_some(HardSwish {
            zero_points: [from.zero_point, to.zero_point],
            output,
            third,
        })
    }

    /// The result for `q`, not yet saturated.
    pub fn apply(&self, q: i32) -> i32 {
        let fine = ((q - self.zero_points[0]) as i16).wrapping_mul(1 << 7);
        let scaled = high_mul(fine, self.output.value);
        // The gate is between −1 and 1 and is mapped to 0 to 1.
        let gate = (i32::from(self.gate(fine)) + (1 << 15)) >> 1;
        let product = gate * i32::from(scaled) / (1 << 15);
        let product = product.min(i16::MAX.into());
        divide(product, self.output.exponent.unsigned_abs()).wrapping_add(self.zero_points[1])
    }

    /// `x / 3`, saturated. Of a left shift, the last bit is shifted after the multiplication.
    fn gate(&self, fine: i16) -> i16 {
        let Multiplier15 { value, exponent } = self.third;
        if exponent > 0 {
            let most = shift_left(fine, exponent.unsigned_abs() - 1);
            return shift_left(high_mul(most, value), 1);
        }
        divide(high_mul(fine, value).into(), exponent.unsigned_abs()) as i16
    }
}

impl Multiplier15 {
    fn new(m: Multiplier) -> Multiplier15 {
        let rounded = (i64::from(m.value) + (1 << 15)) >> 16;
        Multiplier15 { value: rounded.min(i16::MAX.into()) as i16, exponent: m.shift }
    }
}

fn shift_left(x: i16, amount: u32) -> i16 {
    (i64::from(x) << amount.min(32)).clamp(i16::MIN.into(), i16::MAX.into()) as i16
}

/// `a · b / 2¹⁵`, rounded to the nearest, with ties away from zero, except for negative products that are exact
/// otherwise.
fn high_mul(a: i16, b: i16) -> i16 {
    if (a, b) == (i16::MIN, i16::MIN) {
        return i16::MAX;
    }
    let product = i32::from(a) * i32::from(b);
    let nudge = if product >= 0 { 1 << 14 } else { 1 - (1 << 14) };
    ((product + nudge) / (1 << 15)) as i16
}

/// `x / 2^exponent`, with ties rounded away from zero.
fn divide(x: i32, exponent: u32) -> i32 {
    if exponent > 31 {
        return 0;
    }
    let half = (1i64 << exponent) >> 1;
    let up = i64::from(x) + half - i64::from(x < 0 && exponent > 0);
    (up >> exponent) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_real_function() {
        let (from, to) = (Quant { scale: 0.06, zero_point: 120 }, Quant { scale: 0.05, zero_point: 8 });
        let function = HardSwish::new(from, to).unwrap();
        for q in 0..256 {
            let x = (q - 120) as f32 * 0.06;
            let want = x * (x + 3.0).clamp(0.0, 6.0) / 6.0 / 0.05 + 8.0;
            assert!((function.apply(q) as f32 - want).abs() <= 1.0, "{q}: {} {want}", function.apply(q));
        }
        let wide = Quant { scale: 200.0, zero_point: 0 };
        assert!(HardSwish::new(wide, Quant { scale: 1.0, zero_point: 0 }).is_none());
    }

    #[test]
    fn divisions_round_away_from_zero() {
        for (x, exponent, want) in
            [(3, 1, 2), (-3, 1, -2), (5, 2, 1), (-5, 2, -1), (-6, 2, -2), (7, 0, 7), (-7, 0, -7)]
        {
            assert_eq!(divide(x, exponent), want, "{x} / 2^{exponent}");
        }
    }
}

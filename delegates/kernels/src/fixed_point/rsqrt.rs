//! `1 / √x` of integers in fixed point, with Newton's method.
//!
//! Defined by: `GetInvSqrtQuantizedMultiplierExp` in tflite/kernels/internal/quantization_util.cc, and
//! tflite/kernels/elementwise.cc, which uses 20 fractional bits.

use super::{Multiplier, Ties};

const FRACTION: i32 = 20;
/// Numbers have 28 fractional bits and are between −8 and 8.
const ONE: i32 = 1 << 28;

/// `factor / √x` for `x > 0`.
pub fn apply(x: i32, factor: Multiplier) -> i32 {
    let inverse = inverse_root(x);
    let inverse = scale(1, inverse.value, inverse.shift + FRACTION);
    scale(inverse, factor.value, factor.shift - FRACTION)
}

/// `x · value / 2³¹ · 2^shift` for any shift.
fn scale(x: i32, value: i32, shift: i32) -> i32 {
    if shift < -31 { 0 } else { Multiplier { value, shift }.apply(x, Ties::Away) }
}

/// `1 / √x` as a factor. For `x ≤ 1`, it is less than one by the last bit.
fn inverse_root(x: i32) -> Multiplier {
    if x <= 1 {
        return Multiplier { value: i32::MAX, shift: 0 };
    }
    // An even shift scales x to [2²⁷, 2²⁹).
    let (mut x, mut right) = (x, 11);
    while x >= 1 << 29 {
        x /= 4;
        right += 1;
    }
    let pairs = (x.leading_zeros() - 1) / 2 - 1;
    x <<= 2 * pairs;
    right -= pairs as i32;
    // y ← y · 3/2 − y³ · x/2: products lose three bits for each factor after the first.
    let half = halve(x >> 1);
    let mut y = ONE;
    for _ in 0..5 {
        let cube = raise(high_mul(high_mul(y, y), y), 6);
        y = raise(high_mul(ONE + ONE / 2, y).wrapping_sub(high_mul(half, cube)), 3);
    }
    let value = high_mul(y, 1_518_500_250);
    match right < 0 {
        true => Multiplier { value: value.wrapping_shl(right.unsigned_abs()), shift: 0 },
        false => Multiplier { value, shift: -right },
    }
}

/// `a · b / 2³¹`, rounded to the nearest.
fn high_mul(a: i32, b: i32) -> i32 {
    ((i64::from(a) * i64::from(b) + (1 << 30)) >> 31) as i32
}

fn raise(x: i32, bits: u32) -> i32 {
    (i64::from(x) << bits).clamp(i32::MIN.into(), i32::MAX.into()) as i32
}

/// `x / 2` for `x ≥ 0`, rounded up.
fn halve(x: i32) -> i32 {
    (x >> 1) + (x & 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_inverse_root() {
        for x in 1..300 {
            let m = inverse_root(x);
            let real = f64::from(m.value) / 2f64.powi(31) * 2f64.powi(m.shift);
            assert!((real * f64::from(x).sqrt() - 1.0).abs() < 1e-4, "{x}: {real}");
        }
        let factor = Multiplier::from_real(100.0).unwrap();
        for (x, want) in [(1, 100), (4, 50), (16, 25), (100, 10)] {
            assert_eq!(apply(x, factor), want, "{x}");
        }
    }
}

//! Inner products over contiguous slices. Integers wrap; the order of additions is unspecified.
//!
//! | | sum of 32 bits | sum of 64 bits |
//! |---|---|---|
//! | elements as stored in tensors, with zero points | [`dot`] | [`dot_i64`] |
//! | `a` of i16, minus its zero point already | [`dot_centered`] | [`dot_centered_i64`] |

use super::quantized::Quantized;

/// A quantized 8-bit weight, which can be centered on its zero point.
pub trait Weight: Copy {
    /// Returns `self − zero_point`, which fits i16 for every zero point of the type.
    fn centered(self, zero_point: i16) -> i16;
}

impl Weight for u8 {
    #[inline]
    fn centered(self, zero_point: i16) -> i16 {
        i16::from(self).wrapping_sub(zero_point)
    }
}

/// Signed weights are symmetric, so the zero point is 0 and ignored.
impl Weight for i8 {
    #[inline]
    fn centered(self, _zero_point: i16) -> i16 {
        i16::from(self)
    }
}

/// Products below this length are added in order.
pub const IN_ORDER: usize = 32;

/// Computes `Σ a × b` in f32: in order if there are few, else with eight partial sums.
#[allow(clippy::needless_range_loop)] // unrolled, also where code is small
#[inline]
pub fn dot_f32(a: &[f32], b: &[f32]) -> f32 {
    let b = b.get(..a.len()).unwrap_or_default();
    if a.len() < IN_ORDER {
        return few_f32(a, b);
    }
    let ((a, a_tail), (b, b_tail)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let tail = few_f32(a_tail, b_tail);
    let mut sums = [0f32; 8];
    for (a, b) in a.iter().zip(b) {
        for i in 0..8 {
            sums[i] += a[i] * b[i];
        }
    }
    sums.iter().sum::<f32>() + tail
}

/// Computes `Σ a × b` in order, as [`dot_f32`] does below [`IN_ORDER`].
#[allow(clippy::needless_range_loop)] // as above
#[inline(always)]
pub fn few_f32(a: &[f32], b: &[f32]) -> f32 {
    let ((a, a_tail), (b, b_tail)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let mut sum = 0.0;
    for (a, b) in a.iter().zip(b) {
        for i in 0..4 {
            sum += a[i] * b[i];
        }
    }
    a_tail.iter().zip(b_tail).fold(sum, |sum, (a, b)| sum + a * b)
}

/// Computes `Σ f(a, b)`, wrapping, four at a time.
#[allow(clippy::needless_range_loop)] // as above
#[inline]
fn sum_of<A: Copy, B: Copy>(a: &[A], b: &[B], f: impl Fn(A, B) -> i32) -> i32 {
    let b = b.get(..a.len()).unwrap_or_default();
    let ((a, a_tail), (b, b_tail)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let mut sum = 0i32;
    for (a, b) in a.iter().zip(b) {
        for i in 0..4 {
            sum = sum.wrapping_add(f(a[i], b[i]));
        }
    }
    a_tail.iter().zip(b_tail).fold(sum, |sum, (&a, &b)| sum.wrapping_add(f(a, b)))
}

/// Computes `Σ (x − x_zero) × (w − w_zero)`, wrapping.
#[inline]
pub fn dot<X: Quantized, W: Quantized>(x: &[X], x_zero: i32, w: &[W], w_zero: i32) -> i32 {
    let product = |x: i32, w: i32| x.wrapping_sub(x_zero).wrapping_mul(w.wrapping_sub(w_zero));
    sum_of(x, w, |x, w| product(x.into(), w.into()))
}

/// Like [`dot`], in 64 bits.
#[inline]
pub fn dot_i64<X: Quantized, W: Quantized>(x: &[X], x_zero: i32, w: &[W], w_zero: i32) -> i64 {
    x.iter().zip(w).fold(0i64, |sum, (&x, &w)| {
        let (x, w): (i32, i32) = (x.into(), w.into());
        let (x, w) = (i64::from(x) - i64::from(x_zero), i64::from(w) - i64::from(w_zero));
        sum.wrapping_add(x.wrapping_mul(w))
    })
}

/// Computes `Σ a × (b − zero_point)` in i32.
#[inline]
pub fn dot_centered<W: Weight>(a: &[i16], b: &[W], zero_point: i16) -> i32 {
    sum_of(a, b, |a, b| i32::from(a) * i32::from(b.centered(zero_point)))
}

/// Computes `Σ a × b` in i64.
#[inline]
pub fn dot_centered_i64(a: &[i16], b: &[i8]) -> i64 {
    // 256 products of 2^15 × 2^7 stay below 2^31.
    a.chunks(256).zip(b.chunks(256)).map(|(a, b)| i64::from(dot_centered(a, b, 0))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums() {
        for n in [0usize, 1, 7, 8, 9, 255, 256, 257, 600] {
            let a: Vec<i16> = (0..n).map(|i| (i as i16 * 31) % 200 - 100).collect();
            let b: Vec<i8> = (0..n).map(|i| (i as i8).wrapping_mul(7)).collect();
            let want: i64 = a.iter().zip(&b).map(|(&a, &b)| i64::from(a) * i64::from(b)).sum();
            assert_eq!(i64::from(dot_centered(&a, &b, 0)), want);
            assert_eq!(dot_centered_i64(&a, &b), want);
            let (a, b): (Vec<f32>, Vec<f32>) =
                (a.iter().map(|&a| f32::from(a)).collect(), b.iter().map(|&b| f32::from(b)).collect());
            assert_eq!(dot_f32(&a, &b), want as f32, "whole numbers below 2^24 add exactly");
        }
    }

    #[test]
    fn zero_points() {
        // (1 - 1)(-3 - 2) + (2 - 1)(4 - 2) + (255 - 1)(0 - 2)
        assert_eq!(dot::<u8, i8>(&[1, 2, 255], 1, &[-3, 4, 0], 2), -506);
        assert_eq!(dot_i64::<i16, i8>(&[i16::MIN, 1], 0, &[-128, 3], 0), 4_194_307);
        dot::<u8, u8>(&[255; 3], i32::MIN, &[255; 3], i32::MIN);
        dot_i64::<u8, u8>(&[255; 3], i32::MIN, &[255; 3], i32::MIN);
        assert_eq!(dot_f32(&[1.0, 2.0], &[0.5, -4.0]), -7.5);
    }

    #[test]
    fn extremes() {
        assert_eq!(dot_centered(&[-255, 255], &[255u8, 0], 128), -255 * 127 - 255 * 128);
        assert_eq!(dot_centered_i64(&[i16::MIN; 1024], &[i8::MIN; 1024]), 1024 << 22);
    }
}

//! Dynamic-range layers: float inputs quantized while the model runs, one scale per batch row.
//!
//! Defined by: tflite/kernels/internal/reference/portable_tensor_utils.cc (`SymmetricQuantizeFloats`,
//! `AsymmetricQuantizeFloats`).

use super::requantize::{round_f32, round_f64};

/// Whether rows get a zero point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symmetry {
    /// `[-127, 127]`, zero point 0.
    Symmetric,
    /// `[-128, 127]` with a zero point.
    Asymmetric,
}

/// Quantizes `row`; returns scale and zero point. A row of zeros has scale 1. NaN becomes 0.
pub fn quantize_row(row: &[f32], symmetry: Symmetry, to: &mut [i8]) -> (f32, i32) {
    match symmetry {
        Symmetry::Symmetric => (quantize_symmetric(row, to), 0),
        Symmetry::Asymmetric => quantize_asymmetric(row, to),
    }
}

fn quantize_symmetric(row: &[f32], to: &mut [i8]) -> f32 {
    let range = row.iter().fold(0f32, |range, x| range.max(x.abs()));
    if range == 0.0 {
        to.fill(0);
        return 1.0;
    }
    let inverse = 127.0 / range;
    for (q, x) in to.iter_mut().zip(row) {
        *q = (round_f32(x * inverse) as i32).clamp(-127, 127) as i8;
    }
    range / 127.0
}

/// The zero point that represents zero exactly, from the end of the range that gives the smaller error.
fn quantize_asymmetric(row: &[f32], to: &mut [i8]) -> (f32, i32) {
    let min = f64::from(row.iter().fold(0f32, |min, x| min.min(*x)));
    let max = f64::from(row.iter().fold(0f32, |max, x| max.max(*x)));
    if min == max {
        to.fill(0);
        return (1.0, 0);
    }
    let scale = (max - min) / 255.0;
    let (from_min, from_max) = (-128.0 - min / scale, 127.0 - max / scale);
    let (min_error, max_error) = (128.0 + (min / scale).abs(), 127.0 + (max / scale).abs());
    let zero_point = if min_error < max_error { from_min } else { from_max };
    let zero_point = round_f64(zero_point.clamp(-128.0, 127.0)) as i32;
    let scale = scale as f32;
    let inverse = 1.0 / scale;
    for (q, x) in to.iter_mut().zip(row) {
        *q = (round_f32(zero_point as f32 + x * inverse) as i32).clamp(-128, 127) as i8;
    }
    (scale, zero_point)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symmetric_rows() {
        let mut q = [9; 4];
        // 127 / 2 = 63.5 steps per unit; 0.5 -> 31.75 -> 32.
        assert_eq!(quantize_row(&[2.0, -1.0, 0.5, 0.0], Symmetry::Symmetric, &mut q), (2.0 / 127.0, 0));
        assert_eq!(q, [127, -64, 32, 0]);
        assert_eq!(quantize_row(&[0.0; 4], Symmetry::Symmetric, &mut q), (1.0, 0));
        assert_eq!(q, [0; 4]);
    }

    #[test]
    fn asymmetric_rows() {
        let mut q = [9; 3];
        // The range [0, 255] has scale 1 and zero point -128.
        assert_eq!(quantize_row(&[0.0, 255.0, 100.0], Symmetry::Asymmetric, &mut q), (1.0, -128));
        assert_eq!(q, [-128, 127, -28]);
        // The range [-51, 0]: scale 0.2, zero point 127.
        assert_eq!(quantize_row(&[-51.0, -1.0, 0.0], Symmetry::Asymmetric, &mut q), (0.2, 127));
        assert_eq!(q, [-128, 122, 127]);
        assert_eq!(quantize_row(&[0.0; 3], Symmetry::Asymmetric, &mut q), (1.0, 0));
        assert_eq!(q, [0; 3]);
    }

    #[test]
    fn hostile_rows() {
        let mut q = [9; 3];
        for symmetry in [Symmetry::Symmetric, Symmetry::Asymmetric] {
            quantize_row(&[f32::NAN, f32::INFINITY, f32::MIN], symmetry, &mut q);
            quantize_row(&[f32::NAN; 3], symmetry, &mut q);
            assert_eq!(q, [0; 3]);
            quantize_row(&[f32::MAX, f32::MIN, 1e-45], symmetry, &mut q);
            quantize_row(&[], symmetry, &mut []);
        }
    }
}

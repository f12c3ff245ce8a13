//! Dynamic-range layers: float inputs are quantized at run time, with one scale per batch row.
//!
//! Defined by: tflite/kernels/internal/optimized/neon_tensor_utils.cc (`NeonSymmetricQuantizeFloats`,
//! `NeonAsymmetricQuantizeFloats`), which x86-64 builds run as well.

use arenite_abi::prelude::*;

use super::requantize::{round_f32, round_f64};

plain! {
    /// Whether rows are quantized with a zero point.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Symmetry {
        /// `[-127, 127]`, zero point 0.
        Symmetric,
        /// `[-128, 127]` with a zero point.
        Asymmetric,
    }
}

/// Quantizes `row`, and returns the scale and the zero point. A row of zeros has scale 1. NaN becomes 0.
pub fn quantize_row(row: &[f32], symmetry: Symmetry, to: &mut [i8]) -> (f32, i32) {
    match symmetry {
        Symmetry::Symmetric => (quantize_symmetric(row, to), 0),
        Symmetry::Asymmetric => quantize_asymmetric(row, to),
    }
}

plain! {
    /// Scratch memory for rows that are quantized at run time.
    pub struct QuantizedScratch {
        length: usize,
        symmetry: Symmetry,
        elements: Scratch<i8>,
        scales: Scratch<f32>,
        zero_points: Scratch<i32>,
    }
}

impl QuantizedScratch {
    /// Declares scratch memory for `count` rows of `length` elements.
    ///
    /// # Errors
    /// The size overflows.
    pub fn prepare(
        cx: &mut PrepareContext<'_>,
        count: usize,
        length: usize,
        symmetry: Symmetry,
    ) -> Result<QuantizedScratch> {
        let count = if length == 0 { 0 } else { count };
        let size =
            count.checked_mul(length).ok_or_else(|| invalid!("{count} rows of {length} are too many"))?;
        Ok(QuantizedScratch {
            length,
            symmetry,
            elements: cx.scratch(size)?,
            scales: cx.scratch(count)?,
            zero_points: cx.scratch(count)?,
        })
    }

    /// Returns the scratch memory in `eval`; call this once per evaluation.
    ///
    /// # Errors
    /// The context does not provide the memory that `prepare` declared.
    pub fn begin<'a>(&self, cx: &EvalContext<'a>) -> Result<QuantizedRows<'a>> {
        Ok(QuantizedRows {
            length: self.length.max(1),
            symmetry: self.symmetry,
            elements: cx.scratch(&self.elements)?,
            scales: cx.scratch(&self.scales)?,
            zero_points: cx.scratch(&self.zero_points)?,
        })
    }
}

/// The scratch memory for quantized rows, and the rows that it holds.
pub struct QuantizedRows<'a> {
    length: usize,
    symmetry: Symmetry,
    elements: &'a mut [i8],
    scales: &'a mut [f32],
    zero_points: &'a mut [i32],
}

/// A quantized row; its elements represent `scale × (q − zero_point)`.
#[derive(Clone, Copy)]
pub struct QuantizedRow<'a> {
    /// The quantized elements.
    pub elements: &'a [i8],
    /// The scale of the row.
    pub scale: f32,
    /// The zero point of the row.
    pub zero_point: i32,
}

impl QuantizedRows<'_> {
    /// Quantizes the rows of `x`.
    pub fn quantize(&mut self, x: &[f32]) {
        let rows = x.chunks_exact(self.length).zip(self.elements.chunks_exact_mut(self.length));
        for ((x, to), (scale, zero)) in rows.zip(self.scales.iter_mut().zip(self.zero_points.iter_mut())) {
            (*scale, *zero) = quantize_row(x, self.symmetry, to);
        }
    }

    /// The quantized elements, row after row.
    pub fn elements(&self) -> &[i8] {
        self.elements
    }

    /// Row `i` of the rows that were quantized.
    #[inline]
    pub fn row(&self, i: usize) -> QuantizedRow<'_> {
        let elements = &self.elements[i * self.length..][..self.length];
        QuantizedRow { elements, scale: self.scales[i], zero_point: self.zero_points[i] }
    }

    /// Iterates over all quantized rows.
    pub fn iter(&self) -> impl Iterator<Item = QuantizedRow<'_>> {
        (0..self.scales.len()).map(|i| self.row(i))
    }
}

fn quantize_symmetric(row: &[f32], to: &mut [i8]) -> f32 {
    let range = row.iter().fold(0f32, |range, x| range.max(x.abs()));
    if range == 0.0 {
        to.fill(0);
        return 1.0;
    }
    let inverse = 127.0 / range;
    for_each_rounded(row, inverse, to, |steps| steps.clamp(-127, 127) as i8);
    range / 127.0
}

/// Uses the zero point that represents zero exactly, computed from the end of the range that gives the smaller error.
fn quantize_asymmetric(row: &[f32], to: &mut [i8]) -> (f32, i32) {
    let (min, max) = row.iter().fold((0f32, 0f32), |(min, max), &x| (min.min(x), max.max(x)));
    if min == max {
        to.fill(0);
        return (1.0, 0);
    }
    let scale = f64::from(max - min) / 255.0;
    let (min, max) = (f64::from(min) / scale, f64::from(max) / scale);
    let zero_point = if 128.0 + min.abs() < 127.0 + max.abs() { -128.0 - min } else { 127.0 - max };
    let zero_point = round_f64(zero_point.clamp(-128.0, 127.0)) as i32;
    let scale = scale as f32;
    let inverse = if scale == 0.0 { 0.0 } else { (1.0 / f64::from(scale)) as f32 };
    for_each_rounded(row, inverse, to, |steps| steps.saturating_add(zero_point).clamp(-128, 127) as i8);
    (scale, zero_point)
}

/// Computes `to = finish(x × factor)`, rounded to nearest, ties away from zero. Groups of eight elements are rounded by
/// adding a half and truncating, which rounds the largest number below a half up to one.
fn for_each_rounded(row: &[f32], factor: f32, to: &mut [i8], finish: impl Fn(i32) -> i8) {
    let eights = row.len() & !7;
    for (i, (to, x)) in to.iter_mut().zip(row).enumerate() {
        let steps = x * factor;
        let half = if steps < 0.0 { -0.5 } else { 0.5 };
        *to = finish(if i < eights { (steps + half) as i32 } else { round_f32(steps) as i32 });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symmetric_rows() {
        let mut q = [9; 4];
        // 127 / 2 = 63.5 steps per unit; 0.5 becomes 31.75, which is rounded to 32.
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
    fn ties_in_groups_and_after_them() {
        // With scale 1, the largest number below 0.5 becomes 1 in the first eight elements.
        let below = 0.5f32.next_down();
        let mut row = [below; 10];
        row[0] = 127.0;
        let mut q = [9; 10];
        quantize_row(&row, Symmetry::Symmetric, &mut q);
        assert_eq!(q, [127, 1, 1, 1, 1, 1, 1, 1, 0, 0]);
        // The zero point -28 is added after rounding: 1 - 28, where round(0.5 - 28) would be -28.
        (row[0], row[1]) = (155.0, -100.0);
        assert_eq!(quantize_row(&row, Symmetry::Asymmetric, &mut q), (1.0, -28));
        assert_eq!(q, [127, -128, -27, -27, -27, -27, -27, -27, -28, -28]);
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

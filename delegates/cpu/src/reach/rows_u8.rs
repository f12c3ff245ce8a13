//! Rows of `f32` that are quantized while the model runs, each with a separate scale.
//!
//! Defined by: tflite/kernels/internal/optimized/neon_tensor_utils.cc (`NeonSymmetricQuantizeFloats`,
//! `NeonAsymmetricQuantizeFloats`), which x86-64 builds run as well.

use arenite_abi::prelude::*;

use crate::kernels::u8_real::Reals;
use crate::memory::{Disjoint, LINE, Source, Target};
use crate::requantize::Bytes;
use crate::rescale::QuantizedRow;
use crate::step::{Grain, Run};

/// Elements of a part of a row: rows that are longer are quantized by several threads. A multiple of eight, as rounding
/// asks for.
const PART: usize = 1 << 13;
/// Multiply-adds of `f32` in the time of one element.
const COST: usize = 8;

/// Whether rows get a zero point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Symmetry {
    /// `[-127, 127]`, zero point 0.
    Symmetric,
    /// `[-128, 127]` with a zero point.
    Asymmetric,
}

/// Rows to quantize.
pub(crate) struct RowQuantizer {
    /// Kernels.
    pub reals: &'static Reals,
    /// How many.
    pub count: usize,
    /// Elements of a row.
    pub length: usize,
    /// How they are quantized.
    pub symmetry: Symmetry,
    /// Bytes of each row's zero point in addition to the row.
    pub outside: usize,
}

/// Quantized rows as unsigned bytes: 128 more than the signed ones.
#[derive(Clone, Copy)]
pub(crate) struct QuantizedRows<'r> {
    /// Row after row.
    pub bytes: Source<'r, u8>,
    /// The scale and zero point of each row.
    pub rows: Source<'r, QuantizedRow>,
    outside: Source<'r, u8>,
    outside_step: usize,
}

impl<'r> QuantizedRows<'r> {
    /// Bytes of a row's zero point.
    pub(crate) fn outside(&self, row: usize) -> Source<'r, u8> {
        self.outside.part(row * self.outside_step, self.outside_step)
    }
}

/// Where quantized rows are written.
struct Places<'r> {
    bytes: Disjoint<'r, u8>,
    rows: Disjoint<'r, QuantizedRow>,
    outside: Disjoint<'r, u8>,
}

/// The position of elements in the quantized rows.
#[derive(Clone, Copy)]
struct QuantizedAt {
    row: usize,
    /// The first element of the row.
    first: usize,
}

impl RowQuantizer {
    fn parts(&self) -> usize {
        self.length.div_ceil(PART).max(1)
    }

    fn outside_step(&self) -> usize {
        self.outside.next_multiple_of(LINE)
    }

    /// Bytes of scratch memory.
    pub(crate) fn scratch(&self) -> usize {
        let line = |bytes: usize| bytes.next_multiple_of(LINE);
        let ranges = line(self.count * self.parts() * size_of::<[f32; 2]>());
        line(self.count * size_of::<QuantizedRow>())
            + ranges
            + self.count * self.outside_step()
            + self.count * self.length
    }

    /// Quantizes the rows of `x`. `scratch` must have [`scratch`](Self::scratch) bytes.
    pub(crate) fn quantize<'r>(
        &self,
        cx: &Run<'_>,
        x: Source<'_, f32>,
        scratch: Target<'r, u8>,
    ) -> Result<QuantizedRows<'r>> {
        let (rows, rest) = scratch.take(self.count);
        let (ranges, rest) = rest.take::<[f32; 2]>(self.count * self.parts());
        let (outside, rest) = rest.take::<u8>(self.count * self.outside_step());
        let (bytes, _) = rest.take::<u8>(self.count * self.length);
        let to = Places { bytes: bytes.share(), rows: rows.share(), outside: outside.share() };
        let grain = Grain::of_cost(self.length.min(PART) * COST);
        if self.parts() == 1 {
            cx.parallel_for(self.count, grain, |range| {
                for row in range {
                    let x = x.part(row * self.length, self.length);
                    // SAFETY: each row is one thread's.
                    unsafe {
                        let factor = self.begin(&to, row, self.reals.range_of(x));
                        self.part(&to, QuantizedAt { row, first: 0 }, factor, x);
                    }
                }
            })?;
        } else {
            self.by_parts(cx, x, ranges, &to, grain)?;
        }
        let outside_step = self.outside_step();
        // SAFETY: all threads have finished, so the quantized rows are not written any more.
        let (bytes, rows, outside) = unsafe { (to.bytes.written(), to.rows.written(), to.outside.written()) };
        Ok(QuantizedRows { bytes, rows, outside, outside_step })
    }

    /// Rows that are cut into parts. The ranges of all parts are found first; then `ranges` have the steps per unit.
    fn by_parts(
        &self,
        cx: &Run<'_>,
        x: Source<'_, f32>,
        mut ranges: Target<'_, [f32; 2]>,
        to: &Places<'_>,
        grain: Grain,
    ) -> Result<()> {
        let parts = self.parts();
        let count = self.count * parts;
        let cut = |item: usize| {
            let (row, first) = (item / parts, item % parts * PART);
            (QuantizedAt { row, first }, x.part(row * self.length + first, PART.min(self.length - first)))
        };
        cx.parallel_parts(ranges.part(0, count), 1, grain, |items, mut ranges| {
            for (i, item) in items.enumerate() {
                ranges.set(i, self.reals.range_of(cut(item).1));
            }
        })?;
        for row in 0..self.count {
            let mut ranges = ranges.part(row * parts, parts);
            let all = ranges
                .written()
                .iter()
                .fold([0f32; 2], |all, part| [all[0].min(part[0]), all[1].max(part[1])]);
            // SAFETY: no other thread is at work.
            ranges.fill([unsafe { self.begin(to, row, all) }; 2]);
        }
        let factors = ranges.written();
        cx.parallel_for(count, grain, |range| {
            for item in range {
                let (at, x) = cut(item);
                // SAFETY: each part of a row is one thread's, and no thread begins rows any more.
                unsafe { self.part(to, at, factors.get(item)[0], x) };
            }
        })
    }

    /// Chooses scale and zero point of a row; returns the steps per unit.
    ///
    /// # Safety
    /// No other thread may access the row's scale and zero points.
    unsafe fn begin(&self, to: &Places<'_>, row: usize, range: [f32; 2]) -> f32 {
        let (meaning, factor) = meaning(range, self.symmetry);
        // SAFETY: the row's own, which are the caller's.
        unsafe {
            to.rows.part(row, 1).set(0, meaning);
            to.outside.part(row * self.outside_step(), self.outside).fill(meaning.zero_point as u8);
        }
        factor
    }

    /// Quantizes the elements `x` of a row, which start at `first`.
    ///
    /// # Safety
    /// The row's scale must be written, and no other thread may access these bytes.
    unsafe fn part(
        &self,
        to: &Places<'_>,
        QuantizedAt { row, first }: QuantizedAt,
        factor: f32,
        x: Source<'_, f32>,
    ) {
        // SAFETY: the row's scale was written before and is not written again, as the caller guarantees.
        let zero_point = unsafe { to.rows.written() }.get(row).zero_point;
        let low = if self.symmetry == Symmetry::Symmetric { 1 } else { 0 };
        // SAFETY: the caller's bytes of the row.
        let mut y = unsafe { to.bytes.part(row * self.length + first, x.len()) };
        self.reals.quantized_away(x, factor, Bytes { zero_point, low, high: 255, flip: 0 }, &mut y);
    }
}

/// Scale and zero point of a row with this range, and its steps per unit. A row of zeros has scale 1.
fn meaning([min, max]: [f32; 2], symmetry: Symmetry) -> (QuantizedRow, f32) {
    let range = max.max(-min);
    if range == 0.0 {
        return (QuantizedRow { zero_point: 128, scale: 1.0 }, 0.0);
    }
    if symmetry == Symmetry::Symmetric {
        return (QuantizedRow { zero_point: 128, scale: range / 127.0 }, 127.0 / range);
    }
    // The zero point represents zero exactly, from the end of the range that gives the smaller error.
    let scale = f64::from(max - min) / 255.0;
    let (min, max) = (f64::from(min) / scale, f64::from(max) / scale);
    let zero_point = if 128.0 + min.abs() < 127.0 + max.abs() { -128.0 - min } else { 127.0 - max };
    let zero_point = zero_point.clamp(-128.0, 127.0).round() as i32 + 128;
    let scale = scale as f32;
    let factor = if scale == 0.0 { 0.0 } else { (1.0 / f64::from(scale)) as f32 };
    (QuantizedRow { zero_point, scale }, factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meanings() {
        let row = |zero_point, scale| QuantizedRow { zero_point, scale };
        for symmetry in [Symmetry::Symmetric, Symmetry::Asymmetric] {
            assert_eq!(meaning([0.0, 0.0], symmetry), (row(128, 1.0), 0.0), "zeros");
            assert_eq!(meaning([f32::NEG_INFINITY, f32::INFINITY], symmetry).1, 0.0, "no number is left");
        }
        assert_eq!(meaning([-1.0, 2.0], Symmetry::Symmetric), (row(128, 2.0 / 127.0), 63.5));
        assert_eq!(meaning([0.0, 255.0], Symmetry::Asymmetric), (row(0, 1.0), 1.0));
        assert_eq!(meaning([-51.0, 0.0], Symmetry::Asymmetric), (row(255, 0.2), 5.0));
    }
}

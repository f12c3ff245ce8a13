//! Rows of `f32` that are quantized while the model runs, each with a scale of its own.
//!
//! Defined by: tflite/kernels/internal/optimized/neon_tensor_utils.cc (`NeonSymmetricQuantizeFloats`, `NeonAsymmetricQuantizeFloats`),
//! which x86-64 builds run as well.

use arenite_abi::prelude::*;

use crate::kernels::u8_real::Reals;
use crate::memory::Shared;
use crate::program::Run;
use crate::requantize::Bytes;
use crate::rescale::QuantizedRow;

/// Elements of a part of a row: rows that are longer are quantized by several threads. A multiple of eight, as rounding asks for.
const PART: usize = 1 << 13;
/// Multiply-adds of `f32` in the time of one element.
const COST: usize = 8;

/// Whether rows get a zero point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symmetry {
    /// `[-127, 127]`, zero point 0.
    Symmetric,
    /// `[-128, 127]` with a zero point.
    Asymmetric,
}

/// Rows to be quantized.
pub struct Rows {
    /// Kernels.
    pub reals: &'static Reals,
    /// How many.
    pub count: usize,
    /// Elements of a row.
    pub length: usize,
    /// How they are quantized.
    pub symmetry: Symmetry,
    /// Bytes of each row's zero point that are wanted besides.
    pub outside: usize,
}

/// Quantized rows, as unsigned bytes: those of signed ones plus 128.
#[derive(Clone, Copy)]
pub struct Quantized {
    /// Row after row.
    pub bytes: Shared<u8>,
    /// What they mean.
    pub rows: Shared<QuantizedRow>,
    outside: Shared<u8>,
    outside_step: usize,
}

impl Quantized {
    /// Bytes of a row's zero point.
    pub fn outside(&self, row: usize) -> *const u8 {
        self.outside.get().wrapping_add(row * self.outside_step)
    }
}

/// Where things lie in scratch memory.
struct Places {
    parts: usize,
    outside: usize,
    bytes: usize,
    end: usize,
}

impl Rows {
    fn parts(&self) -> usize {
        self.length.div_ceil(PART).max(1)
    }

    fn outside_step(&self) -> usize {
        self.outside.next_multiple_of(64)
    }

    fn places(&self) -> Places {
        let line = |bytes: usize| bytes.next_multiple_of(64);
        let parts = line(self.count * size_of::<QuantizedRow>());
        let outside = parts + line(self.count * self.parts() * size_of::<[f32; 2]>());
        let bytes = outside + self.count * self.outside_step();
        Places { parts, outside, bytes, end: bytes + self.count * self.length }
    }

    /// Bytes of scratch memory.
    pub fn scratch(&self) -> usize {
        self.places().end
    }

    /// Quantizes the rows of `x`.
    ///
    /// # Safety
    /// `x` has all rows, and `scratch` the room that they take, at a multiple of 64.
    pub unsafe fn quantize(&self, cx: &Run<'_>, x: Shared<f32>, scratch: Shared<u8>) -> Result<Quantized> {
        let at = self.places();
        let part_of = |offset: usize| Shared::new(scratch.get().wrapping_add(offset));
        let found = Quantized {
            rows: Shared::new(scratch.get().cast()),
            outside: part_of(at.outside),
            outside_step: self.outside_step(),
            bytes: part_of(at.bytes),
        };
        let parts = self.parts();
        // SAFETY: all ranges are inside the rows and the scratch memory; each item writes what is its own.
        unsafe {
            if parts == 1 {
                cx.parallel_for(self.count, super::grain(self.length * COST), |range| {
                    for row in range {
                        let from = x.get().add(row * self.length).cast_const();
                        let range = (self.reals.range)(self.length, from);
                        let factor = self.begin(&found, row, range);
                        self.part(&found, row, factor, (from, 0, self.length));
                    }
                })?;
                return Ok(found);
            }
            let ranges = Shared::new(scratch.get().add(at.parts).cast::<[f32; 2]>());
            let cut = |item: usize| {
                let (row, part) = (item / parts, item % parts);
                let first = part * PART;
                (
                    row,
                    (
                        x.get().add(row * self.length + first).cast_const(),
                        first,
                        PART.min(self.length - first),
                    ),
                )
            };
            let grain = super::grain(PART * COST);
            cx.parallel_for(self.count * parts, grain, |range| {
                for item in range {
                    let (_, (from, _, n)) = cut(item);
                    *ranges.get().add(item) = (self.reals.range)(n, from);
                }
            })?;
            for row in 0..self.count {
                let ranges = std::slice::from_raw_parts_mut(ranges.get().add(row * parts), parts);
                let all =
                    ranges.iter().fold([0f32; 2], |all, part| [all[0].min(part[0]), all[1].max(part[1])]);
                ranges.fill([self.begin(&found, row, all); 2]);
            }
            cx.parallel_for(self.count * parts, grain, |range| {
                for item in range {
                    let (row, part) = cut(item);
                    self.part(&found, row, (*ranges.get().add(item))[0], part);
                }
            })?;
        }
        Ok(found)
    }

    /// Decides what a row's bytes mean; gives the steps per unit.
    ///
    /// # Safety
    /// `found` has room for the row, which is this thread's.
    unsafe fn begin(&self, found: &Quantized, row: usize, range: [f32; 2]) -> f32 {
        let (meaning, factor) = meaning(range, self.symmetry);
        // SAFETY: the place of this row's meaning, and of its own zero points, is in the scratch memory that `found` lies in.
        unsafe {
            *found.rows.get().add(row) = meaning;
            let outside = found.outside.get().add(row * self.outside_step());
            outside.write_bytes(meaning.zero_point as u8, self.outside);
        }
        factor
    }

    /// Quantizes `n` elements, which begin `first` elements behind the begin of a row.
    ///
    /// # Safety
    /// They are readable, and `found` has room for the row.
    unsafe fn part(
        &self,
        found: &Quantized,
        row: usize,
        factor: f32,
        (from, first, n): (*const f32, usize, usize),
    ) {
        // SAFETY: the row's meaning was written before; `n` bytes of the row from `first` on are this call's.
        unsafe {
            let zero_point = (*found.rows.get().add(row)).zero_point;
            let low = if self.symmetry == Symmetry::Symmetric { 1 } else { 0 };
            let to = found.bytes.get().add(row * self.length + first);
            (self.reals.quantize_away)(n, from, factor, Bytes { zero_point, low, high: 255 }, to);
        }
    }
}

/// What the bytes of a row with this range mean, and how many steps a unit has. A row of zeros has scale 1.
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

//! Bytes and other numbers: from reals, to reals, and from sums.

mod body;

use crate::isa::Isa;
use crate::requantize::Bytes;
use crate::simd::*;

/// Sums to become bytes.
#[derive(Clone, Copy)]
pub struct Sums {
    /// How many.
    pub n: usize,
    /// The sums.
    pub x: *const i32,
    /// Blocks of channels.
    pub table: *const i64,
    /// Words from one block to the next; 0 if all sums are scaled by the first, whose channels are alike.
    pub step: usize,
    /// Whether they need the general way of scaling.
    pub is_general: bool,
    /// What results become.
    pub bytes: Bytes,
}

/// How numbers are rounded that are not negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halves {
    /// To the nearest, halves up.
    Up,
    /// Half is added in `f32`, which rounds, and the fraction cut off: the largest number below a half becomes 1.
    Added,
}

/// The family on one instruction set. All its functions are unsafe to call: the machine has the instructions, sources are readable and
/// targets writable for `n` elements.
#[non_exhaustive]
pub struct Reals {
    /// As in `u8_real__avx512`.
    pub name: &'static str,
    /// The features that it needs.
    pub isa: Isa,
    /// Lanes of a block.
    pub lanes: usize,
    /// `y[i] = round(x[i] · factor) + zero point`, ties to even, saturated: `(n, x, factor, zero point, y)`. NaN counts as 0.
    pub quantize: unsafe fn(usize, *const f32, f32, i32, *mut u8),
    /// `y[i] = (x[i] − zero point) · factor + offset`, rounded twice: `(n, x, zero point, factor, offset, y)`.
    pub dequantize: unsafe fn(usize, *const u8, i32, f32, f32, *mut f32),
    /// `y[i] = round(x[i] · factor)` of numbers that are not negative, saturated: `(n, x, factor, halves, y)`.
    pub quantize_positive: unsafe fn(usize, *const f32, f32, Halves, *mut u8),
    /// Scaled sums.
    pub requantize: unsafe fn(&Sums, *mut u8),
    /// The smallest and the largest of `x`, but for NaN, and of 0: `(n, x)`.
    pub range: unsafe fn(usize, *const f32) -> [f32; 2],
    /// `y[i] = clamp(round(x[i] · factor) + zero point)`: `(n, x, factor, bytes, y)`. NaN counts as 0. Halves go away from zero: in whole
    /// eights half is added in `f32` and the fraction cut off ([`Halves::Added`]), what is left over is rounded to the nearest.
    pub quantize_away: unsafe fn(usize, *const f32, f32, Bytes, *mut u8),
}

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty) => {
        Reals {
            name: $name,
            isa: $isa,
            lanes: <$t>::LANES,
            quantize,
            dequantize,
            quantize_positive,
            requantize,
            range,
            quantize_away,
        }
    };
}

family! {
    Reals: "u8_real" {
        fn quantize(n: usize, x: *const f32, factor: f32, zero_point: i32, y: *mut u8);
        fn dequantize(n: usize, x: *const u8, zero_point: i32, factor: f32, offset: f32, y: *mut f32);
        fn quantize_positive(n: usize, x: *const f32, factor: f32, halves: Halves, y: *mut u8);
        fn requantize(sums: &Sums, y: *mut u8);
        fn range(n: usize, x: *const f32) -> [f32; 2];
        fn quantize_away(n: usize, x: *const f32, factor: f32, bytes: Bytes, y: *mut u8);
    }
    vectors
}
member_of_table!(Reals);

#[cfg(test)]
mod tests;

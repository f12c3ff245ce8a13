//! Conversions to bytes from real numbers and from sums, and from bytes to real numbers.

mod body;

use crate::isa::Isa;
use crate::requantize::Bytes;
use crate::simd::*;

/// Sums to convert to bytes.
#[derive(Clone, Copy)]
pub struct Sums {
    /// The number of sums.
    pub n: usize,
    /// The sums.
    pub x: *const i32,
    /// The blocks of channels.
    pub table: *const i64,
    /// The distance between blocks in words; 0 if all sums are scaled by the first block, whose channels are equal.
    pub step: usize,
    /// Whether a channel rounds away from zero or shifts to the left.
    pub is_general: bool,
    /// The output range.
    pub bytes: Bytes,
}

/// How bytes become reals: `((x ^ flip) − zero point) · factor + offset`, rounded twice.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// 0x80 for signed bytes, which are then 128 larger.
    pub flip: u8,
    /// Subtracted.
    pub zero_point: i32,
    /// Multiplied with.
    pub factor: f32,
    /// Added.
    pub offset: f32,
}

/// How numbers that are not negative are rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halves {
    /// To the nearest, with halves up.
    Up,
    /// A half is added in `f32`, which rounds, and the result truncated: the largest number below one half becomes 1.
    Added,
}

/// The family for one instruction set. All its functions are unsafe to call: the machine must have the instructions,
/// sources must be readable and targets writable for `n` elements.
#[non_exhaustive]
pub struct Reals {
    /// The name, such as `u8_real__avx512`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    /// The number of lanes of a block.
    pub lanes: usize,
    /// `y[i] = clamp(round(x[i] · factor) + zero point) ^ flip`, with ties to even: `(n, x, factor, bytes, y)`. NaN
    /// becomes 0 before the zero point is added.
    pub quantize: unsafe fn(usize, *const f32, f32, &Bytes, *mut u8),
    /// Reals of bytes: `(n, x, scale, y)`.
    pub dequantize: unsafe fn(usize, *const u8, &Scale, *mut f32),
    /// `y[i] = round(x[i] · factor)` for numbers that are not negative, saturated: `(n, x, factor, halves, y)`.
    pub quantize_positive: unsafe fn(usize, *const f32, f32, Halves, *mut u8),
    /// Scales sums and converts them to bytes: `(sums, y)`.
    pub requantize: unsafe fn(&Sums, *mut u8),
    /// The minimum and maximum of `x` and 0, ignoring NaN: `(n, x)`.
    pub range: unsafe fn(usize, *const f32) -> [f32; 2],
    /// `y[i] = clamp(round(x[i] · factor) + zero point)`: `(n, x, factor, bytes, y)`. NaN becomes 0. Halves are rounded
    /// away from zero: in complete groups of eight, a half is added in `f32` and the result truncated
    /// ([`Halves::Added`]); the rest is rounded to the nearest.
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
        fn quantize(n: usize, x: *const f32, factor: f32, bytes: &Bytes, y: *mut u8);
        fn dequantize(n: usize, x: *const u8, scale: &Scale, y: *mut f32);
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

//! Bytes and other numbers: from reals, to reals, and from sums.

mod body;

use crate::isa::Isa;
use crate::requantize::Bytes;

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
pub struct Reals {
    /// As in `u8_real__avx512`.
    pub name: &'static str,
    /// The instructions it needs.
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

impl Reals {
    /// The best member on this machine, up to `isa`.
    pub fn select(isa: Isa) -> &'static Reals {
        TABLE.iter().rfind(|reals| reals.isa <= isa && reals.isa.is_available()).unwrap_or(&TABLE[0])
    }
}

macro_rules! member {
    ($module:ident, $name:literal, $isa:ident, $simd:ident $(, $features:literal)?) => {
        mod $module {
            use super::*;
            use crate::simd::{$simd as S, Simd};

            $(#[target_feature(enable = $features)])?
            unsafe fn quantize(n: usize, x: *const f32, factor: f32, zero_point: i32, y: *mut u8) {
                // SAFETY: the caller's promise.
                unsafe { body::quantize::<S>(S::new(), n, x, factor, zero_point, y) }
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn dequantize(n: usize, x: *const u8, zero_point: i32, factor: f32, offset: f32, y: *mut f32) {
                // SAFETY: the caller's promise.
                unsafe { body::dequantize::<S>(S::new(), n, x, zero_point, factor, offset, y) }
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn quantize_positive(n: usize, x: *const f32, factor: f32, halves: Halves, y: *mut u8) {
                // SAFETY: the caller's promise.
                unsafe { body::quantize_positive::<S>(S::new(), n, x, factor, halves, y) }
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn requantize(sums: &Sums, y: *mut u8) {
                // SAFETY: the caller's promise.
                unsafe { body::requantize::<S>(S::new(), sums, y) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn range(n: usize, x: *const f32) -> [f32; 2] {
                // SAFETY: the caller's promise.
                unsafe { body::range::<S>(S::new(), n, x) }
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn quantize_away(n: usize, x: *const f32, factor: f32, bytes: Bytes, y: *mut u8) {
                // SAFETY: the caller's promise.
                unsafe { body::quantize_away::<S>(S::new(), n, x, factor, bytes, y) }
            }

            pub(super) const MEMBER: Reals = Reals {
                name: $name,
                isa: Isa::$isa,
                lanes: S::LANES,
                quantize,
                dequantize,
                quantize_positive,
                requantize,
                range,
                quantize_away,
            };
        }
    };
}

member!(scalar, "u8_real__scalar", Scalar, Scalar);
#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
member!(avx2, "u8_real__avx2", Avx2, Avx2, "avx2,fma");
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
member!(avx512, "u8_real__avx512", Avx512, Avx512, "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma");
#[cfg(all(target_arch = "aarch64", feature = "neon"))]
member!(neon, "u8_real__neon", Neon, Neon, "neon");

/// All members of the family, the slowest first.
pub static TABLE: &[Reals] = &[
    scalar::MEMBER,
    #[cfg(all(target_arch = "x86_64", feature = "avx2"))]
    avx2::MEMBER,
    #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
    avx512::MEMBER,
    #[cfg(all(target_arch = "aarch64", feature = "neon"))]
    neon::MEMBER,
];

#[cfg(test)]
mod tests;

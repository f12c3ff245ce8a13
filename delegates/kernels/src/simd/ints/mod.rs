//! Vectors of `i32`, as many lanes as the instruction set has of `f32`, and their way from and to bytes.

/// Blocks of channels stay where they are: for few or short registers.
macro_rules! channels_in_memory {
    () => {
        type Channels = crate::simd::ints::InMemory;

        #[inline(always)]
        unsafe fn channels(self, block: *const i64) -> Self::Channels {
            crate::simd::ints::InMemory(block)
        }
        #[inline(always)]
        fn add_bias(self, x: Self::I, block: Self::Channels) -> Self::I {
            // SAFETY: the block is still there, as whoever called `channels` said; its first row are the biases.
            self.add_i32(x, unsafe { self.load_i32(block.0.add(crate::requantize::BIAS).cast()) })
        }
        #[inline(always)]
        fn scale_by<const L: bool, const A: bool>(self, x: Self::I, block: Self::Channels) -> Self::I {
            // SAFETY: `self` proves the instructions; the block is still there, as whoever called `channels` said.
            unsafe { self.requantize::<L, A>(x, block.0) }
        }
    };
}

/// A block that is read where it is. Whoever makes one promises that it stays there.
#[derive(Clone, Copy)]
pub struct InMemory(*const i64);

mod scalar;

#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
mod avx2;
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
mod avx512;
#[cfg(all(target_arch = "aarch64", feature = "neon"))]
mod neon;

use super::Simd;
use crate::requantize::Bytes;

const _: () = assert!(crate::requantize::BIAS == 0);

/// What reals are limited to before they become integers.
const MOST: f32 = 1_073_741_824.0;

/// Arithmetic on vectors of `i32`; it wraps.
///
/// # Safety
/// That of [`Simd`].
pub unsafe trait Ints: Simd {
    /// A vector.
    type I: Copy;
    /// A block of channels, as much of it in registers as is worth it.
    type Channels: Copy;
    /// A vector of `4 · LANES` bytes. What is said of quarters holds for each 16 bytes of it.
    type B: Copy;

    /// All lanes `x`.
    fn splat_i32(self, x: i32) -> Self::I;
    /// # Safety
    /// `LANES` values are readable.
    unsafe fn load_i32(self, p: *const i32) -> Self::I;
    /// `a + b`.
    fn add_i32(self, a: Self::I, b: Self::I) -> Self::I;
    /// `a − b`.
    fn sub_i32(self, a: Self::I, b: Self::I) -> Self::I;
    /// `a · b`.
    fn mul_i32(self, a: Self::I, b: Self::I) -> Self::I;
    /// `a − 1` in lanes where `x` is below `middle`, else `a`.
    fn decrement_below(self, a: Self::I, x: Self::I, middle: i32) -> Self::I;
    /// `a − b` in lanes where `x` is below `middle`, else `a`.
    fn sub_below(self, a: Self::I, b: Self::I, x: Self::I, middle: i32) -> Self::I;
    /// `min(max(a, low), high)`.
    fn clamp_i32(self, a: Self::I, low: i32, high: i32) -> Self::I;
    /// `a · 2^n`.
    fn shift_left(self, a: Self::I, n: u32) -> Self::I;
    /// `⌊a / 2^n⌋`, for `n < 32`.
    fn shift_right(self, a: Self::I, n: u32) -> Self::I;
    /// As `f32`.
    fn real(self, x: Self::I) -> Self::V;
    /// The integer next to `x`, the even one of two; beyond ±2³⁰ those, and 0 of NaN.
    fn round_i32(self, x: Self::V) -> Self::I;
    /// # Safety
    /// `LANES` bytes are readable.
    unsafe fn widen(self, p: *const u8) -> Self::I;

    /// # Safety
    /// `block` is a block for `LANES` lanes, now and when the value is used.
    unsafe fn channels(self, block: *const i64) -> Self::Channels;
    /// Lanes plus the biases.
    fn add_bias(self, x: Self::I, channels: Self::Channels) -> Self::I;
    /// Lanes times the multipliers, rounded; `L` if one shifts to the left, `A` if one rounds away from zero.
    fn scale_by<const L: bool, const A: bool>(self, x: Self::I, channels: Self::Channels) -> Self::I;
    /// As [`scale_by`](Self::scale_by), of a block that is used once.
    ///
    /// # Safety
    /// `block` is a block for `LANES` lanes.
    unsafe fn requantize<const L: bool, const A: bool>(self, x: Self::I, block: *const i64) -> Self::I;

    /// Writes `clamp(x + zero point)` of the first `n` of `V` vectors' lanes. Sums saturate.
    ///
    /// # Safety
    /// `n ≤ V · LANES` bytes are writable.
    unsafe fn narrow<const V: usize>(self, x: &[Self::I; V], bytes: &Bytes, c: *mut u8, n: usize);

    /// `P` runs of `4 · LANES / P` bytes, one after the other, the first `n` of each from memory, the others any.
    ///
    /// # Safety
    /// `n` bytes are readable at `p`, `p + step`, ….
    unsafe fn load_runs<const P: usize>(self, p: *const u8, step: usize, n: usize) -> Self::B;
    /// Writes the first `n` bytes of the first `count` of `P` runs.
    ///
    /// # Safety
    /// `n` bytes are writable at `p`, `p + step`, ….
    unsafe fn store_runs<const P: usize>(self, p: *mut u8, step: usize, n: usize, count: usize, b: Self::B);
    /// # Safety
    /// `4 · LANES` bytes are writable.
    unsafe fn store_bytes(self, p: *mut u8, b: Self::B);
    /// The larger bytes.
    fn largest_bytes(self, a: Self::B, b: Self::B) -> Self::B;
    /// `min(max(b, low), high)`.
    fn clamp_bytes(self, b: Self::B, low: u8, high: u8) -> Self::B;
    /// `b ^ 0x80`: 128 less, as signed bytes.
    fn flip_bytes(self, b: Self::B) -> Self::B;
    /// Brings bytes of the same number side by side: vector `q` of the result has in each quarter those of bytes `4q‥4q + 3`
    /// of the operands' quarters, four by four.
    fn interleave(self, rows: [Self::B; 4]) -> [Self::B; 4];
    /// `clamp(x + zero point)` of lanes that lie as [`interleave`](Self::interleave) leaves them, in the order of its operands' bytes.
    fn narrow_interleaved(self, x: [Self::I; 4], bytes: &Bytes) -> Self::B;
    /// Lanes that lie as [`interleave`](Self::interleave) leaves them, in the order of its operands' bytes: those of the first
    /// `LANES` bytes in the first vector, and so on.
    #[inline(always)]
    fn in_order(self, x: [Self::V; 4]) -> [Self::V; 4] {
        const { assert!(Self::LANES == 4, "vectors of one quarter are in order, others are not") };
        x
    }
}

/// The byte of a vector that lane `d` of vector `q` of an interleaved one belongs to.
pub const fn interleaved(q: usize, d: usize) -> usize {
    16 * (d / 4) + 4 * q + d % 4
}

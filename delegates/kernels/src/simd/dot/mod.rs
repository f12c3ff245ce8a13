//! Sums of products of groups of four bytes: unsigned bytes with signed weights. Or of two words instead of four bytes.

#[cfg(all(target_arch = "aarch64", feature = "neon"))]
use core::arch::aarch64::*;

use super::{Ints, Simd};

mod scalar;
mod sub_byte;
pub use scalar::{ScalarDot, ScalarWords};
pub use sub_byte::SubByte;

#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
mod avx2;
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
mod avx512;
#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
pub use avx2::Avx2Dot;
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
pub use avx512::Avx512Dot;

#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
mod groups;
#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
mod together;
#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
mod widened;
#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
pub use {groups::*, widened::*};

#[cfg(all(target_arch = "aarch64", feature = "neon"))]
mod neon;
#[cfg(all(target_arch = "aarch64", feature = "neon"))]
mod neondot;
#[cfg(all(target_arch = "aarch64", feature = "neon"))]
mod neoni8mm;
#[cfg(all(target_arch = "aarch64", feature = "neon"))]
pub use {neon::NeonBytes, neondot::NeonDot, neoni8mm::NeonI8mm};

/// Dot products of four bytes per lane.
///
/// # Safety
/// A value of the type may only exist if the machine has the instructions.
pub unsafe trait Dot: Copy + 'static {
    /// The vectors of sums.
    type S: Ints;
    /// The number of sums in a vector.
    const LANES: usize = <Self::S as Simd>::LANES;
    /// Four bytes per lane, less the offset.
    type A: Copy;
    /// Four weights per lane.
    type W: Copy;
    /// The size of the weights for one vector in bytes: 4 per lane, or 8 if they are words.
    const WEIGHTS: usize;
    /// The number that is subtracted from unsigned bytes before the multiplication: 128 if the instructions multiply
    /// only signed bytes, otherwise 0. The kernel adds `OFFSET · Σ w` to the initial sums.
    const OFFSET: u8;
    /// Packed panels start with the sums of their columns times this number; 0 if they have no such start.
    const STARTS: u8 = Self::OFFSET;
    /// Whether bytes and weights are multiplied as words.
    const IN_WORDS: bool = Self::WEIGHTS == 8 * Self::LANES;

    /// Creates a value.
    ///
    /// # Safety
    /// The machine must have the instructions.
    unsafe fn new() -> Self;
    /// The arithmetic of sums.
    fn ints(self) -> Self::S;
    /// The same four bytes, less the offset, in all lanes. The first byte is in the lowest bits.
    fn spread(self, four: u32) -> Self::A;
    /// Loads bytes and subtracts the offset.
    ///
    /// # Safety
    /// Four bytes per lane must be readable.
    unsafe fn fours(self, p: *const u8) -> Self::A;
    /// Loads weights.
    ///
    /// # Safety
    /// `WEIGHTS` bytes must be readable.
    unsafe fn weights(self, p: *const u8) -> Self::W;
    /// `sum + Σ a · w`, with wrapping arithmetic.
    fn dot(self, sum: <Self::S as Ints>::I, a: Self::A, w: Self::W) -> <Self::S as Ints>::I;
    /// Like [`dot`](Self::dot), for several vectors of columns.
    #[inline(always)]
    fn dot_row<const V: usize>(self, sums: &mut [<Self::S as Ints>::I; V], a: Self::A, w: [Self::W; V]) {
        for (sum, w) in sums.iter_mut().zip(w) {
            *sum = self.dot(*sum, a, w);
        }
    }
}

/// How far ahead of its use a panel is fetched, in bytes. The processor itself fetches no further than to the end of a
/// page.
pub const AHEAD: usize = 4096;
/// Bytes that are fetched at once.
const FETCHED: usize = 64;

/// Prefetches a later part of the panels, `ahead` bytes after `panel`; past their end, that has no effect. A single row
/// uses each weight once, so reading the weights limits it; more rows are limited by their products.
#[inline(always)]
pub fn prefetch<D: Dot, const R: usize>(s: D::S, panel: *const u8, bytes: usize, ahead: usize) {
    if R == 1 {
        for line in (0..bytes).step_by(FETCHED) {
            s.prefetch(panel.wrapping_add(ahead + line).cast());
        }
    }
}

/// Subtracts 128, which makes unsigned bytes signed.
///
/// # Safety
/// The machine must have NEON.
#[cfg(all(target_arch = "aarch64", feature = "neon"))]
#[inline(always)]
unsafe fn less(bytes: uint8x16_t) -> int8x16_t {
    // SAFETY: the instructions access only registers, and the machine has them, as `# Safety` requires.
    unsafe { vreinterpretq_s8_u8(veorq_u8(bytes, vdupq_n_u8(128))) }
}

/// Products of signed bytes with the bytes in one lane of a vector, so that the bytes of a row need not be spread
/// first.
#[cfg(all(target_arch = "aarch64", feature = "neon"))]
pub trait ByLane: Dot<S = super::Neon, A = int8x16_t, W = int8x16_t> {
    /// The form of incomplete sums.
    type Sum: Copy;
    /// The number of vectors of an incomplete sum.
    const REGISTERS: usize;

    /// The sum of no products.
    fn nothing(self) -> Self::Sum;
    /// `sum + Σ a · w` with the same four bytes for all lanes: those in lane `G` of `a`.
    fn dot_group<const G: i32>(self, sum: Self::Sum, a: int8x16_t, w: int8x16_t) -> Self::Sum;
    /// The complete sum.
    fn total(self, sum: Self::Sum) -> int32x4_t;

    /// Loads sixteen bytes of a row and subtracts the offset.
    ///
    /// # Safety
    /// Sixteen bytes must be readable at `p`.
    #[inline(always)]
    unsafe fn bytes(self, p: *const u8) -> int8x16_t {
        // SAFETY: `self` proves that the machine has the instructions; sixteen bytes are readable, as `# Safety`
        // requires.
        unsafe { less(vld1q_u8(p)) }
    }
}

/// Multiplies two rows with two columns at a time.
#[cfg(all(target_arch = "aarch64", feature = "neon"))]
pub trait ByPair: Dot<S = super::Neon, W = int8x16_t> {
    /// Adds the products of two rows of eight unsigned bytes and two columns of eight signed bytes: results `[0][0]`,
    /// `[0][1]`, `[1][0]`, `[1][1]`.
    fn multiply(self, sums: int32x4_t, rows: uint8x16_t, columns: int8x16_t) -> int32x4_t;
}

/// Writes the four weights of lane `lane` of `lanes` into the `weights` of a vector. As words, bytes 0 and 2 of all
/// lanes come first, then bytes 1 and 3.
pub fn place(weights: &mut [u8], lanes: usize, lane: usize, w: [i8; 4]) {
    if weights.len() == 4 * lanes {
        weights[4 * lane..][..4].copy_from_slice(&w.map(|w| w as u8));
        return;
    }
    for (half, pair) in [[w[0], w[2]], [w[1], w[3]]].into_iter().enumerate() {
        let [low, high] = pair.map(|w| i16::from(w).to_le_bytes());
        weights[(half * lanes + lane) * 4..][..4].copy_from_slice(&[low[0], low[1], high[0], high[1]]);
    }
}

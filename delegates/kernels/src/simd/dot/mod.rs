//! Sums of products of bytes, four at a time: unsigned ones with signed weights. Or of two words in their place.

#[cfg(all(target_arch = "aarch64", feature = "neon"))]
use core::arch::aarch64::*;

use super::{Ints, Simd};

mod scalar;
pub use scalar::{ScalarDot, ScalarWords};

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
pub use groups::*;

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
/// A value of the type exists only where the machine has the instructions.
pub unsafe trait Dot: Copy + 'static {
    /// Vectors of sums.
    type S: Ints;
    /// Sums in a vector.
    const LANES: usize = <Self::S as Simd>::LANES;
    /// Four bytes per lane, without the offset.
    type A: Copy;
    /// Four weights per lane.
    type W: Copy;
    /// Bytes of weights for a vector of lanes: 4 per lane, or 8 where they are words.
    const WEIGHTS: usize;
    /// What is taken from unsigned bytes before they are multiplied: 128 where there are only products of signed ones. Whoever starts
    /// the sums adds `OFFSET · Σ w`.
    const OFFSET: u8;

    /// # Safety
    /// The machine has the instructions.
    unsafe fn new() -> Self;
    /// The arithmetic of sums.
    fn ints(self) -> Self::S;
    /// The same four bytes for all lanes, the first in the lowest bits; takes the offset from them.
    fn spread(self, four: u32) -> Self::A;
    /// Bytes from which the offset has been taken.
    ///
    /// # Safety
    /// Four per lane are readable.
    unsafe fn fours(self, p: *const u8) -> Self::A;
    /// # Safety
    /// `WEIGHTS` bytes are readable.
    unsafe fn weights(self, p: *const u8) -> Self::W;
    /// `sum + Σ a · w`; it wraps.
    fn dot(self, sum: <Self::S as Ints>::I, a: Self::A, w: Self::W) -> <Self::S as Ints>::I;
}

/// Products of signed bytes with those of one lane of a vector: a row's bytes need not be spread first.
#[cfg(all(target_arch = "aarch64", feature = "neon"))]
pub trait ByLane: Dot<S = super::Neon, A = int8x16_t, W = int8x16_t> {
    /// What sums are until they are complete.
    type Sum: Copy;
    /// Vectors of such a sum.
    const REGISTERS: usize;

    /// No products yet.
    fn nothing(self) -> Self::Sum;
    /// `sum + Σ a · w` with the same four bytes for all lanes: those of lane `G` of `a`.
    fn dot_group<const G: i32>(self, sum: Self::Sum, a: int8x16_t, w: int8x16_t) -> Self::Sum;
    /// The complete sum.
    fn total(self, sum: Self::Sum) -> int32x4_t;

    /// Sixteen bytes of a row, from which the offset is taken.
    ///
    /// # Safety
    /// They are readable.
    #[inline(always)]
    unsafe fn bytes(self, p: *const u8) -> int8x16_t {
        // SAFETY: `self` proves the instructions; sixteen bytes are read, which the caller says are there.
        unsafe { neon::less(vld1q_u8(p)) }
    }
}

/// Products of two rows with two columns at a time.
#[cfg(all(target_arch = "aarch64", feature = "neon"))]
pub trait ByPair: Dot<S = super::Neon, W = int8x16_t> {
    /// Adds the product of two rows of eight unsigned bytes with two columns of eight signed ones: results `[0][0]`, `[0][1]`, `[1][0]`,
    /// `[1][1]`.
    fn multiply(self, sums: int32x4_t, rows: uint8x16_t, columns: int8x16_t) -> int32x4_t;
}

/// Writes the four weights of lane `lane` of `lanes` into the `weights` of a vector. Words come as those of bytes 0 and 2 for all lanes,
/// then those of bytes 1 and 3.
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

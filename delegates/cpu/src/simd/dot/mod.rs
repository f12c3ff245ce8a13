//! Sums of products of bytes, four at a time: unsigned ones with signed weights.

use super::Ints;

mod scalar;
pub use scalar::ScalarDot;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
pub use {
    avx2::Avx2Dot,
    avx512::{Avx512Dot, VnniDot},
};

#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(target_arch = "aarch64")]
pub use neon::NeonWords;

/// Dot products of four bytes per lane.
///
/// # Safety
/// A value of the type exists only where the machine has the instructions.
pub unsafe trait Dot: Copy + 'static {
    /// Vectors of sums.
    type S: Ints;
    /// Four bytes per lane.
    type A: Copy;
    /// Four weights per lane.
    type W: Copy;
    /// Bytes of weights for a vector of lanes: 4 per lane, or 8 where they are words.
    const WEIGHTS: usize;

    /// # Safety
    /// The machine has the instructions.
    unsafe fn new() -> Self;
    /// The arithmetic of sums.
    fn ints(self) -> Self::S;
    /// The same four bytes for all lanes, the first in the lowest bits.
    fn spread(self, four: u32) -> Self::A;
    /// # Safety
    /// Four bytes per lane are readable.
    unsafe fn fours(self, p: *const u8) -> Self::A;
    /// # Safety
    /// `WEIGHTS` bytes are readable.
    unsafe fn weights(self, p: *const u8) -> Self::W;
    /// `sum + Σ a · w`; it wraps.
    fn dot(self, sum: <Self::S as Ints>::I, a: Self::A, w: Self::W) -> <Self::S as Ints>::I;
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

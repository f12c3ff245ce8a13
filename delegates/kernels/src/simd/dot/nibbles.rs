//! Weights of four bits, two of which are a byte in memory.

#[cfg(target_arch = "aarch64")]
use core::arch::aarch64::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

#[allow(unused_imports)] // As many as are compiled.
use super::*;

/// Dot products with signed weights of four bits.
pub trait Nibbles: Dot {
    /// Weights in registers are `2^SHIFT` times as large.
    const SHIFT: u32;

    /// Loads the weights in the lower halves of four bytes per lane, and those in the upper halves.
    ///
    /// # Safety
    /// Four bytes per lane must be readable.
    unsafe fn nibbles(self, p: *const u8) -> [Self::W; 2];
}

impl Nibbles for ScalarDot {
    const SHIFT: u32 = 0;

    #[inline(always)]
    unsafe fn nibbles(self, p: *const u8) -> [Self::W; 2] {
        // SAFETY: four bytes per lane are readable, as `Nibbles` requires.
        let bytes = unsafe { p.cast::<[[i8; 4]; 4]>().read_unaligned() };
        [bytes.map(|four| four.map(|b| b << 4 >> 4)), bytes.map(|four| four.map(|b| b >> 4))]
    }
}

/// A vector of bytes: halves move to the upper half of a byte, where they have its sign.
#[allow(unused_macros)] // Without instruction sets.
macro_rules! bytes {
    ($($(#[$attribute:meta])* $type:ty: $load:ident $and:ident $shift:ident $splat:ident;)*) => {$(
        $(#[$attribute])*
        impl Nibbles for $type {
            const SHIFT: u32 = 4;

            #[inline(always)]
            unsafe fn nibbles(self, p: *const u8) -> [Self::W; 2] {
                // SAFETY: `self` proves that the machine has the instructions; four bytes per lane are readable, as
                // `Nibbles` requires.
                unsafe {
                    let (bytes, upper) = ($load(p.cast()), $splat(0xf0u8 as i8));
                    [$and($shift::<4>(bytes), upper), $and(bytes, upper)]
                }
            }
        }
    )*};
}

/// A vector of words, each of which gets a half byte with its sign.
#[allow(unused_macros)] // Only x86-64 has products of words.
macro_rules! words {
    ($($(#[$attribute:meta])* $type:ty: $load:ident $left:ident $right:ident;)*) => {$(
        $(#[$attribute])*
        impl Nibbles for $type {
            const SHIFT: u32 = 0;

            #[inline(always)]
            unsafe fn nibbles(self, p: *const u8) -> [Self::W; 2] {
                // SAFETY: `self` proves that the machine has the instructions; four bytes per lane are readable, as
                // `Nibbles` requires.
                unsafe {
                    let bytes = $load(p.cast());
                    let low = [$right::<12>($left::<12>(bytes)), $right::<12>($left::<4>(bytes))];
                    [low, [$right::<12>($left::<8>(bytes)), $right::<12>(bytes)]]
                }
            }
        }
    )*};
}

#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
bytes! {
    AvxVnniDot: _mm256_loadu_si256 _mm256_and_si256 _mm256_slli_epi16 _mm256_set1_epi8;
    #[cfg(feature = "avx512")]
    Vnni256Dot: _mm256_loadu_si256 _mm256_and_si256 _mm256_slli_epi16 _mm256_set1_epi8;
    #[cfg(feature = "avx512")]
    VnniDot: _mm512_loadu_si512 _mm512_and_si512 _mm512_slli_epi16 _mm512_set1_epi8;
}

#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
words! {
    Avx2Dot: _mm256_loadu_si256 _mm256_slli_epi16 _mm256_srai_epi16;
    #[cfg(feature = "avx512")]
    Avx512Dot: _mm512_loadu_si512 _mm512_slli_epi16 _mm512_srai_epi16;
}

#[cfg(all(target_arch = "aarch64", feature = "neon"))]
bytes! {
    NeonBytes: vld1q_s8 vandq_s8 vshlq_n_s8 vdupq_n_s8;
    NeonDot: vld1q_s8 vandq_s8 vshlq_n_s8 vdupq_n_s8;
}

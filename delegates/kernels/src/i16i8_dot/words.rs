//! Vectors of sums of products of words with bytes.

// Loops over lanes, which all arrays have.
#![allow(clippy::needless_range_loop)]

#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
use core::arch::x86_64::*;

use crate::simd::*;

/// Sums of products, two products per 32-bit lane, with wrapping arithmetic.
pub(super) trait Words: Copy {
    /// The number of words of a vector.
    const WORDS: usize;
    /// A vector of sums, or of weights.
    type V: Copy;

    /// Zeros.
    fn nothing(self) -> Self::V;
    /// Loads weights as words.
    ///
    /// # Safety
    /// `WORDS` bytes must be readable.
    unsafe fn weights(self, w: *const i8) -> Self::V;
    /// Adds products to sums.
    ///
    /// # Safety
    /// `WORDS` words must be readable at `a`.
    unsafe fn with(self, sums: Self::V, a: *const i16, weights: Self::V) -> Self::V;
    /// The sum of all lanes.
    fn total(self, sums: Self::V) -> i32;
}

/// The words of a vector of plain code.
const PLAIN: usize = 8;

macro_rules! plain {
    ($($(#[$cfg:meta])* $t:ident)*) => {$(
        $(#[$cfg])*
        impl Words for $t {
            const WORDS: usize = PLAIN;
            type V = [i32; PLAIN];

            #[inline(always)]
            fn nothing(self) -> Self::V {
                [0; PLAIN]
            }
            #[inline(always)]
            unsafe fn weights(self, w: *const i8) -> Self::V {
                // SAFETY: `WORDS` bytes are readable, as `Words` requires.
                unsafe { w.cast::<[i8; PLAIN]>().read_unaligned() }.map(i32::from)
            }
            #[inline(always)]
            unsafe fn with(self, mut sums: Self::V, a: *const i16, weights: Self::V) -> Self::V {
                // SAFETY: `WORDS` words are readable, as `Words` requires.
                let a = unsafe { a.cast::<[i16; PLAIN]>().read_unaligned() };
                for i in 0..PLAIN {
                    sums[i] = sums[i].wrapping_add(i32::from(a[i]) * weights[i]);
                }
                sums
            }
            #[inline(always)]
            fn total(self, sums: Self::V) -> i32 {
                sums.iter().fold(0, |total, &sum| total.wrapping_add(sum))
            }
        }
    )*};
}

plain! {
    Scalar
    #[cfg(all(target_arch = "aarch64", feature = "neon"))]
    Neon
}

#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
impl Words for Avx2 {
    const WORDS: usize = 16;
    type V = __m256i;

    #[inline(always)]
    fn nothing(self) -> __m256i {
        // SAFETY: `self` proves that the machine has AVX2.
        unsafe { _mm256_setzero_si256() }
    }
    #[inline(always)]
    unsafe fn weights(self, w: *const i8) -> __m256i {
        // SAFETY: `self` proves that the machine has AVX2; 16 bytes are readable, as `Words` requires.
        unsafe { _mm256_cvtepi8_epi16(_mm_loadu_si128(w.cast())) }
    }
    #[inline(always)]
    unsafe fn with(self, sums: __m256i, a: *const i16, weights: __m256i) -> __m256i {
        // SAFETY: `self` proves that the machine has AVX2; 16 words are readable, as `Words` requires.
        unsafe { _mm256_add_epi32(sums, _mm256_madd_epi16(_mm256_loadu_si256(a.cast()), weights)) }
    }
    #[inline(always)]
    fn total(self, sums: __m256i) -> i32 {
        // SAFETY: `self` proves that the machine has AVX2.
        unsafe {
            let four = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
            let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b1110>(four));
            _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<1>(two)))
        }
    }
}

#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
impl Words for Avx512 {
    const WORDS: usize = 32;
    type V = __m512i;

    #[inline(always)]
    fn nothing(self) -> __m512i {
        // SAFETY: `self` proves that the machine has AVX-512.
        unsafe { _mm512_setzero_si512() }
    }
    #[inline(always)]
    unsafe fn weights(self, w: *const i8) -> __m512i {
        // SAFETY: `self` proves that the machine has AVX-512; 32 bytes are readable, as `Words` requires.
        unsafe { _mm512_cvtepi8_epi16(_mm256_loadu_si256(w.cast())) }
    }
    #[inline(always)]
    unsafe fn with(self, sums: __m512i, a: *const i16, weights: __m512i) -> __m512i {
        // SAFETY: `self` proves that the machine has AVX-512; 32 words are readable, as `Words` requires.
        unsafe { _mm512_add_epi32(sums, _mm512_madd_epi16(_mm512_loadu_si512(a.cast()), weights)) }
    }
    #[inline(always)]
    fn total(self, sums: __m512i) -> i32 {
        // SAFETY: `self` proves that the machine has AVX-512.
        unsafe { _mm512_reduce_add_epi32(sums) }
    }
}

//! AVX2: products of pairs of 16-bit words. (The instruction for bytes, `vpmaddubsw`, saturates.)

use core::arch::x86_64::*;

use super::{Dot, Widen};
use crate::simd::{Avx2, Simd};

/// Dot products with AVX2, of words.
#[derive(Clone, Copy)]
pub struct Avx2Dot(Avx2);

impl Avx2Dot {
    /// Bytes 0 and 2, and bytes 1 and 3, as words.
    #[inline(always)]
    fn split(self, bytes: __m256i) -> [__m256i; 2] {
        // SAFETY: `self` proves that the machine has the instructions.
        unsafe { [_mm256_and_si256(bytes, _mm256_set1_epi16(255)), _mm256_srli_epi16::<8>(bytes)] }
    }
}

// SAFETY: only `new` creates a value, and it requires that the machine has the instructions.
unsafe impl Dot for Avx2Dot {
    type S = Avx2;
    type A = [__m256i; 2];
    type W = [__m256i; 2];
    const WEIGHTS: usize = 64;
    const OFFSET: u8 = 0;

    #[inline(always)]
    unsafe fn new() -> Self {
        // SAFETY: the machine has the instructions, as `new` requires.
        Avx2Dot(unsafe { Avx2::new() })
    }
    #[inline(always)]
    fn ints(self) -> Avx2 {
        self.0
    }
    #[inline(always)]
    fn spread(self, four: u32) -> [__m256i; 2] {
        // SAFETY: `self` proves that the machine has the instructions.
        self.split(unsafe { _mm256_set1_epi32(four as i32) })
    }
    #[inline(always)]
    unsafe fn fours(self, p: *const u8) -> [__m256i; 2] {
        // SAFETY: `self` proves that the machine has the instructions; a vector of bytes is readable, as `Dot`
        // requires.
        self.split(unsafe { _mm256_loadu_si256(p.cast()) })
    }
    #[inline(always)]
    unsafe fn weights(self, p: *const u8) -> [__m256i; 2] {
        // SAFETY: `self` proves that the machine has the instructions; a vector of weights is readable, as `Dot`
        // requires.
        unsafe { [_mm256_loadu_si256(p.cast()), _mm256_loadu_si256(p.add(32).cast())] }
    }
    #[inline(always)]
    fn dot(self, sum: __m256i, a: [__m256i; 2], w: [__m256i; 2]) -> __m256i {
        // SAFETY: `self` proves that the machine has the instructions, which access only registers.
        unsafe {
            let pairs = _mm256_add_epi32(_mm256_madd_epi16(a[0], w[0]), _mm256_madd_epi16(a[1], w[1]));
            _mm256_add_epi32(sum, pairs)
        }
    }
}

impl Widen for Avx2Dot {
    #[inline(always)]
    unsafe fn widened(self, p: *const u8) -> [__m256i; 2] {
        // SAFETY: `self` proves that the machine has the instructions; a vector of bytes is readable, as `Widen`
        // requires.
        unsafe {
            let bytes = _mm256_loadu_si256(p.cast());
            [_mm256_srai_epi16::<8>(_mm256_slli_epi16::<8>(bytes)), _mm256_srai_epi16::<8>(bytes)]
        }
    }
}

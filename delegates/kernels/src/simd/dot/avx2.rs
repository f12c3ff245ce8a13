//! AVX2: products of pairs of words. (Those of bytes, `vpmaddubsw`, saturate.)

use core::arch::x86_64::*;

use super::Dot;
use crate::simd::{Avx2, Simd};

/// AVX2.
#[derive(Clone, Copy)]
pub struct Avx2Dot(Avx2);

impl Avx2Dot {
    /// Bytes 0 and 2, and bytes 1 and 3, as words.
    #[inline(always)]
    fn split(self, bytes: __m256i) -> [__m256i; 2] {
        // SAFETY: the machine has the instructions, `self` proves it.
        unsafe { [_mm256_and_si256(bytes, _mm256_set1_epi16(255)), _mm256_srli_epi16::<8>(bytes)] }
    }
}

// SAFETY: `new` is the only way to a value.
unsafe impl Dot for Avx2Dot {
    type S = Avx2;
    type A = [__m256i; 2];
    type W = [__m256i; 2];
    const WEIGHTS: usize = 64;
    const OFFSET: u8 = 0;

    #[inline(always)]
    unsafe fn new() -> Self {
        // SAFETY: the caller says that the machine has the instructions.
        Avx2Dot(unsafe { Avx2::new() })
    }
    #[inline(always)]
    fn ints(self) -> Avx2 {
        self.0
    }
    #[inline(always)]
    fn spread(self, four: u32) -> [__m256i; 2] {
        // SAFETY: the machine has the instructions, `self` proves it.
        self.split(unsafe { _mm256_set1_epi32(four as i32) })
    }
    #[inline(always)]
    unsafe fn fours(self, p: *const u8) -> [__m256i; 2] {
        // SAFETY: `self` proves the instructions; a vector of bytes is read, which the caller says is there.
        self.split(unsafe { _mm256_loadu_si256(p.cast()) })
    }
    #[inline(always)]
    unsafe fn weights(self, p: *const u8) -> [__m256i; 2] {
        // SAFETY: `self` proves the instructions; a vector is read, which the caller says is there.
        unsafe { [_mm256_loadu_si256(p.cast()), _mm256_loadu_si256(p.add(32).cast())] }
    }
    #[inline(always)]
    fn dot(self, sum: __m256i, a: [__m256i; 2], w: [__m256i; 2]) -> __m256i {
        // SAFETY: `self` proves the instructions, which touch registers only.
        unsafe {
            let pairs = _mm256_add_epi32(_mm256_madd_epi16(a[0], w[0]), _mm256_madd_epi16(a[1], w[1]));
            _mm256_add_epi32(sum, pairs)
        }
    }
}

//! AVX-512: products of pairs of 16-bit words.

use core::arch::x86_64::*;

use super::together::together_wide;
use super::{Dot, Widen};
use crate::simd::{Avx512, Simd};

/// Dot products with AVX-512, of words.
#[derive(Clone, Copy)]
pub struct Avx512Dot(Avx512);

impl Avx512Dot {
    /// Bytes 0 and 2, and bytes 1 and 3, as words.
    #[inline(always)]
    fn split(self, bytes: __m512i) -> [__m512i; 2] {
        // SAFETY: `self` proves that the machine has the instructions.
        unsafe { [_mm512_and_si512(bytes, _mm512_set1_epi16(255)), _mm512_srli_epi16::<8>(bytes)] }
    }
}

// SAFETY: only `new` creates a value, and it requires that the machine has the instructions.
unsafe impl Dot for Avx512Dot {
    type S = Avx512;
    type A = [__m512i; 2];
    type W = [__m512i; 2];
    const WEIGHTS: usize = 128;
    const OFFSET: u8 = 0;

    #[inline(always)]
    unsafe fn new() -> Self {
        // SAFETY: the machine has the instructions, as `new` requires.
        Avx512Dot(unsafe { Avx512::new() })
    }
    #[inline(always)]
    fn ints(self) -> Avx512 {
        self.0
    }
    #[inline(always)]
    fn spread(self, four: u32) -> [__m512i; 2] {
        // SAFETY: `self` proves that the machine has the instructions.
        self.split(unsafe { _mm512_set1_epi32(four as i32) })
    }
    #[inline(always)]
    unsafe fn fours(self, p: *const u8) -> [__m512i; 2] {
        // SAFETY: `self` proves that the machine has the instructions; a vector of bytes is readable, as `Dot`
        // requires.
        self.split(unsafe { _mm512_loadu_si512(p.cast()) })
    }
    #[inline(always)]
    unsafe fn weights(self, p: *const u8) -> [__m512i; 2] {
        // SAFETY: `self` proves that the machine has the instructions; a vector of weights is readable, as `Dot`
        // requires.
        unsafe { [_mm512_loadu_si512(p.cast()), _mm512_loadu_si512(p.add(64).cast())] }
    }
    #[inline(always)]
    fn dot(self, sum: __m512i, a: [__m512i; 2], w: [__m512i; 2]) -> __m512i {
        // SAFETY: `self` proves that the machine has the instructions, which access only registers.
        unsafe {
            let pairs = _mm512_add_epi32(_mm512_madd_epi16(a[0], w[0]), _mm512_madd_epi16(a[1], w[1]));
            _mm512_add_epi32(sum, pairs)
        }
    }
    #[inline(always)]
    fn dot_row<const V: usize>(self, sums: &mut [__m512i; V], a: [__m512i; 2], w: [[__m512i; 2]; V]) {
        // SAFETY: `self` proves that the machine has the instructions, which access only registers.
        unsafe {
            for k in 0..2 {
                let products: [__m512i; V] =
                    together_wide(std::array::from_fn(|v| _mm512_madd_epi16(a[k], w[v][k])));
                for v in 0..V {
                    sums[v] = _mm512_add_epi32(sums[v], products[v]);
                }
            }
        }
    }
}

impl Widen for Avx512Dot {
    #[inline(always)]
    unsafe fn widened(self, p: *const u8) -> [__m512i; 2] {
        // SAFETY: `self` proves that the machine has the instructions; a vector of bytes is readable, as `Widen`
        // requires.
        unsafe {
            let bytes = _mm512_loadu_si512(p.cast());
            [_mm512_srai_epi16::<8>(_mm512_slli_epi16::<8>(bytes)), _mm512_srai_epi16::<8>(bytes)]
        }
    }
}

//! Products of pairs of words with half of the multiplications.
//!
//! ```text
//! a₀ b₀ + a₁ b₁ = (a₀ + b₁) (a₁ + b₀) − a₀ a₁ − b₀ b₁
//! ```
//! What is taken away depends on the row alone, or on the column alone. After S. Winograd, A new algorithm for inner product (1968).

#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
use core::arch::x86_64::*;

use super::*;

/// Vectors of pairs of words, one pair per lane. All wraps.
pub trait Words: Ints {
    /// Per lane, `sum + (a₀ + b₀) · (c₀ + d₀) + (a₁ + b₁) · (c₁ + d₁)`.
    fn add_products(self, sum: Self::I, a: [Self::I; 2], b: [Self::I; 2]) -> Self::I;
    /// Per two lanes, `sum + a₀ · c₀ + a₁ · c₁` of the first one's pair and the second one's, in the first one.
    fn add_neighbours(self, sum: Self::I, words: Self::I) -> Self::I;
    /// The sum of all lanes.
    fn total(self, x: Self::I) -> i32;
    /// `2 · LANES` bytes as words.
    ///
    /// # Safety
    /// They are readable.
    unsafe fn words(self, p: *const u8) -> Self::I;
    /// # Safety
    /// `2 · LANES` words are writable.
    unsafe fn store_words(self, p: *mut i16, words: Self::I);
}

/// The words of a lane, the first in the lowest bits.
#[inline(always)]
fn halves(x: i32) -> [i16; 2] {
    [x as i16, (x >> 16) as i16]
}

/// The sum of products of the words of two lanes.
#[inline(always)]
fn product(a: i32, b: i32) -> i32 {
    let ([a, b], [c, d]) = (halves(a), halves(b));
    (i32::from(a) * i32::from(c)).wrapping_add(i32::from(b) * i32::from(d))
}

/// The sums of the words of two lanes.
#[inline(always)]
fn sums(a: i32, b: i32) -> i32 {
    let ([a, b], [c, d]) = (halves(a), halves(b));
    i32::from(a.wrapping_add(c) as u16) | i32::from(b.wrapping_add(d)) << 16
}

impl Words for Scalar {
    #[inline(always)]
    fn add_products(self, sum: [i32; 4], a: [[i32; 4]; 2], b: [[i32; 4]; 2]) -> [i32; 4] {
        std::array::from_fn(|i| sum[i].wrapping_add(product(sums(a[0][i], b[0][i]), sums(a[1][i], b[1][i]))))
    }
    #[inline(always)]
    fn add_neighbours(self, [a, b, c, d]: [i32; 4], w: [i32; 4]) -> [i32; 4] {
        [a.wrapping_add(product(w[0], w[1])), b, c.wrapping_add(product(w[2], w[3])), d]
    }
    #[inline(always)]
    fn total(self, x: [i32; 4]) -> i32 {
        x.iter().fold(0, |sum, &x| sum.wrapping_add(x))
    }
    #[inline(always)]
    unsafe fn words(self, p: *const u8) -> [i32; 4] {
        // SAFETY: readable, as the caller promises.
        let bytes = unsafe { p.cast::<[[u8; 2]; 4]>().read_unaligned() };
        bytes.map(|[a, b]| i32::from(a) | i32::from(b) << 16)
    }
    #[inline(always)]
    unsafe fn store_words(self, p: *mut i16, words: [i32; 4]) {
        // SAFETY: writable, as the caller promises.
        unsafe { p.cast::<[[i16; 2]; 4]>().write_unaligned(words.map(halves)) }
    }
}

#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
impl Words for Avx2 {
    #[inline(always)]
    fn add_products(self, sum: __m256i, a: [__m256i; 2], b: [__m256i; 2]) -> __m256i {
        // SAFETY: the machine has the instructions, `self` proves it.
        unsafe {
            let (x, y) = (_mm256_add_epi16(a[0], b[0]), _mm256_add_epi16(a[1], b[1]));
            _mm256_add_epi32(sum, _mm256_madd_epi16(x, y))
        }
    }
    #[inline(always)]
    fn add_neighbours(self, sum: __m256i, words: __m256i) -> __m256i {
        // SAFETY: as above.
        unsafe { _mm256_add_epi32(sum, _mm256_madd_epi16(words, _mm256_srli_epi64::<32>(words))) }
    }
    #[inline(always)]
    fn total(self, x: __m256i) -> i32 {
        // SAFETY: as above.
        unsafe {
            let x = _mm_add_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256::<1>(x));
            let x = _mm_add_epi32(x, _mm_shuffle_epi32::<0b1110>(x));
            _mm_cvtsi128_si32(_mm_add_epi32(x, _mm_shuffle_epi32::<1>(x)))
        }
    }
    #[inline(always)]
    unsafe fn words(self, p: *const u8) -> __m256i {
        // SAFETY: as above; readable, as the caller promises.
        unsafe { _mm256_cvtepu8_epi16(_mm_loadu_si128(p.cast())) }
    }
    #[inline(always)]
    unsafe fn store_words(self, p: *mut i16, words: __m256i) {
        // SAFETY: as above; writable, as the caller promises.
        unsafe { _mm256_storeu_si256(p.cast(), words) }
    }
}

#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
impl Words for Avx512 {
    #[inline(always)]
    fn add_products(self, sum: __m512i, a: [__m512i; 2], b: [__m512i; 2]) -> __m512i {
        // SAFETY: the machine has the instructions, `self` proves it.
        unsafe {
            let (x, y) = (_mm512_add_epi16(a[0], b[0]), _mm512_add_epi16(a[1], b[1]));
            _mm512_add_epi32(sum, _mm512_madd_epi16(x, y))
        }
    }
    #[inline(always)]
    fn add_neighbours(self, sum: __m512i, words: __m512i) -> __m512i {
        // SAFETY: as above.
        unsafe { _mm512_add_epi32(sum, _mm512_madd_epi16(words, _mm512_srli_epi64::<32>(words))) }
    }
    #[inline(always)]
    fn total(self, x: __m512i) -> i32 {
        // SAFETY: as above.
        unsafe { _mm512_reduce_add_epi32(x) }
    }
    #[inline(always)]
    unsafe fn words(self, p: *const u8) -> __m512i {
        // SAFETY: as above; readable, as the caller promises.
        unsafe { _mm512_cvtepu8_epi16(_mm256_loadu_si256(p.cast())) }
    }
    #[inline(always)]
    unsafe fn store_words(self, p: *mut i16, words: __m512i) {
        // SAFETY: as above; writable, as the caller promises.
        unsafe { _mm512_storeu_si512(p.cast(), words) }
    }
}

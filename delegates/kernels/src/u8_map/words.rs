//! AVX-512 without VBMI: a table of 256 bytes as 128 words in four registers.

use core::arch::x86_64::*;

use super::body::Lookup;
use crate::simd::Avx512;

// SAFETY: `Avx512` proves that the machine has the instructions.
unsafe impl Lookup for Avx512 {
    type S = Avx512;
    type Table<'t> = [__m512i; 4];

    #[inline(always)]
    fn ints(self) -> Avx512 {
        self
    }
    #[inline(always)]
    fn table(self, table: &[u8; 256]) -> [__m512i; 4] {
        let at = |first: usize| table[first..].as_ptr().cast();
        // SAFETY: `self` proves that the machine has the instructions; each quarter has 64 bytes. A closure with the
        // loads would not be compiled for them.
        unsafe {
            [
                _mm512_loadu_si512(at(0)),
                _mm512_loadu_si512(at(64)),
                _mm512_loadu_si512(at(128)),
                _mm512_loadu_si512(at(192)),
            ]
        }
    }
    #[inline(always)]
    fn look(self, table: [__m512i; 4], x: __m512i) -> __m512i {
        // SAFETY: `self` proves that the machine has the instructions, which access only registers.
        unsafe {
            let low = _mm512_set1_epi16(255);
            let even = look(&table, _mm512_and_si512(x, low));
            let odd = look(&table, _mm512_srli_epi16::<8>(x));
            _mm512_or_si512(_mm512_and_si512(even, low), _mm512_slli_epi16::<8>(odd))
        }
    }
}

/// `table[x]` for words up to 255, in their low bytes: looks up the word with the byte in the lower and upper half of
/// the table, selects a half by bit 7, then the byte by bit 0.
///
/// # Safety
/// The machine must have the instructions.
#[inline(always)]
unsafe fn look(table: &[__m512i; 4], x: __m512i) -> __m512i {
    // SAFETY: the machine has the instructions, as `# Safety` requires; they access only registers.
    unsafe {
        let word = _mm512_srli_epi16::<1>(x);
        let lower = _mm512_permutex2var_epi16(table[0], word, table[1]);
        let upper = _mm512_permutex2var_epi16(table[2], word, table[3]);
        let is_upper = _mm512_test_epi16_mask(x, _mm512_set1_epi16(128));
        let shift = _mm512_slli_epi16::<3>(_mm512_and_si512(x, _mm512_set1_epi16(1)));
        _mm512_srlv_epi16(_mm512_mask_blend_epi16(is_upper, lower, upper), shift)
    }
}

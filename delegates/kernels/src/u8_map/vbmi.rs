//! AVX-512 with VBMI: a table of 256 bytes in four registers.

use core::arch::x86_64::*;

use super::body::Lookup;
use crate::simd::{Avx512, Simd};

/// AVX-512 with VBMI.
#[derive(Clone, Copy)]
pub(super) struct Vbmi(Avx512);

impl Vbmi {
    /// Creates a value.
    ///
    /// # Safety
    /// The machine must have the instructions.
    #[inline(always)]
    pub(super) unsafe fn new() -> Self {
        // SAFETY: a machine with VBMI has the instructions of `Avx512`.
        Vbmi(unsafe { Avx512::new() })
    }
}

// SAFETY: only `new` creates a value, and it requires that the machine has the instructions.
unsafe impl Lookup for Vbmi {
    type S = Avx512;
    type Table<'t> = [__m512i; 4];

    #[inline(always)]
    fn ints(self) -> Avx512 {
        self.0
    }
    #[inline(always)]
    fn table(self, table: &[u8; 256]) -> [__m512i; 4] {
        self.0.table(table)
    }
    /// Looks up each half by the low seven bits, then selects a half by the highest bit.
    #[inline(always)]
    fn look(self, quarters: [__m512i; 4], x: __m512i) -> __m512i {
        // SAFETY: `self` proves that the machine has the instructions.
        unsafe {
            let high = _mm512_movepi8_mask(x);
            let low = _mm512_movepi8_mask(_mm512_slli_epi16::<1>(x));
            let first = _mm512_permutexvar_epi8(x, quarters[0]);
            let first = _mm512_mask_permutexvar_epi8(first, low, x, quarters[1]);
            let second = _mm512_permutexvar_epi8(x, quarters[2]);
            let second = _mm512_mask_permutexvar_epi8(second, low, x, quarters[3]);
            _mm512_mask_blend_epi8(high, first, second)
        }
    }
}

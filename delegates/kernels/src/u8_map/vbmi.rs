//! AVX-512 with VBMI: a table of 256 bytes in four registers.

use core::arch::x86_64::*;

use super::body::Lookup;
use crate::simd::{Avx512, Simd};

/// AVX-512 with VBMI.
#[derive(Clone, Copy)]
pub struct Vbmi(Avx512);

impl Vbmi {
    /// # Safety
    /// The machine has the instructions.
    #[inline(always)]
    pub unsafe fn new() -> Self {
        // SAFETY: a machine with VBMI has the instructions of `Avx512`, too.
        Vbmi(unsafe { Avx512::new() })
    }
}

// SAFETY: `new` is the only way to a value.
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
    /// Each quarter by the low six bits, then one of four by the high ones.
    #[inline(always)]
    fn look(self, quarters: [__m512i; 4], x: __m512i) -> __m512i {
        // SAFETY: the machine has the instructions, `self` proves it.
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

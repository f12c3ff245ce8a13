//! AVX-512 VBMI: a table of 256 bytes in four registers.

use core::arch::x86_64::*;

/// Looks up 64 bytes: each quarter of the table by the low six bits, then one of four by the high ones.
#[inline(always)]
unsafe fn look(quarters: &[__m512i; 4], x: __m512i) -> __m512i {
    // SAFETY: the caller has the instructions.
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

/// # Safety
/// The machine has the instructions; `x` is readable and `y` writable for `n` bytes.
#[target_feature(enable = "avx512vbmi,avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) unsafe fn lookup(n: usize, x: *const u8, table: &[u8; 256], y: *mut u8) {
    // SAFETY: the caller's promise; the last bytes are read and written by a mask.
    unsafe {
        let mut quarters = [_mm512_loadu_si512(table.as_ptr().cast()); 4];
        for (i, quarter) in quarters.iter_mut().enumerate() {
            *quarter = _mm512_loadu_si512(table.as_ptr().add(64 * i).cast());
        }
        let mut i = 0;
        while i + 64 <= n {
            let looked = look(&quarters, _mm512_loadu_si512(x.add(i).cast()));
            _mm512_storeu_si512(y.add(i).cast(), looked);
            i += 64;
        }
        if i < n {
            let mask = (1u64 << (n - i)) - 1;
            let looked = look(&quarters, _mm512_maskz_loadu_epi8(mask, x.add(i).cast()));
            _mm512_mask_storeu_epi8(y.add(i).cast(), mask, looked);
        }
    }
}

//! AVX-512: sixteen lanes, masked edges.

use core::arch::x86_64::*;

use super::Simd;

/// AVX-512: sixteen lanes, masked edges.
#[derive(Clone, Copy)]
pub struct Avx512(());

/// The mask of the first `n` lanes.
#[inline(always)]
fn first(n: usize) -> __mmask16 {
    ((1u32 << n) - 1) as __mmask16
}

// SAFETY: `new` is the only way to a value.
unsafe impl Simd for Avx512 {
    const LANES: usize = 16;
    type V = __m512;

    #[inline(always)]
    unsafe fn new() -> Self {
        Avx512(())
    }
    #[inline(always)]
    fn splat(self, x: f32) -> __m512 {
        // SAFETY: the machine has the instructions, `self` proves it.
        unsafe { _mm512_set1_ps(x) }
    }
    #[inline(always)]
    unsafe fn load(self, p: *const f32) -> __m512 {
        // SAFETY: as above; readable, as the caller promises.
        unsafe { _mm512_loadu_ps(p) }
    }
    #[inline(always)]
    unsafe fn load_first(self, p: *const f32, n: usize) -> __m512 {
        // SAFETY: as above; `n` values are readable, as the caller promises.
        unsafe { _mm512_maskz_loadu_ps(first(n), p) }
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut f32, v: __m512) {
        // SAFETY: as above; writable, as the caller promises.
        unsafe { _mm512_storeu_ps(p, v) }
    }
    #[inline(always)]
    unsafe fn store_first(self, p: *mut f32, v: __m512, n: usize) {
        // SAFETY: as above; `n` values are writable, as the caller promises.
        unsafe { _mm512_mask_storeu_ps(p, first(n), v) }
    }
    #[inline(always)]
    fn add(self, a: __m512, b: __m512) -> __m512 {
        // SAFETY: as above.
        unsafe { _mm512_add_ps(a, b) }
    }
    #[inline(always)]
    fn sub(self, a: __m512, b: __m512) -> __m512 {
        // SAFETY: as above.
        unsafe { _mm512_sub_ps(a, b) }
    }
    #[inline(always)]
    fn mul(self, a: __m512, b: __m512) -> __m512 {
        // SAFETY: as above.
        unsafe { _mm512_mul_ps(a, b) }
    }
    #[inline(always)]
    fn div(self, a: __m512, b: __m512) -> __m512 {
        // SAFETY: as above.
        unsafe { _mm512_div_ps(a, b) }
    }
    #[inline(always)]
    fn fma(self, a: __m512, b: __m512, c: __m512) -> __m512 {
        // SAFETY: as above.
        unsafe { _mm512_fmadd_ps(a, b, c) }
    }
    #[inline(always)]
    fn min(self, a: __m512, b: __m512) -> __m512 {
        // SAFETY: as above.
        unsafe { _mm512_min_ps(a, b) }
    }
    #[inline(always)]
    fn max(self, a: __m512, b: __m512) -> __m512 {
        // SAFETY: as above.
        unsafe { _mm512_max_ps(a, b) }
    }
    #[inline(always)]
    fn sqrt(self, a: __m512) -> __m512 {
        // SAFETY: as above.
        unsafe { _mm512_sqrt_ps(a) }
    }
    #[inline(always)]
    fn abs(self, a: __m512) -> __m512 {
        // SAFETY: as above.
        unsafe { _mm512_abs_ps(a) }
    }
    #[inline(always)]
    fn round(self, a: __m512) -> __m512 {
        // SAFETY: as above.
        unsafe { _mm512_roundscale_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(a) }
    }
    #[inline(always)]
    fn floor(self, a: __m512) -> __m512 {
        // SAFETY: as above.
        unsafe { _mm512_roundscale_ps::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(a) }
    }
    #[inline(always)]
    fn scale(self, a: __m512, n: __m512) -> __m512 {
        // SAFETY: as above.
        unsafe { _mm512_scalef_ps(a, n) }
    }
    #[inline(always)]
    fn select_lt(self, a: __m512, b: __m512, yes: __m512, no: __m512) -> __m512 {
        // SAFETY: as above.
        unsafe { _mm512_mask_blend_ps(_mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b), no, yes) }
    }
    #[inline(always)]
    fn sum(self, a: __m512) -> f32 {
        // SAFETY: as above.
        unsafe { _mm512_reduce_add_ps(a) }
    }
    #[inline(always)]
    fn largest(self, a: __m512) -> f32 {
        // SAFETY: as above.
        unsafe { _mm512_reduce_max_ps(a) }
    }
    #[inline(always)]
    fn prefetch(self, p: *const f32) {
        // SAFETY: a prefetch never faults.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(p.cast()) }
    }
    #[inline(always)]
    fn scale_far(self, a: __m512, n: __m512) -> __m512 {
        // SAFETY: as above.
        unsafe { _mm512_scalef_ps(a, n) }
    }
    #[inline(always)]
    fn quotient(self, a: __m512, b: __m512) -> __m512 {
        // SAFETY: as above.
        unsafe {
            // 14 bits of 1 / b, and a step of Newton's method on the quotient.
            let r = _mm512_rcp14_ps(b);
            let q = _mm512_mul_ps(a, r);
            let r = _mm512_fmadd_ps(_mm512_fnmadd_ps(b, r, _mm512_set1_ps(1.0)), r, r);
            _mm512_fmadd_ps(_mm512_fnmadd_ps(b, q, a), r, q)
        }
    }
}

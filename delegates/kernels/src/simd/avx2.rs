//! AVX2 with FMA: eight lanes, with masked loads and stores for fewer.

use core::arch::x86_64::*;

use super::Simd;

/// AVX2 with FMA: eight lanes.
#[derive(Clone, Copy)]
pub struct Avx2(());

/// The mask of the first `n` lanes.
#[inline(always)]
fn first(n: usize) -> __m256i {
    const WINDOW: [i32; 16] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];
    // SAFETY: for `n ≤ 8`, elements `8 − n` to `16 − n` are within `WINDOW`; only `Avx2` calls this function.
    unsafe { _mm256_loadu_si256(WINDOW.as_ptr().add(8 - n.min(8)).cast()) }
}

// SAFETY: only `new` creates a value, and it requires that the machine has the instructions.
unsafe impl Simd for Avx2 {
    const LANES: usize = 8;
    type V = __m256;

    #[inline(always)]
    unsafe fn new() -> Self {
        Avx2(())
    }
    in_registers! {
        "avx2,fma"
        fn splat(x: f32) -> __m256 { _mm256_set1_ps(x) }
    }
    #[inline(always)]
    unsafe fn load(self, p: *const f32) -> __m256 {
        // SAFETY: `self` proves that the machine has the instruction; `LANES` values are readable, as `Simd` requires.
        unsafe { _mm256_loadu_ps(p) }
    }
    #[inline(always)]
    unsafe fn load_first(self, p: *const f32, n: usize) -> __m256 {
        // SAFETY: `self` proves that the machine has the instruction; `n` values are readable, as `Simd` requires.
        unsafe { _mm256_maskload_ps(p, first(n)) }
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut f32, v: __m256) {
        // SAFETY: `self` proves that the machine has the instruction; `LANES` values are writable, as `Simd` requires.
        unsafe { _mm256_storeu_ps(p, v) }
    }
    #[inline(always)]
    unsafe fn store_first(self, p: *mut f32, v: __m256, n: usize) {
        // SAFETY: `self` proves that the machine has the instruction; `n` values are writable, as `Simd` requires.
        unsafe { _mm256_maskstore_ps(p, first(n), v) }
    }
    in_registers! {
        "avx2,fma"
        fn add(a: __m256, b: __m256) -> __m256 { _mm256_add_ps(a, b) }
        fn sub(a: __m256, b: __m256) -> __m256 { _mm256_sub_ps(a, b) }
        fn mul(a: __m256, b: __m256) -> __m256 { _mm256_mul_ps(a, b) }
        fn div(a: __m256, b: __m256) -> __m256 { _mm256_div_ps(a, b) }
        fn fma(a: __m256, b: __m256, c: __m256) -> __m256 { _mm256_fmadd_ps(a, b, c) }
        fn min(a: __m256, b: __m256) -> __m256 { _mm256_min_ps(a, b) }
        fn max(a: __m256, b: __m256) -> __m256 { _mm256_max_ps(a, b) }
        fn sqrt(a: __m256) -> __m256 { _mm256_sqrt_ps(a) }
        fn abs(a: __m256) -> __m256 { _mm256_andnot_ps(_mm256_set1_ps(-0.0), a) }
        fn round(a: __m256) -> __m256 { _mm256_round_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(a) }
        fn floor(a: __m256) -> __m256 { _mm256_round_ps::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(a) }
        fn scale(a: __m256, n: __m256) -> __m256 {
            let n = _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127));
            _mm256_mul_ps(a, _mm256_castsi256_ps(_mm256_slli_epi32::<23>(n)))
        }
        fn split_normal(x: __m256) -> (__m256, __m256) {
            let from_start = _mm256_sub_epi32(_mm256_castps_si256(x), _mm256_set1_epi32(0.75_f32.to_bits() as i32));
            let n = _mm256_srai_epi32::<23>(from_start);
            let m = _mm256_sub_epi32(_mm256_castps_si256(x), _mm256_slli_epi32::<23>(n));
            (_mm256_cvtepi32_ps(n), _mm256_castsi256_ps(m))
        }
        fn negate_odd(x: __m256, n: __m256) -> __m256 {
            _mm256_xor_ps(x, _mm256_castsi256_ps(_mm256_slli_epi32::<31>(_mm256_castps_si256(n))))
        }
        fn select_lt(a: __m256, b: __m256, yes: __m256, no: __m256) -> __m256 {
            _mm256_blendv_ps(no, yes, _mm256_cmp_ps::<_CMP_LT_OQ>(a, b))
        }
        fn all_lt(a: __m256, b: __m256) -> bool { _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(a, b)) == 0xff }
        fn sum(a: __m256) -> f32 {
            let a = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps::<1>(a));
            let a = _mm_add_ps(a, _mm_movehl_ps(a, a));
            _mm_cvtss_f32(_mm_add_ss(a, _mm_movehdup_ps(a)))
        }
        fn largest(a: __m256) -> f32 {
            let a = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps::<1>(a));
            let a = _mm_max_ps(a, _mm_movehl_ps(a, a));
            _mm_cvtss_f32(_mm_max_ss(a, _mm_movehdup_ps(a)))
        }
    }
    #[inline(always)]
    fn prefetch(self, p: *const f32) {
        // SAFETY: a prefetch never faults, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(p.cast()) }
    }
}

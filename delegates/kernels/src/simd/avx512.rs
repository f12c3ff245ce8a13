//! AVX-512: sixteen lanes, with masked loads and stores for fewer.

use core::arch::x86_64::*;

use super::Simd;

/// AVX-512: sixteen lanes.
#[derive(Clone, Copy)]
pub struct Avx512(());

/// The mask of the first `n` lanes.
#[inline(always)]
fn first(n: usize) -> __mmask16 {
    ((1u32 << n) - 1) as __mmask16
}

/// `√a`, correctly rounded, for numbers from 2⁻¹⁰⁰ on, of which no residual is subnormal: 14 bits of `1 / √a`, one step
/// of Newton's method for the root and for `1 / (2 √a)`, and a correction of the root by its exact residual. Numbers
/// below zero become NaN.
#[target_feature(enable = "avx512f")]
#[inline]
fn root(a: __m512) -> __m512 {
    let r = _mm512_rsqrt14_ps(a);
    let (root, half) = (_mm512_mul_ps(a, r), _mm512_mul_ps(r, _mm512_set1_ps(0.5)));
    let error = _mm512_fnmadd_ps(root, half, _mm512_set1_ps(0.5));
    let (root, half) = (_mm512_fmadd_ps(root, error, root), _mm512_fmadd_ps(half, error, half));
    _mm512_fmadd_ps(half, _mm512_fnmadd_ps(root, root, a), root)
}

/// `√a` for any numbers. Not inlined, because the compiler would then always compute this root and select one.
#[target_feature(enable = "avx512f")]
#[inline(never)]
fn root_of_any(a: __m512) -> __m512 {
    _mm512_sqrt_ps(a)
}

// SAFETY: only `new` creates a value, and it requires that the machine has the instructions.
unsafe impl Simd for Avx512 {
    const LANES: usize = 16;
    const MASKS: bool = true;
    const POWERS: usize = 32;
    type V = __m512;

    #[inline(always)]
    unsafe fn new() -> Self {
        Avx512(())
    }
    in_registers! {
        "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"
        fn splat(x: f32) -> __m512 { _mm512_set1_ps(x) }
    }
    #[inline(always)]
    unsafe fn load(self, p: *const f32) -> __m512 {
        // SAFETY: `self` proves that the machine has the instruction; `LANES` values are readable, as `Simd` requires.
        unsafe { _mm512_loadu_ps(p) }
    }
    #[inline(always)]
    unsafe fn load_first(self, p: *const f32, n: usize) -> __m512 {
        // SAFETY: `self` proves that the machine has the instruction; `n` values are readable, as `Simd` requires.
        unsafe { _mm512_maskz_loadu_ps(first(n), p) }
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut f32, v: __m512) {
        // SAFETY: `self` proves that the machine has the instruction; `LANES` values are writable, as `Simd` requires.
        unsafe { _mm512_storeu_ps(p, v) }
    }
    #[inline(always)]
    unsafe fn store_first(self, p: *mut f32, v: __m512, n: usize) {
        // SAFETY: `self` proves that the machine has the instruction; `n` values are writable, as `Simd` requires.
        unsafe { _mm512_mask_storeu_ps(p, first(n), v) }
    }
    in_registers! {
        "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"
        fn add(a: __m512, b: __m512) -> __m512 { _mm512_add_ps(a, b) }
        fn sub(a: __m512, b: __m512) -> __m512 { _mm512_sub_ps(a, b) }
        fn mul(a: __m512, b: __m512) -> __m512 { _mm512_mul_ps(a, b) }
        fn div(a: __m512, b: __m512) -> __m512 { _mm512_div_ps(a, b) }
        fn fma(a: __m512, b: __m512, c: __m512) -> __m512 { _mm512_fmadd_ps(a, b, c) }
        fn min(a: __m512, b: __m512) -> __m512 { _mm512_min_ps(a, b) }
        fn max(a: __m512, b: __m512) -> __m512 { _mm512_max_ps(a, b) }
        fn sqrt(a: __m512) -> __m512 { _mm512_sqrt_ps(a) }
        fn sqrt_of_two(a: [__m512; 2]) -> [__m512; 2] {
            /// Classes of `fpclass`.
            const NEGATIVE_ZERO: i32 = 1 << 2;
            const POSITIVE_INFINITY: i32 = 1 << 3;
            // While one unit computes the first roots, others compute the second ones.
            let [first, a] = [_mm512_sqrt_ps(a[0]), a[1]];
            let least = _mm512_set1_epi32((127 - 100) << 23);
            let is_small = _mm512_cmplt_epu32_mask(_mm512_castps_si512(a), least);
            let is_special = _mm512_fpclass_ps_mask::<{ NEGATIVE_ZERO | POSITIVE_INFINITY }>(a);
            [first, if is_small | is_special == 0 { root(a) } else { root_of_any(a) }]
        }
        fn abs(a: __m512) -> __m512 { _mm512_abs_ps(a) }
        fn round(a: __m512) -> __m512 { _mm512_roundscale_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(a) }
        fn floor(a: __m512) -> __m512 { _mm512_roundscale_ps::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(a) }
        fn scale(a: __m512, n: __m512) -> __m512 { _mm512_scalef_ps(a, n) }
        fn select_lt(a: __m512, b: __m512, yes: __m512, no: __m512) -> __m512 {
            _mm512_mask_blend_ps(_mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b), no, yes)
        }
        fn larger_magnitude(x: __m512, most: __m512) -> __m512 { _mm512_range_ps::<0b1011>(x, most) }
        fn farther(x: __m512, most: __m512) -> __m512 {
            // The larger magnitude, with a positive sign.
            _mm512_range_ps::<0b1011>(_mm512_reduce_ps::<0>(x), most)
        }
        fn all_lt(a: __m512, b: __m512) -> bool { _mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b) == u16::MAX }
        fn sum(a: __m512) -> f32 { _mm512_reduce_add_ps(a) }
        fn largest(a: __m512) -> f32 { _mm512_reduce_max_ps(a) }
    }
    #[inline(always)]
    fn split_normal(self, x: __m512) -> (__m512, __m512) {
        self.split(x)
    }
    #[inline(always)]
    fn prefetch(self, p: *const f32) {
        // SAFETY: a prefetch never faults, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(p.cast()) }
    }
    in_registers! {
        "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"
        fn power(n: __m512) -> __m512 {
            // The number of thirty-seconds is in the last bits, and the permutation reads only these.
            let low = _mm512_setr_ps(
                1.0, 1.021_897_2, 1.044_273_7, 1.067_140_5, 1.090_507_7, 1.114_386_8, 1.138_788_6, 1.163_724_9,
                1.189_207_1, 1.215_247_4, 1.241_857_8, 1.269_051, 1.296_839_6, 1.325_236_7, 1.354_255_6, 1.383_91,
            );
            let high = _mm512_setr_ps(
                core::f32::consts::SQRT_2, 1.445_180_8, 1.476_826_2, 1.509_164_5, 1.542_210_8, 1.575_980_9,
                1.610_490_3, 1.645_755_5, 1.681_792_9, 1.718_619_3, 1.756_252_2, 1.794_709_1, 1.834_008_1,
                1.874_167_7, 1.915_206_6, 1.957_144_1,
            );
            _mm512_permutex2var_ps(low, _mm512_castps_si512(n), high)
        }
        fn scale_far(a: __m512, n: __m512) -> __m512 { _mm512_scalef_ps(a, n) }
        fn inverse_root(a: __m512) -> __m512 {
            // 14 bits of 1 / √a, followed by one step of Newton's method. Zero, infinity, NaN and negative numbers have
            // no error that is a number; their approximation is exact.
            let r = _mm512_rsqrt14_ps(a);
            let e = _mm512_fnmadd_ps(_mm512_mul_ps(a, r), r, _mm512_set1_ps(1.0));
            let refined = _mm512_fmadd_ps(_mm512_mul_ps(r, _mm512_set1_ps(0.5)), e, r);
            let is_number = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(_mm512_abs_ps(e), _mm512_set1_ps(1.0));
            _mm512_mask_blend_ps(is_number, r, refined)
        }
        fn split(x: __m512) -> (__m512, __m512) {
            /// The sign of −0 is dropped, and numbers below zero become NaN.
            const SIGN: i32 = _MM_MANT_SIGN_ZERO | _MM_MANT_SIGN_NAN;
            let m = _mm512_getmant_ps::<_MM_MANT_NORM_P75_1P5, SIGN>(x);
            let n = _mm512_getexp_ps(x);
            let one = _mm512_set1_ps(1.0);
            (_mm512_mask_add_ps(n, _mm512_cmp_ps_mask::<_CMP_LT_OQ>(m, one), n, one), m)
        }
        fn negate_odd(x: __m512, n: __m512) -> __m512 {
            let sign = _mm512_slli_epi32::<31>(_mm512_castps_si512(n));
            _mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(x), sign))
        }
    }
}

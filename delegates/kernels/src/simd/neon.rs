//! NEON: four lanes.

use core::arch::aarch64::*;

use super::Simd;

/// NEON: four lanes.
#[derive(Clone, Copy)]
pub struct Neon(());

// SAFETY: only `new` creates a value, and it requires that the machine has the instructions.
unsafe impl Simd for Neon {
    const LANES: usize = 4;
    type V = float32x4_t;

    #[inline(always)]
    unsafe fn new() -> Self {
        Neon(())
    }
    in_registers! {
        "neon"
        fn splat(x: f32) -> float32x4_t { vdupq_n_f32(x) }
    }
    #[inline(always)]
    unsafe fn load(self, p: *const f32) -> float32x4_t {
        // SAFETY: `self` proves that the machine has the instruction; `LANES` values are readable, as `Simd` requires.
        unsafe { vld1q_f32(p) }
    }
    #[inline(always)]
    unsafe fn load_first(self, p: *const f32, n: usize) -> float32x4_t {
        // SAFETY: `self` proves that the machine has the instruction; `n` values are readable, as `Simd` requires.
        unsafe {
            let zero = vdupq_n_f32(0.0);
            match n {
                4.. => vld1q_f32(p),
                3 => vld1q_lane_f32::<2>(p.add(2), vcombine_f32(vld1_f32(p), vget_low_f32(zero))),
                2 => vcombine_f32(vld1_f32(p), vget_low_f32(zero)),
                1 => vld1q_lane_f32::<0>(p, zero),
                0 => zero,
            }
        }
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut f32, v: float32x4_t) {
        // SAFETY: `self` proves that the machine has the instruction; `LANES` values are writable, as `Simd` requires.
        unsafe { vst1q_f32(p, v) }
    }
    #[inline(always)]
    unsafe fn store_first(self, p: *mut f32, v: float32x4_t, n: usize) {
        // SAFETY: `self` proves that the machine has the instruction; `n` values are writable, as `Simd` requires.
        unsafe {
            match n {
                4.. => vst1q_f32(p, v),
                3 => {
                    vst1_f32(p, vget_low_f32(v));
                    vst1q_lane_f32::<2>(p.add(2), v);
                }
                2 => vst1_f32(p, vget_low_f32(v)),
                1 => vst1q_lane_f32::<0>(p, v),
                0 => {}
            }
        }
    }
    in_registers! {
        "neon"
        fn add(a: float32x4_t, b: float32x4_t) -> float32x4_t { vaddq_f32(a, b) }
        fn sub(a: float32x4_t, b: float32x4_t) -> float32x4_t { vsubq_f32(a, b) }
        fn mul(a: float32x4_t, b: float32x4_t) -> float32x4_t { vmulq_f32(a, b) }
        fn div(a: float32x4_t, b: float32x4_t) -> float32x4_t { vdivq_f32(a, b) }
        fn fma(a: float32x4_t, b: float32x4_t, c: float32x4_t) -> float32x4_t { vfmaq_f32(c, a, b) }
        fn min(a: float32x4_t, b: float32x4_t) -> float32x4_t { vbslq_f32(vcltq_f32(a, b), a, b) }
        fn max(a: float32x4_t, b: float32x4_t) -> float32x4_t { vbslq_f32(vcgtq_f32(a, b), a, b) }
        fn sqrt(a: float32x4_t) -> float32x4_t { vsqrtq_f32(a) }
        fn abs(a: float32x4_t) -> float32x4_t { vabsq_f32(a) }
        fn round(a: float32x4_t) -> float32x4_t { vrndnq_f32(a) }
        fn floor(a: float32x4_t) -> float32x4_t { vrndmq_f32(a) }
        fn scale(a: float32x4_t, n: float32x4_t) -> float32x4_t {
            let n = vaddq_s32(vcvtq_s32_f32(n), vdupq_n_s32(127));
            vmulq_f32(a, vreinterpretq_f32_s32(vshlq_n_s32::<23>(n)))
        }
        fn split_normal(x: float32x4_t) -> (float32x4_t, float32x4_t) {
            let bits = vreinterpretq_s32_f32(x);
            let n = vshrq_n_s32::<23>(vsubq_s32(bits, vdupq_n_s32(0.75_f32.to_bits() as i32)));
            (vcvtq_f32_s32(n), vreinterpretq_f32_s32(vsubq_s32(bits, vshlq_n_s32::<23>(n))))
        }
        fn negate_odd(x: float32x4_t, n: float32x4_t) -> float32x4_t {
            let sign = vshlq_n_u32::<31>(vreinterpretq_u32_f32(n));
            vreinterpretq_f32_u32(veorq_u32(vreinterpretq_u32_f32(x), sign))
        }
        fn select_lt(a: float32x4_t, b: float32x4_t, yes: float32x4_t, no: float32x4_t) -> float32x4_t {
            vbslq_f32(vcltq_f32(a, b), yes, no)
        }
        fn all_lt(a: float32x4_t, b: float32x4_t) -> bool { vminvq_u32(vcltq_f32(a, b)) == u32::MAX }
        fn sum(a: float32x4_t) -> f32 { vaddvq_f32(a) }
        fn largest(a: float32x4_t) -> f32 { vmaxvq_f32(a) }
    }
}

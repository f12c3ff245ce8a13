//! NEON: four lanes.

use core::arch::aarch64::*;

use super::Simd;

/// NEON: four lanes.
#[derive(Clone, Copy)]
pub struct Neon(());

// SAFETY: `new` is the only way to a value.
unsafe impl Simd for Neon {
    const LANES: usize = 4;
    type V = float32x4_t;

    #[inline(always)]
    unsafe fn new() -> Self {
        Neon(())
    }
    #[inline(always)]
    fn splat(self, x: f32) -> float32x4_t {
        // SAFETY: the machine has the instructions, `self` proves it.
        unsafe { vdupq_n_f32(x) }
    }
    #[inline(always)]
    unsafe fn load(self, p: *const f32) -> float32x4_t {
        // SAFETY: as above; readable, as the caller promises.
        unsafe { vld1q_f32(p) }
    }
    #[inline(always)]
    unsafe fn load_first(self, p: *const f32, n: usize) -> float32x4_t {
        // SAFETY: as above; `n` values are readable, as the caller promises.
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
        // SAFETY: as above; writable, as the caller promises.
        unsafe { vst1q_f32(p, v) }
    }
    #[inline(always)]
    unsafe fn store_first(self, p: *mut f32, v: float32x4_t, n: usize) {
        // SAFETY: as above; `n` values are writable, as the caller promises.
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
    #[inline(always)]
    fn add(self, a: float32x4_t, b: float32x4_t) -> float32x4_t {
        // SAFETY: as above.
        unsafe { vaddq_f32(a, b) }
    }
    #[inline(always)]
    fn sub(self, a: float32x4_t, b: float32x4_t) -> float32x4_t {
        // SAFETY: as above.
        unsafe { vsubq_f32(a, b) }
    }
    #[inline(always)]
    fn mul(self, a: float32x4_t, b: float32x4_t) -> float32x4_t {
        // SAFETY: as above.
        unsafe { vmulq_f32(a, b) }
    }
    #[inline(always)]
    fn div(self, a: float32x4_t, b: float32x4_t) -> float32x4_t {
        // SAFETY: as above.
        unsafe { vdivq_f32(a, b) }
    }
    #[inline(always)]
    fn fma(self, a: float32x4_t, b: float32x4_t, c: float32x4_t) -> float32x4_t {
        // SAFETY: as above.
        unsafe { vfmaq_f32(c, a, b) }
    }
    #[inline(always)]
    fn min(self, a: float32x4_t, b: float32x4_t) -> float32x4_t {
        // SAFETY: as above.
        unsafe { vbslq_f32(vcltq_f32(a, b), a, b) }
    }
    #[inline(always)]
    fn max(self, a: float32x4_t, b: float32x4_t) -> float32x4_t {
        // SAFETY: as above.
        unsafe { vbslq_f32(vcgtq_f32(a, b), a, b) }
    }
    #[inline(always)]
    fn sqrt(self, a: float32x4_t) -> float32x4_t {
        // SAFETY: as above.
        unsafe { vsqrtq_f32(a) }
    }
    #[inline(always)]
    fn abs(self, a: float32x4_t) -> float32x4_t {
        // SAFETY: as above.
        unsafe { vabsq_f32(a) }
    }
    #[inline(always)]
    fn round(self, a: float32x4_t) -> float32x4_t {
        // SAFETY: as above.
        unsafe { vrndnq_f32(a) }
    }
    #[inline(always)]
    fn floor(self, a: float32x4_t) -> float32x4_t {
        // SAFETY: as above.
        unsafe { vrndmq_f32(a) }
    }
    #[inline(always)]
    fn scale(self, a: float32x4_t, n: float32x4_t) -> float32x4_t {
        // SAFETY: as above.
        unsafe {
            let n = vaddq_s32(vcvtq_s32_f32(n), vdupq_n_s32(127));
            vmulq_f32(a, vreinterpretq_f32_s32(vshlq_n_s32::<23>(n)))
        }
    }
    #[inline(always)]
    fn select_lt(self, a: float32x4_t, b: float32x4_t, yes: float32x4_t, no: float32x4_t) -> float32x4_t {
        // SAFETY: as above.
        unsafe { vbslq_f32(vcltq_f32(a, b), yes, no) }
    }
    #[inline(always)]
    fn sum(self, a: float32x4_t) -> f32 {
        // SAFETY: as above.
        unsafe { vaddvq_f32(a) }
    }
    #[inline(always)]
    fn largest(self, a: float32x4_t) -> f32 {
        // SAFETY: as above.
        unsafe { vmaxvq_f32(a) }
    }
}

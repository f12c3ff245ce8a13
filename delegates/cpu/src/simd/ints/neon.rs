//! NEON: four lanes.

use core::arch::aarch64::*;

use super::scalar::{byte, scale_lane};
use super::{Ints, MOST};
use crate::requantize::Bytes;
use crate::simd::Neon;

const N: usize = 4;

#[inline(always)]
fn lanes(x: int32x4_t) -> [i32; N] {
    // SAFETY: both are 16 bytes of integers.
    unsafe { core::mem::transmute(x) }
}

// SAFETY: `Neon` proves that the machine has the instructions.
unsafe impl Ints for Neon {
    type I = int32x4_t;
    type B = uint8x16_t;

    #[inline(always)]
    fn splat_i32(self, x: i32) -> int32x4_t {
        // SAFETY: the machine has the instructions, `self` proves it.
        unsafe { vdupq_n_s32(x) }
    }
    #[inline(always)]
    unsafe fn load_i32(self, p: *const i32) -> int32x4_t {
        // SAFETY: as above; readable, as the caller promises.
        unsafe { vld1q_s32(p) }
    }
    #[inline(always)]
    fn add_i32(self, a: int32x4_t, b: int32x4_t) -> int32x4_t {
        // SAFETY: as above.
        unsafe { vaddq_s32(a, b) }
    }
    #[inline(always)]
    fn sub_i32(self, a: int32x4_t, b: int32x4_t) -> int32x4_t {
        // SAFETY: as above.
        unsafe { vsubq_s32(a, b) }
    }
    #[inline(always)]
    fn mul_i32(self, a: int32x4_t, b: int32x4_t) -> int32x4_t {
        // SAFETY: as above.
        unsafe { vmulq_s32(a, b) }
    }
    #[inline(always)]
    fn decrement_below(self, a: int32x4_t, x: int32x4_t, middle: i32) -> int32x4_t {
        // SAFETY: as above. The comparison gives −1 where it holds.
        unsafe { vaddq_s32(a, vreinterpretq_s32_u32(vcltq_s32(x, vdupq_n_s32(middle)))) }
    }
    #[inline(always)]
    fn shift_left(self, a: int32x4_t, n: u32) -> int32x4_t {
        // SAFETY: as above.
        unsafe { vshlq_s32(a, vdupq_n_s32(n as i32)) }
    }
    #[inline(always)]
    fn real(self, x: int32x4_t) -> float32x4_t {
        // SAFETY: as above.
        unsafe { vcvtq_f32_s32(x) }
    }
    #[inline(always)]
    fn round_i32(self, x: float32x4_t) -> int32x4_t {
        // SAFETY: as above. NaN stays NaN, whose conversion is 0.
        unsafe { vcvtnq_s32_f32(vminq_f32(vmaxq_f32(x, vdupq_n_f32(-MOST)), vdupq_n_f32(MOST))) }
    }
    #[inline(always)]
    unsafe fn widen(self, p: *const u8) -> int32x4_t {
        // SAFETY: as above; four bytes, as the caller promises.
        unsafe {
            let four = vcreate_u8(p.cast::<u32>().read_unaligned().into());
            vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(vmovl_u8(four))))
        }
    }
    #[inline(always)]
    unsafe fn requantize<const L: bool, const A: bool>(self, x: int32x4_t, block: *const i64) -> int32x4_t {
        let x = lanes(x);
        // SAFETY: the caller's promise.
        let scaled: [i32; N] = std::array::from_fn(|i| unsafe { scale_lane(N, i, x[i], block) });
        // SAFETY: as above; an array of four.
        unsafe { vld1q_s32(scaled.as_ptr()) }
    }
    #[inline(always)]
    unsafe fn narrow<const V: usize>(self, x: &[int32x4_t; V], bytes: &Bytes, c: *mut u8, n: usize) {
        for i in 0..n {
            // SAFETY: `n` bytes are writable.
            unsafe { *c.add(i) = byte(lanes(x[i / N])[i % N], bytes) };
        }
    }
    #[inline(always)]
    unsafe fn load_runs<const P: usize>(self, p: *const u8, step: usize, n: usize) -> uint8x16_t {
        let mut b = [0u8; 16];
        // SAFETY: the caller's promise.
        unsafe {
            if P == 1 && n >= 16 {
                return vld1q_u8(p);
            }
            for (i, run) in b.chunks_exact_mut(16 / P).enumerate() {
                core::ptr::copy_nonoverlapping(p.add(i * step), run.as_mut_ptr(), n.min(16 / P));
            }
            vld1q_u8(b.as_ptr())
        }
    }
    #[inline(always)]
    unsafe fn store_runs<const P: usize>(
        self,
        p: *mut u8,
        step: usize,
        n: usize,
        count: usize,
        b: uint8x16_t,
    ) {
        let mut all = [0u8; 16];
        // SAFETY: the caller's promise.
        unsafe {
            if P == 1 && n >= 16 {
                return vst1q_u8(p, b);
            }
            vst1q_u8(all.as_mut_ptr(), b);
            for (i, run) in all.chunks_exact(16 / P).enumerate().take(count) {
                core::ptr::copy_nonoverlapping(run.as_ptr(), p.add(i * step), n.min(16 / P));
            }
        }
    }
    #[inline(always)]
    unsafe fn store_bytes(self, p: *mut u8, b: uint8x16_t) {
        // SAFETY: writable, as the caller promises.
        unsafe { vst1q_u8(p, b) }
    }
    #[inline(always)]
    fn largest_bytes(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        // SAFETY: as above.
        unsafe { vmaxq_u8(a, b) }
    }
    #[inline(always)]
    fn clamp_bytes(self, b: uint8x16_t, low: u8, high: u8) -> uint8x16_t {
        // SAFETY: as above.
        unsafe { vminq_u8(vmaxq_u8(b, vdupq_n_u8(low)), vdupq_n_u8(high)) }
    }
    #[inline(always)]
    fn interleave(self, r: [uint8x16_t; 4]) -> [uint8x16_t; 4] {
        // SAFETY: the machine has the instructions, `self` proves it.
        unsafe {
            let words = |a, b| [vreinterpretq_u16_u8(vzip1q_u8(a, b)), vreinterpretq_u16_u8(vzip2q_u8(a, b))];
            let (first, last) = (words(r[0], r[1]), words(r[2], r[3]));
            let low = [0, 1].map(|i| vreinterpretq_u8_u16(vzip1q_u16(first[i], last[i])));
            let high = [0, 1].map(|i| vreinterpretq_u8_u16(vzip2q_u16(first[i], last[i])));
            [low[0], high[0], low[1], high[1]]
        }
    }
    #[inline(always)]
    fn narrow_interleaved(self, x: [int32x4_t; 4], bytes: &Bytes) -> uint8x16_t {
        let all: [u8; 16] = std::array::from_fn(|i| byte(lanes(x[i / N])[i % N], bytes));
        // SAFETY: as above; sixteen bytes.
        unsafe { vld1q_u8(all.as_ptr()) }
    }
}

//! NEON: products of words.

use core::arch::aarch64::*;

use super::Dot;
use crate::simd::{Neon, Simd};

/// NEON.
#[derive(Clone, Copy)]
pub struct NeonWords(Neon);

/// Bytes as words.
///
/// # Safety
/// The machine has the instructions.
#[inline(always)]
unsafe fn words(bytes: uint8x8_t) -> int16x8_t {
    // SAFETY: the caller's promise.
    unsafe { vreinterpretq_s16_u16(vmovl_u8(bytes)) }
}

// SAFETY: `new` is the only way to a value.
unsafe impl Dot for NeonWords {
    type S = Neon;
    /// Four bytes as words: lanes 0 and 1, 2 and 3.
    type A = [int16x8_t; 2];
    /// Columns 0 and 1, 2 and 3.
    type W = [int8x8_t; 2];
    const WEIGHTS: usize = 16;

    #[inline(always)]
    unsafe fn new() -> Self {
        // SAFETY: the caller's promise.
        NeonWords(unsafe { Neon::new() })
    }
    #[inline(always)]
    fn ints(self) -> Neon {
        self.0
    }
    #[inline(always)]
    fn spread(self, four: u32) -> [int16x8_t; 2] {
        // SAFETY: the machine has the instructions, `self` proves it.
        unsafe { [words(vreinterpret_u8_u32(vdup_n_u32(four))); 2] }
    }
    #[inline(always)]
    unsafe fn fours(self, p: *const u8) -> [int16x8_t; 2] {
        // SAFETY: as above; readable, as the caller promises.
        unsafe { [words(vld1_u8(p)), words(vld1_u8(p.add(8)))] }
    }
    #[inline(always)]
    unsafe fn weights(self, p: *const u8) -> [int8x8_t; 2] {
        // SAFETY: as above; readable, as the caller promises.
        unsafe { [vld1_s8(p.cast()), vld1_s8(p.add(8).cast())] }
    }
    #[inline(always)]
    fn dot(self, sum: int32x4_t, a: [int16x8_t; 2], w: [int8x8_t; 2]) -> int32x4_t {
        // SAFETY: as above.
        unsafe {
            let lanes = |a: int16x8_t, w: int8x8_t| {
                let w = vmovl_s8(w);
                let low = vmull_s16(vget_low_s16(a), vget_low_s16(w));
                vpaddq_s32(low, vmull_s16(vget_high_s16(a), vget_high_s16(w)))
            };
            vaddq_s32(sum, vpaddq_s32(lanes(a[0], w[0]), lanes(a[1], w[1])))
        }
    }
}

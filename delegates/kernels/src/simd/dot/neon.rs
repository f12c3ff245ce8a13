//! NEON: products of signed bytes as words, added in pairs. What is unsigned is taken as 128 less.

use core::arch::aarch64::*;

use super::{ByLane, Dot};
use crate::simd::{Neon, Simd};

/// NEON.
#[derive(Clone, Copy)]
pub struct NeonBytes(Neon);

/// Signed bytes, 128 less.
///
/// # Safety
/// The machine has the instructions.
#[inline(always)]
pub(super) unsafe fn less(bytes: uint8x16_t) -> int8x16_t {
    // SAFETY: the caller says that the machine has the instructions, which touch registers only.
    unsafe { vreinterpretq_s8_u8(veorq_u8(bytes, vdupq_n_u8(128))) }
}

/// What of [`Dot`] is the same for all vectors of signed bytes that are [`less`].
macro_rules! signed_bytes {
    ($type:ident) => {
        type S = Neon;
        type A = int8x16_t;
        type W = int8x16_t;
        const WEIGHTS: usize = 16;
        const OFFSET: u8 = 128;

        #[inline(always)]
        unsafe fn new() -> Self {
            // SAFETY: the caller says that the machine has the instructions.
            $type(unsafe { Neon::new() })
        }
        #[inline(always)]
        fn ints(self) -> Neon {
            self.0
        }
        #[inline(always)]
        fn spread(self, four: u32) -> int8x16_t {
            // SAFETY: the machine has the instructions, `self` proves it.
            unsafe { $crate::simd::dot::neon::less(vreinterpretq_u8_u32(vdupq_n_u32(four))) }
        }
        #[inline(always)]
        unsafe fn fours(self, p: *const u8) -> int8x16_t {
            // SAFETY: `self` proves the instructions; a vector of bytes is read, which the caller says is there.
            unsafe { vld1q_s8(p.cast()) }
        }
        #[inline(always)]
        unsafe fn weights(self, p: *const u8) -> int8x16_t {
            // SAFETY: `self` proves the instructions; a vector is read, which the caller says is there.
            unsafe { vld1q_s8(p.cast()) }
        }
    };
}
pub(super) use signed_bytes;

// SAFETY: `new` is the only way to a value.
unsafe impl Dot for NeonBytes {
    signed_bytes!(NeonBytes);

    /// Two products may exceed a word, (−128)² + (−128)², so they are added as 32 bits.
    #[inline(always)]
    fn dot(self, sum: int32x4_t, a: int8x16_t, w: int8x16_t) -> int32x4_t {
        // SAFETY: `self` proves the instructions, which touch registers only.
        unsafe {
            let low = vpaddlq_s16(vmull_s8(vget_low_s8(a), vget_low_s8(w)));
            let high = vpaddlq_s16(vmull_high_s8(a, w));
            vaddq_s32(sum, vpaddq_s32(low, high))
        }
    }
}

impl ByLane for NeonBytes {
    /// In pairs of lanes: those of the low lanes, those of the high ones.
    type Sum = [int32x4_t; 2];
    const REGISTERS: usize = 2;

    #[inline(always)]
    fn nothing(self) -> [int32x4_t; 2] {
        // SAFETY: `self` proves the instructions, which touch registers only.
        unsafe { [vdupq_n_s32(0); 2] }
    }
    #[inline(always)]
    fn dot_group<const G: i32>(self, sum: [int32x4_t; 2], a: int8x16_t, w: int8x16_t) -> [int32x4_t; 2] {
        // SAFETY: `self` proves the instructions, which touch registers only.
        unsafe {
            let a = vreinterpretq_s8_s32(vdupq_laneq_s32::<G>(vreinterpretq_s32_s8(a)));
            let low = vmull_s8(vget_low_s8(a), vget_low_s8(w));
            [vpadalq_s16(sum[0], low), vpadalq_s16(sum[1], vmull_high_s8(a, w))]
        }
    }
    #[inline(always)]
    fn total(self, sum: [int32x4_t; 2]) -> int32x4_t {
        // SAFETY: `self` proves the instructions, which touch registers only.
        unsafe { vpaddq_s32(sum[0], sum[1]) }
    }
}

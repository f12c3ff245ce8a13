//! NEON: products of signed bytes as words, added in pairs. 128 is subtracted from unsigned bytes.

use core::arch::aarch64::*;

use super::{ByLane, Dot};
use crate::simd::{Neon, Simd};

/// Dot products with NEON.
#[derive(Clone, Copy)]
pub struct NeonBytes(Neon);

/// The methods of [`Dot`] that are the same for all vectors of signed bytes after [`less`](super::less).
macro_rules! signed_bytes {
    ($type:ident) => {
        type S = Neon;
        type A = int8x16_t;
        type W = int8x16_t;
        const WEIGHTS: usize = 16;
        const OFFSET: u8 = 128;

        #[inline(always)]
        unsafe fn new() -> Self {
            // SAFETY: the machine has the instructions, as `new` requires.
            $type(unsafe { Neon::new() })
        }
        #[inline(always)]
        fn ints(self) -> Neon {
            self.0
        }
        #[inline(always)]
        fn spread(self, four: u32) -> int8x16_t {
            // SAFETY: `self` proves that the machine has the instructions.
            unsafe { $crate::simd::dot::less(vreinterpretq_u8_u32(vdupq_n_u32(four))) }
        }
        #[inline(always)]
        unsafe fn fours(self, p: *const u8) -> int8x16_t {
            // SAFETY: `self` proves that the machine has the instructions; a vector of bytes is readable, as `Dot`
            // requires.
            unsafe { vld1q_s8(p.cast()) }
        }
        #[inline(always)]
        unsafe fn weights(self, p: *const u8) -> int8x16_t {
            // SAFETY: `self` proves that the machine has the instructions; a vector of weights is readable, as `Dot`
            // requires.
            unsafe { vld1q_s8(p.cast()) }
        }
    };
}
pub(super) use signed_bytes;

// SAFETY: only `new` creates a value, and it requires that the machine has the instructions.
unsafe impl Dot for NeonBytes {
    signed_bytes!(NeonBytes);

    /// Two products may exceed a word, as (−128)² + (−128)², so they are added in 32 bits.
    #[inline(always)]
    fn dot(self, sum: int32x4_t, a: int8x16_t, w: int8x16_t) -> int32x4_t {
        // SAFETY: `self` proves that the machine has the instructions, which access only registers.
        unsafe {
            let low = vpaddlq_s16(vmull_s8(vget_low_s8(a), vget_low_s8(w)));
            let high = vpaddlq_s16(vmull_high_s8(a, w));
            vaddq_s32(sum, vpaddq_s32(low, high))
        }
    }
}

impl ByLane for NeonBytes {
    /// Sums in pairs of lanes: of the low lanes, and of the high lanes.
    type Sum = [int32x4_t; 2];
    const REGISTERS: usize = 2;

    #[inline(always)]
    fn nothing(self) -> [int32x4_t; 2] {
        // SAFETY: `self` proves that the machine has the instructions, which access only registers.
        unsafe { [vdupq_n_s32(0); 2] }
    }
    #[inline(always)]
    fn dot_group<const G: i32>(self, sum: [int32x4_t; 2], a: int8x16_t, w: int8x16_t) -> [int32x4_t; 2] {
        // SAFETY: `self` proves that the machine has the instructions, which access only registers.
        unsafe {
            let a = vreinterpretq_s8_s32(vdupq_laneq_s32::<G>(vreinterpretq_s32_s8(a)));
            let low = vmull_s8(vget_low_s8(a), vget_low_s8(w));
            [vpadalq_s16(sum[0], low), vpadalq_s16(sum[1], vmull_high_s8(a, w))]
        }
    }
    #[inline(always)]
    fn total(self, sum: [int32x4_t; 2]) -> int32x4_t {
        // SAFETY: `self` proves that the machine has the instructions, which access only registers.
        unsafe { vpaddq_s32(sum[0], sum[1]) }
    }
}

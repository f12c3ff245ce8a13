//! NEON's instructions for 8-bit matrices: products of unsigned and signed bytes.

use core::arch::aarch64::*;
use core::arch::asm;

use super::{ByPair, Dot};
use crate::simd::{Neon, Simd};

/// Dot products with the matrix instructions of NEON.
#[derive(Clone, Copy)]
pub struct NeonI8mm(Neon);

// SAFETY: only `new` creates a value, and it requires that the machine has the instructions.
unsafe impl Dot for NeonI8mm {
    type S = Neon;
    type A = uint8x16_t;
    type W = int8x16_t;
    const WEIGHTS: usize = 16;
    const OFFSET: u8 = 0;

    #[inline(always)]
    unsafe fn new() -> Self {
        // SAFETY: the machine has the instructions, as `new` requires.
        NeonI8mm(unsafe { Neon::new() })
    }
    #[inline(always)]
    fn ints(self) -> Neon {
        self.0
    }
    #[inline(always)]
    fn spread(self, four: u32) -> uint8x16_t {
        // SAFETY: `self` proves that the machine has the instructions.
        unsafe { vreinterpretq_u8_u32(vdupq_n_u32(four)) }
    }
    #[inline(always)]
    unsafe fn fours(self, p: *const u8) -> uint8x16_t {
        // SAFETY: `self` proves that the machine has the instructions; a vector of bytes is readable, as `Dot`
        // requires.
        unsafe { vld1q_u8(p) }
    }
    #[inline(always)]
    unsafe fn weights(self, p: *const u8) -> int8x16_t {
        // SAFETY: `self` proves that the machine has the instructions; a vector of weights is readable, as `Dot`
        // requires.
        unsafe { vld1q_s8(p.cast()) }
    }
    #[inline(always)]
    fn dot(self, mut sum: int32x4_t, a: uint8x16_t, w: int8x16_t) -> int32x4_t {
        // SAFETY: `self` proves that the machine has the instruction, which accesses only registers.
        unsafe {
            asm!(
                "usdot {sum:v}.4s, {a:v}.16b, {w:v}.16b",
                sum = inout(vreg) sum,
                a = in(vreg) a,
                w = in(vreg) w,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        sum
    }
}

impl ByPair for NeonI8mm {
    #[inline(always)]
    fn multiply(self, mut sums: int32x4_t, rows: uint8x16_t, columns: int8x16_t) -> int32x4_t {
        // SAFETY: `self` proves that the machine has the instruction, which accesses only registers.
        unsafe {
            asm!(
                "usmmla {sums:v}.4s, {rows:v}.16b, {columns:v}.16b",
                sums = inout(vreg) sums,
                rows = in(vreg) rows,
                columns = in(vreg) columns,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        sums
    }
}

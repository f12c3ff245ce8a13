//! NEON: dot products of four signed bytes. 128 is subtracted from unsigned bytes.

use core::arch::aarch64::*;
use core::arch::asm;

use super::neon::signed_bytes;
use super::{ByLane, Dot};
use crate::simd::{Neon, Simd};

/// Dot products with the dot product instructions of NEON.
#[derive(Clone, Copy)]
pub struct NeonDot(Neon);

/// Adds the products of four bytes of `a` and the weights of each lane to `sum`.
macro_rules! sdot {
    ($sum:ident, $a:ident, $w:ident, $which:literal) => {
        // SAFETY: a `NeonDot` proves that the machine has the instruction, which accesses only registers.
        unsafe {
            asm!(
                concat!("sdot {sum:v}.4s, {w:v}.16b, {a:v}", $which),
                sum = inout(vreg) $sum,
                w = in(vreg) $w,
                a = in(vreg) $a,
                options(pure, nomem, nostack, preserves_flags),
            )
        }
    };
}

// SAFETY: only `new` creates a value, and it requires that the machine has the instructions.
unsafe impl Dot for NeonDot {
    signed_bytes!(NeonDot);

    #[inline(always)]
    fn dot(self, mut sum: int32x4_t, a: int8x16_t, w: int8x16_t) -> int32x4_t {
        sdot!(sum, a, w, ".16b");
        sum
    }
}

impl ByLane for NeonDot {
    type Sum = int32x4_t;
    const REGISTERS: usize = 1;

    #[inline(always)]
    fn nothing(self) -> int32x4_t {
        // SAFETY: `self` proves that the machine has the instructions.
        unsafe { vdupq_n_s32(0) }
    }
    #[inline(always)]
    fn dot_group<const G: i32>(self, mut sum: int32x4_t, a: int8x16_t, w: int8x16_t) -> int32x4_t {
        match G {
            0 => sdot!(sum, a, w, ".4b[0]"),
            1 => sdot!(sum, a, w, ".4b[1]"),
            2 => sdot!(sum, a, w, ".4b[2]"),
            _ => sdot!(sum, a, w, ".4b[3]"),
        }
        sum
    }
    #[inline(always)]
    fn total(self, sum: int32x4_t) -> int32x4_t {
        sum
    }
}

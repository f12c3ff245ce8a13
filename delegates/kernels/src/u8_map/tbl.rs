//! NEON: a table of 256 bytes in sixteen registers.

use core::arch::aarch64::*;

use super::body::Lookup;
use crate::simd::Neon;

// SAFETY: `Neon` proves that the machine has the instructions.
unsafe impl Lookup for Neon {
    type S = Neon;
    type Table<'t> = [uint8x16x4_t; 4];

    #[inline(always)]
    fn ints(self) -> Neon {
        self
    }
    #[inline(always)]
    fn table(self, table: &[u8; 256]) -> [uint8x16x4_t; 4] {
        // SAFETY: `self` proves that the machine has the instructions; each quarter has 64 bytes.
        [0, 64, 128, 192].map(|at| unsafe { vld1q_u8_x4(table[at..].as_ptr()) })
    }
    /// Looks up each quarter in turn: numbers outside a quarter leave the result unchanged.
    #[inline(always)]
    fn look(self, quarters: [uint8x16x4_t; 4], x: uint8x16_t) -> uint8x16_t {
        // SAFETY: `self` proves that the machine has the instructions, which access only registers.
        unsafe {
            let quarter = vdupq_n_u8(64);
            let (second, third) = (vsubq_u8(x, quarter), vsubq_u8(x, vdupq_n_u8(128)));
            let looked = vqtbx4q_u8(vqtbl4q_u8(quarters[0], x), quarters[1], second);
            vqtbx4q_u8(vqtbx4q_u8(looked, quarters[2], third), quarters[3], vsubq_u8(third, quarter))
        }
    }
}

//! NEON: a table of 256 bytes in sixteen registers.

use core::arch::aarch64::*;

/// Looks up 16 bytes in each quarter of the table: numbers outside a quarter leave what is there.
#[inline(always)]
unsafe fn look(quarters: &[uint8x16x4_t; 4], x: uint8x16_t) -> uint8x16_t {
    // SAFETY: the caller has the instructions.
    unsafe {
        let quarter = vdupq_n_u8(64);
        let (second, third) = (vsubq_u8(x, quarter), vsubq_u8(x, vdupq_n_u8(128)));
        let looked = vqtbx4q_u8(vqtbl4q_u8(quarters[0], x), quarters[1], second);
        vqtbx4q_u8(vqtbx4q_u8(looked, quarters[2], third), quarters[3], vsubq_u8(third, quarter))
    }
}

/// # Safety
/// The machine has the instructions; `x` is readable and `y` writable for `n` bytes.
#[target_feature(enable = "neon")]
pub(super) unsafe fn lookup(n: usize, x: *const u8, table: &[u8; 256], y: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe {
        let quarters = [0, 64, 128, 192].map(|i| vld1q_u8_x4(table.as_ptr().add(i)));
        let mut i = 0;
        while i + 16 <= n {
            vst1q_u8(y.add(i), look(&quarters, vld1q_u8(x.add(i))));
            i += 16;
        }
        while i < n {
            *y.add(i) = table[usize::from(*x.add(i))];
            i += 1;
        }
    }
}

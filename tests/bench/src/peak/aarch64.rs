//! NEON; for bytes the dot product if available.

use std::arch::aarch64::*;
use std::arch::{asm, is_aarch64_feature_detected};
use std::hint::black_box;

use super::Chain;

/// The number of independent sums: enough to hide a latency of four cycles on four ports.
const SUMS: usize = 16;

/// The same if each sum has its own factor.
const PAIRED_SUMS: usize = 8;

/// Every core of this architecture has NEON.
pub fn float() -> Chain {
    Chain { isa: "neon", run: float_neon, operations: 2 * 4 * SUMS as u64 }
}

pub fn int8() -> Chain {
    match is_aarch64_feature_detected!("dotprod") {
        // SAFETY: the machine has the dot product.
        true => Chain {
            isa: "neon_dot",
            run: |rounds| unsafe { int8_dot(rounds) },
            operations: 2 * 16 * SUMS as u64,
        },
        false => Chain { isa: "neon", run: int8_neon, operations: 2 * 8 * PAIRED_SUMS as u64 },
    }
}

fn float_neon(rounds: u64) {
    // SAFETY: every core of this architecture has NEON.
    unsafe {
        let (x, y) = black_box((vdupq_n_f32(1.0), vdupq_n_f32(1e-9)));
        let mut sums = black_box([y; SUMS]);
        for _ in 0..rounds {
            for sum in &mut sums {
                *sum = vfmaq_f32(*sum, x, y);
            }
        }
        black_box(sums);
    }
}

/// Products of bytes in 16 bits, added in pairs. One factor changes each round and the others differ, so that no
/// product can be hoisted.
fn int8_neon(rounds: u64) {
    // SAFETY: every core of this architecture has NEON.
    unsafe {
        let (mut x, one) = black_box((vdup_n_s8(3), vdup_n_s8(1)));
        let factors = black_box([vdup_n_s8(-2); PAIRED_SUMS]);
        let mut sums = black_box([vdupq_n_s32(0); PAIRED_SUMS]);
        for _ in 0..rounds {
            x = vadd_s8(x, one);
            for (sum, factor) in sums.iter_mut().zip(factors) {
                *sum = vpadalq_s16(*sum, vmull_s8(x, factor));
            }
        }
        black_box(sums);
    }
}

/// # Safety
///
/// The machine must have the dot product.
unsafe fn int8_dot(rounds: u64) {
    // SAFETY: every core of this architecture has NEON, and the caller guarantees the dot product; the instruction
    // accesses only the registers that it names.
    unsafe {
        let (x, y) = black_box((vdupq_n_s8(3), vdupq_n_s8(-2)));
        let mut sums = black_box([vdupq_n_s32(0); SUMS]);
        for _ in 0..rounds {
            for sum in &mut sums {
                asm!(
                    ".arch_extension dotprod",
                    "sdot {sum:v}.4s, {x:v}.16b, {y:v}.16b",
                    sum = inout(vreg) *sum, x = in(vreg) x, y = in(vreg) y,
                    options(pure, nomem, nostack, preserves_flags),
                );
            }
        }
        black_box(sums);
    }
}

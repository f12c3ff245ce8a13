//! NEON: transposes blocks of 4 × 4 elements of 4 bytes in four registers.

use core::arch::aarch64::*;

use super::blocks::{self, Matrix};

/// # Safety
/// The arguments must meet the requirements of [`super::Kernel`].
#[target_feature(enable = "neon")]
pub(super) unsafe fn transpose_x32(m: &Matrix) {
    let (rows, columns) = (m.rows & !3, m.columns & !3);
    for b in (0..rows).step_by(4) {
        for a in (0..columns).step_by(4) {
            // SAFETY: the block is within both matrices.
            unsafe {
                let from = m.from.cast::<u32>().offset(b as isize * m.from_row + a as isize);
                let to = m.to.cast::<u32>().offset(a as isize * m.to_row + b as isize);
                let x = core::array::from_fn(|i| vld1q_u32(from.offset(i as isize * m.from_row)));
                for (i, y) in transpose_4x4(x).into_iter().enumerate() {
                    vst1q_u32(to.offset(i as isize * m.to_row), y);
                }
            }
        }
    }
    // SAFETY: the elements to the right of and below the whole blocks are within the matrix, as `Kernel` requires.
    unsafe {
        blocks::block::<u32>(m, 0..rows, columns..m.columns);
        blocks::block::<u32>(m, rows..m.rows, 0..m.columns);
    }
}

/// Interleaves rows that are two apart, then interleaves the results.
#[inline]
#[target_feature(enable = "neon")]
fn transpose_4x4(x: [uint32x4_t; 4]) -> [uint32x4_t; 4] {
    let even = [vzip1q_u32(x[0], x[2]), vzip2q_u32(x[0], x[2])];
    let odd = [vzip1q_u32(x[1], x[3]), vzip2q_u32(x[1], x[3])];
    [
        vzip1q_u32(even[0], odd[0]),
        vzip2q_u32(even[0], odd[0]),
        vzip1q_u32(even[1], odd[1]),
        vzip2q_u32(even[1], odd[1]),
    ]
}

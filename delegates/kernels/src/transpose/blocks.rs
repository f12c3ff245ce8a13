//! Blocks of 8 × 8 elements, so that each line of memory is used while it is in the cache.

use super::Matrix;

const BLOCK: usize = 8;

/// # Safety
/// That of [`super::Kernel`].
pub unsafe fn transpose<T: Copy>(m: &Matrix) {
    for b in (0..m.rows).step_by(BLOCK) {
        for a in (0..m.columns).step_by(BLOCK) {
            // SAFETY: rows and columns of the blocks are below those of the matrix, whose elements are all there on both sides, as `Kernel`
            // asks.
            unsafe { block::<T>(m, (b, BLOCK.min(m.rows - b)), (a, BLOCK.min(m.columns - a))) };
        }
    }
}

/// Transposes `rows` and `columns`, each given as first and number.
///
/// # Safety
/// As above, for that block.
pub unsafe fn block<T: Copy>(m: &Matrix, rows: (usize, usize), columns: (usize, usize)) {
    for a in columns.0..columns.0 + columns.1 {
        for b in rows.0..rows.0 + rows.1 {
            // SAFETY: inside both matrices.
            unsafe {
                let x = *m.from.cast::<T>().offset(b as isize * m.from_row + a as isize);
                *m.to.cast::<T>().offset(a as isize * m.to_row + b as isize) = x;
            }
        }
    }
}

//! Transposes a matrix in blocks of 8 × 8 elements, so that each cache line is used while it is in the cache.

use core::ops::Range;

const BLOCK: usize = 8;

/// The arguments of a transposition: a source of `rows × columns` elements and a target of `columns × rows`.
#[derive(Clone, Copy)]
pub struct Matrix {
    /// The first element of the source.
    pub from: *const u8,
    /// The distance between rows of the source, in elements.
    pub from_row: isize,
    /// The first element of the target.
    pub to: *mut u8,
    /// The distance between rows of the target, in elements.
    pub to_row: isize,
    /// The number of rows of the source.
    pub rows: usize,
    /// The number of columns of the source.
    pub columns: usize,
}

/// # Safety
/// `m` must meet the requirements of [`Kernel`](super::Kernel).
pub(super) unsafe fn transpose<T: Copy>(m: &Matrix) {
    for b in (0..m.rows).step_by(BLOCK) {
        for a in (0..m.columns).step_by(BLOCK) {
            // SAFETY: rows and columns of the block are within the matrix, all of whose elements are readable and
            // writable, as `Kernel` requires.
            unsafe { block::<T>(m, b..m.rows.min(b + BLOCK), a..m.columns.min(a + BLOCK)) };
        }
    }
}

/// Transposes a block of these rows and columns.
///
/// # Safety
/// The elements of the block must be readable in the source and writable in the target.
pub(super) unsafe fn block<T: Copy>(m: &Matrix, rows: Range<usize>, columns: Range<usize>) {
    for a in columns {
        for b in rows.clone() {
            // SAFETY: the element is within the block, as `# Safety` requires.
            unsafe {
                let x = *m.from.cast::<T>().offset(b as isize * m.from_row + a as isize);
                *m.to.cast::<T>().offset(a as isize * m.to_row + b as isize) = x;
            }
        }
    }
}

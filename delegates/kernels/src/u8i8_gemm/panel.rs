//! Packs panels of a matrix that is known only at run time.

use crate::simd::dot::Dot;

/// The most columns of a panel.
pub const COLUMNS: usize = 32;

/// The columns of a matrix of unsigned bytes.
#[derive(Clone, Copy)]
pub struct Matrix {
    /// The first byte of the first column.
    pub first: *const u8,
    /// The distance between lines, in bytes.
    pub line: usize,
    /// The distance between columns, in bytes.
    pub column: usize,
    /// The number of lines.
    pub depth: usize,
    /// The number of columns that exist.
    pub columns: usize,
}

/// Packs columns as signed bytes, by subtracting 128, into a panel of the given number of columns. Returns their sums.
///
/// # Safety
/// The machine must have the instruction set. All lines of the columns must be readable, and the panel writable.
pub type Pack = unsafe fn(&Matrix, usize, *mut u8) -> [i32; COLUMNS];

/// The byte 128, four times.
const HALVES: u32 = 0x8080_8080;

/// Packs columns in the layout of the weights of `D`, after the start of the panel if the layout has one.
///
/// # Safety
/// The arguments must meet the requirements of [`Pack`].
#[inline(always)]
pub(super) unsafe fn pack<D: Dot>(_: D, m: &Matrix, width: usize, to: *mut u8) -> [i32; COLUMNS] {
    let mut sums = [0; COLUMNS];
    let size = D::WEIGHTS / D::LANES;
    let first = if D::STARTS == 0 { to } else { to.wrapping_add(4 * width) };
    for g in 0..m.depth.div_ceil(4) {
        let mut fours = [HALVES; COLUMNS];
        // SAFETY: `g` is a group of the matrix, whose lines `fill` may read; the panel has room for groups `0..⌈depth /
        // 4⌉` of `width` columns.
        unsafe {
            fill(m, g, &mut fours);
            for (sum, four) in sums.iter_mut().zip(&mut fours) {
                let bytes = four.to_le_bytes().map(i32::from);
                *sum += bytes[0] + bytes[1] + bytes[2] + bytes[3] - 512;
                *four ^= HALVES;
            }
            let group = first.add(g * width * size);
            if size == 4 {
                std::ptr::copy_nonoverlapping(fours.as_ptr().cast(), group, 4 * width);
            } else {
                words(D::LANES, &fours[..width], group);
            }
        }
    }
    if D::STARTS != 0 {
        let starts = sums.map(|sum: i32| sum.wrapping_mul(D::STARTS.into()));
        // SAFETY: the panel starts with a number per column.
        unsafe { std::ptr::copy_nonoverlapping(starts.as_ptr().cast(), to, 4 * width) };
    }
    sums
}

/// Reads four lines of each column; missing lines are 128.
///
/// # Safety
/// The arguments must meet the requirements of [`Pack`].
#[inline(always)]
unsafe fn fill(m: &Matrix, g: usize, fours: &mut [u32; COLUMNS]) {
    let n = 4.min(m.depth - 4 * g);
    // SAFETY: lines `4 g..4 g + n` of all `columns` are readable, where `n` is the number of remaining lines.
    unsafe {
        let from = m.first.add(4 * g * m.line);
        if n == 4 && m.column == 1 {
            let line = |i: usize| std::slice::from_raw_parts(from.add(i * m.line), m.columns);
            let lines = [line(0), line(1), line(2), line(3)];
            for (j, four) in fours[..m.columns].iter_mut().enumerate() {
                *four = u32::from_le_bytes(lines.map(|line| line[j]));
            }
        } else if n == 4 && m.line == 1 {
            for (j, four) in fours[..m.columns].iter_mut().enumerate() {
                *four = u32::from_le(from.add(j * m.column).cast::<u32>().read_unaligned());
            }
        } else {
            for (j, four) in fours[..m.columns].iter_mut().enumerate() {
                let mut bytes = four.to_le_bytes();
                for (i, byte) in bytes[..n].iter_mut().enumerate() {
                    *byte = *from.add(i * m.line + j * m.column);
                }
                *four = u32::from_le_bytes(bytes);
            }
        }
    }
}

/// Writes a group as words: bytes 0 and 2 for a vector of columns, then bytes 1 and 3.
///
/// # Safety
/// The group must be writable.
#[inline(always)]
unsafe fn words(lanes: usize, fours: &[u32], group: *mut u8) {
    for (v, fours) in fours.chunks_exact(lanes).enumerate() {
        for (j, four) in fours.iter().enumerate() {
            let w = four.to_le_bytes().map(|b| i16::from(b as i8) as u16);
            let pair = |low: u16, high: u16| u32::from(low) | u32::from(high) << 16;
            // SAFETY: the address is within the group.
            unsafe {
                let to = group.cast::<u32>().add(2 * v * lanes + j);
                to.write_unaligned(pair(w[0], w[2]));
                to.add(lanes).write_unaligned(pair(w[1], w[3]));
            }
        }
    }
}

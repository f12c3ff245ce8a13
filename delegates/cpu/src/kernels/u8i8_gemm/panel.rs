//! Panels of a matrix that is known at run time only.

/// Most columns of a panel.
pub const COLUMNS: usize = 32;

/// Columns of a matrix of unsigned bytes.
#[derive(Clone, Copy)]
pub struct Matrix {
    /// The first one's first byte.
    pub first: *const u8,
    /// Bytes from one line to the next.
    pub line: usize,
    /// Bytes from one column to the next.
    pub column: usize,
    /// Lines.
    pub depth: usize,
    /// Columns that there are.
    pub columns: usize,
}

/// Packs columns as signed bytes, 128 less, into a panel of so many columns; gives their sums.
///
/// # Safety
/// The machine has the instruction set; all lines of the columns are readable, and the panel is writable.
pub type Pack = unsafe fn(&Matrix, usize, *mut u8) -> [i32; COLUMNS];

/// The same byte four times: 128.
const HALVES: u32 = 0x8080_8080;

/// Packs bytes, behind `OFFSET` times the columns' sums if that is not 0; or words, behind what [`taken`] is of them.
///
/// # Safety
/// That of [`Pack`].
#[inline(always)]
pub(super) unsafe fn pack<const OFFSET: u8, const WORDS: bool>(
    m: &Matrix,
    width: usize,
    to: *mut u8,
) -> [i32; COLUMNS] {
    let (mut sums, mut starts) = ([0; COLUMNS], [0i32; COLUMNS]);
    let size = if WORDS { 8 } else { 4 };
    let starts_with = WORDS || OFFSET != 0;
    let first = if starts_with { to.wrapping_add(4 * width) } else { to };
    for g in 0..m.depth.div_ceil(4) {
        let mut fours = [HALVES; COLUMNS];
        // SAFETY: the caller's promise.
        unsafe {
            fill(m, g, &mut fours);
            for (sum, four) in sums.iter_mut().zip(&mut fours) {
                let bytes = four.to_le_bytes().map(i32::from);
                *sum += bytes[0] + bytes[1] + bytes[2] + bytes[3] - 512;
                *four ^= HALVES;
            }
            let group = first.add(g * width * size);
            if WORDS {
                words(&fours[..width], group);
                for (start, four) in starts.iter_mut().zip(&fours) {
                    *start = start.wrapping_add(taken(four.to_le_bytes().map(|b| b as i8)));
                }
            } else {
                std::ptr::copy_nonoverlapping(fours.as_ptr().cast(), group, 4 * width);
            }
        }
    }
    if starts_with {
        if !WORDS {
            starts = sums.map(|sum: i32| sum.wrapping_mul(OFFSET.into()));
        }
        // SAFETY: the panel begins with a number per column.
        unsafe { std::ptr::copy_nonoverlapping(starts.as_ptr().cast(), to, 4 * width) };
    }
    sums
}

/// Reads four lines of each column; 128 where there is none.
///
/// # Safety
/// That of [`Pack`].
#[inline(always)]
unsafe fn fill(m: &Matrix, g: usize, fours: &mut [u32; COLUMNS]) {
    let n = 4.min(m.depth - 4 * g);
    // SAFETY: the caller's promise.
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

/// Writes a group as words: those of bytes 2 and 3 of all columns, then those of bytes 0 and 1.
///
/// # Safety
/// The group is writable.
#[inline(always)]
unsafe fn words(fours: &[u32], group: *mut u8) {
    for (j, four) in fours.iter().enumerate() {
        for (half, pair) in pairs(four.to_le_bytes().map(|b| b as i8)).into_iter().enumerate() {
            // SAFETY: inside the group.
            unsafe { group.cast::<[u8; 4]>().add(half * fours.len() + j).write(pair) };
        }
    }
}

/// Four weights as two pairs of words, each to be added to the other one's words of a row.
#[inline(always)]
fn pairs(four: [i8; 4]) -> [[u8; 4]; 2] {
    let [a, b, c, d] = four.map(|w| i16::from(w).to_ne_bytes());
    [[c[0], c[1], d[0], d[1]], [a[0], a[1], b[0], b[1]]]
}

/// What four weights are to sums of products of words.
#[inline(always)]
pub(super) fn taken([a, b, c, d]: [i8; 4]) -> i32 {
    let product = |a: i8, b: i8| i32::from(a) * i32::from(b);
    -(product(a, c) + product(b, d))
}

/// Writes four weights of column `j` of `width` into a group of bytes or of words.
pub(super) fn place(group: &mut [u8], width: usize, j: usize, four: [i8; 4]) {
    if group.len() == 4 * width {
        group[4 * j..][..4].copy_from_slice(&four.map(|w| w as u8));
        return;
    }
    for (half, pair) in group.chunks_exact_mut(4 * width).zip(pairs(four)) {
        half[4 * j..][..4].copy_from_slice(&pair);
    }
}

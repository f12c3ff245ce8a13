//! Linear functions of bytes, with different coefficients for each column; one or several in sequence.
//!
//! ```text
//! y = clamp(⌊((x − zero) · slope[j] + offset[j] − (x < zero ? drop[j] : 0)) / 2^shift⌋)
//! ```

mod body;

use crate::isa::Isa;
use crate::simd::*;

/// A linear function for each column.
#[derive(Clone, Copy)]
pub struct Line {
    /// The zero point, which is subtracted from bytes.
    pub zero: i32,
    /// The right shift, below 32.
    pub shift: u32,
    /// The slope of each column, padded to a multiple of [`PADDING`], like the other tables.
    pub slopes: *const i32,
    /// The offset of each column.
    pub offsets: *const i32,
    /// The number that is subtracted for bytes below `zero`, for each column; or null.
    pub drops: *const i32,
    /// The smallest result.
    pub low: u8,
    /// The largest result.
    pub high: u8,
}

/// Tables are padded to a multiple of this number of columns.
pub const PADDING: usize = 32;

/// `(lines, flips, rows, n, x, y)`: applies the functions to rows of `n` bytes. These are combined with the first of
/// `flips` by exclusive or before, and their results with the second: 0x80 for signed bytes.
pub type Kernel = unsafe fn(&[Line], [u8; 2], usize, usize, *const u8, *mut u8);

/// A member of the family.
#[non_exhaustive]
pub struct Lines {
    /// The name, such as `u8_lines__avx512`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    /// Computes rows. Unsafe to call: the machine must have the instructions, x must be readable and y writable for
    /// `rows · n` bytes, and tables must have `n` columns. Source and target may be the same memory.
    pub rows: Kernel,
}

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty) => {
        Lines { name: $name, isa: $isa, rows }
    };
}

family! {
    Lines: "u8_lines" {
        fn rows(lines: &[Line], flips: [u8; 2], rows: usize, n: usize, x: *const u8, y: *mut u8);
    }
    vectors
}
member_of_table!(Lines);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::family::available;
    use crate::random::Random;

    fn check(member: &Lines, n: usize, seed: u64) {
        let mut random = Random::new(seed);
        let columns = n.next_multiple_of(PADDING);
        let mut table = |most: i32| -> Vec<i32> {
            (0..columns).map(|_| random.next() as i32 % most - most / 2).collect()
        };
        let tables: Vec<[Vec<i32>; 3]> =
            (0..3).map(|_| [table(1 << 18), table(1 << 26), table(1 << 18)]).collect();
        let x: Vec<u8> = (0..2 * n).map(|_| random.next() as u8).collect();
        let flips = [0, 0].map(|_| random.flip());
        let lines: Vec<Line> = tables
            .iter()
            .enumerate()
            .map(|(i, [slopes, offsets, drops])| Line {
                zero: (random.next() % 256) as i32,
                shift: 17,
                slopes: slopes.as_ptr(),
                offsets: offsets.as_ptr(),
                drops: if i == 1 { std::ptr::null() } else { drops.as_ptr() },
                low: (random.next() % 100) as u8,
                high: 200,
            })
            .collect();
        let mut y = vec![7; 2 * n + 1];
        // SAFETY: the machine can run the member; the lengths match the vectors.
        unsafe { (member.rows)(&lines, flips, 2, n, x.as_ptr(), y.as_mut_ptr()) };
        for (i, j) in (0..2 * n).map(|i| (i, i % n)) {
            let want =
                lines.iter().zip(&tables).fold(x[i] ^ flips[0], |x, (line, [slopes, offsets, drops])| {
                    let x = i32::from(x) - line.zero;
                    let drop = if x < 0 && !line.drops.is_null() { drops[j] } else { 0 };
                    ((x * slopes[j] + offsets[j] - drop) >> 17).clamp(line.low.into(), line.high.into()) as u8
                });
            assert_eq!(y[i] ^ flips[1], want, "{} column {j} of {n}", member.name);
        }
        assert_eq!(y[2 * n], 7);
    }

    proptest! {
        #[test]
        fn every_member_agrees_with_plain_code(n in 0usize..100, seed: u64) {
            for member in available(TABLE) {
                check(member, n, seed);
            }
        }
    }
}

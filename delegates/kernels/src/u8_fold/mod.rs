//! Sums and maxima of bytes.

mod body;

use crate::isa::Isa;
use crate::simd::*;

/// Rows of bytes at equal distances.
#[derive(Clone, Copy, Debug)]
pub struct ByteRows {
    /// The first row.
    pub from: *const u8,
    /// The number of rows.
    pub count: usize,
    /// The distance between rows, in bytes.
    pub step: usize,
    /// The number of bytes of a row.
    pub n: usize,
}

/// The family for one instruction set. All its functions are unsafe to call: the machine must have the instructions,
/// rows must be readable, and targets writable for as many elements.
#[non_exhaustive]
pub struct Fold {
    /// The name, such as `u8_fold__avx512`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    /// Adds rows to sums, element by element.
    pub add_rows: unsafe fn(&ByteRows, *mut i32),
    /// Replaces each element by the maximum of itself and the elements of the rows.
    pub raise_rows: unsafe fn(&ByteRows, *mut u8),
    /// The sum of bytes: `(n, x)`.
    pub sum: unsafe fn(usize, *const u8) -> i32,
    /// The largest byte, or 0 without bytes: `(n, x)`.
    pub largest: unsafe fn(usize, *const u8) -> u8,
}

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty) => {
        Fold { name: $name, isa: $isa, add_rows, raise_rows, sum, largest }
    };
}

family! {
    Fold: "u8_fold" {
        fn add_rows(rows: &ByteRows, sums: *mut i32);
        fn raise_rows(rows: &ByteRows, y: *mut u8);
        fn sum(n: usize, x: *const u8) -> i32;
        fn largest(n: usize, x: *const u8) -> u8;
    }
    vectors
}
member_of_table!(Fold);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::available;
    use crate::random::Random;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_member_agrees_with_plain_code(n in 0usize..200, count in 0usize..700, more in 0usize..9, seed: u64) {
            let mut random = Random::new(seed);
            let step = n + more;
            let x: Vec<u8> = (0..(count * step).max(1)).map(|_| random.next() as u8 | 0xF0).collect();
            let rows = ByteRows { from: x.as_ptr(), count, step, n };
            for fold in available(TABLE) {
                let (mut sums, mut most) = (vec![7; n + 1], vec![7; n + 1]);
                // SAFETY: the machine can run the member; the lengths match the vectors.
                let (sum, largest) = unsafe {
                    (fold.add_rows)(&rows, sums.as_mut_ptr());
                    (fold.raise_rows)(&rows, most.as_mut_ptr());
                    ((fold.sum)(count * step, x.as_ptr()), (fold.largest)(count * step, x.as_ptr()))
                };
                for i in 0..n {
                    let column = || (0..count).map(|r| x[r * step + i]);
                    prop_assert_eq!(sums[i], 7 + column().map(i32::from).sum::<i32>(), "{}", fold.name);
                    prop_assert_eq!(most[i], column().max().unwrap_or(0).max(7), "{}", fold.name);
                }
                let all = &x[..count * step];
                prop_assert_eq!(sum, all.iter().map(|&x| i32::from(x)).sum::<i32>());
                prop_assert_eq!(largest, all.iter().copied().max().unwrap_or(0));
                prop_assert_eq!((sums[n], most[n]), (7, 7));
            }
        }
    }
}

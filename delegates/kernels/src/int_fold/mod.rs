//! Sums and extremes of whole numbers along rows and along columns.
//!
//! Elements are XORed with `flip` before they are folded, and extremes once more after that:
//!
//! ```text
//! flip    extremes of u8            sums of u8          flip    extremes of i16
//! 0       the largest               of x                0       the largest
//! 0xFF    the smallest              of 255 − x          −1      the smallest
//! 0x80    the largest as i8         of (x as i8) + 128
//! 0x7F    the smallest as i8
//! ```

mod body;

use arenite_base::memory::{Source, Target, span};
use bytemuck::Pod;

use crate::calls::StridedRows;
use crate::isa::Isa;
use crate::simd::*;

/// Rows of elements at equal distances.
#[derive(Clone, Copy, Debug)]
pub struct RowBlock<T> {
    /// The first row.
    pub from: *const T,
    /// The number of rows.
    pub count: usize,
    /// The distance between rows, in elements.
    pub step: usize,
    /// The number of elements of a row.
    pub n: usize,
    /// Elements are XORed with this.
    pub flip: T,
}

/// Folds of one type of elements. All functions are unsafe to call: the machine must have the instructions, rows must
/// be readable, and all results writable.
pub struct RowFolds<T> {
    /// For each row, the sum, which wraps.
    row_sums: unsafe fn(&RowBlock<T>, *mut i32),
    /// For each row, the largest element after XOR.
    row_extremes: unsafe fn(&RowBlock<T>, *mut T),
    /// For each column, adds its elements to a sum, which wraps.
    add_rows: unsafe fn(&RowBlock<T>, *mut i32),
    /// For each column, the largest element after XOR.
    column_extremes: unsafe fn(&RowBlock<T>, *mut T),
}

/// The family for one instruction set.
#[non_exhaustive]
pub struct IntFolds {
    /// The name, such as `int_fold__avx512`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    /// Folds of bytes.
    pub bytes: RowFolds<u8>,
    /// Folds of 16-bit numbers.
    pub words: RowFolds<i16>,
}

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty) => {
        IntFolds {
            name: $name,
            isa: $isa,
            bytes: RowFolds {
                row_sums: byte_row_sums,
                row_extremes: byte_row_extremes,
                add_rows: add_byte_rows,
                column_extremes: byte_column_extremes,
            },
            words: RowFolds {
                row_sums: word_row_sums,
                row_extremes: word_row_extremes,
                add_rows: add_word_rows,
                column_extremes: word_column_extremes,
            },
        }
    };
}

family! {
    IntFolds: "int_fold" {
        fn byte_row_sums(rows: &RowBlock<u8>, y: *mut i32) { bodies::row_sums(T::new(), rows, y) };
        fn byte_row_extremes(rows: &RowBlock<u8>, y: *mut u8) { bodies::row_extremes(T::new(), rows, y) };
        fn add_byte_rows(rows: &RowBlock<u8>, sums: *mut i32);
        fn byte_column_extremes(rows: &RowBlock<u8>, y: *mut u8) { bodies::column_extremes(T::new(), rows, y) };
        fn word_row_sums(rows: &RowBlock<i16>, y: *mut i32) { bodies::row_sums(T::new(), rows, y) };
        fn word_row_extremes(rows: &RowBlock<i16>, y: *mut i16) { bodies::row_extremes(T::new(), rows, y) };
        fn add_word_rows(rows: &RowBlock<i16>, sums: *mut i32);
        fn word_column_extremes(rows: &RowBlock<i16>, y: *mut i16) { bodies::column_extremes(T::new(), rows, y) };
    }
    vectors
}
member_of_table!(IntFolds);

/// The address of `len` elements, which is not null without elements either.
fn first<T: Pod>(x: Source<'_, T>, len: usize) -> *const T {
    if len == 0 { core::ptr::dangling() } else { x.at(0, len) }
}

/// Contiguous rows of `n` elements, `count` of them.
fn contiguous<T: Pod>(x: Source<'_, T>, count: usize, n: usize, flip: T) -> RowBlock<T> {
    RowBlock { from: first(x, span([count, n, n])), count, step: n, n, flip }
}

/// The first `n` elements of rows.
fn strided<T: Pod>(x: Source<'_, T>, rows: StridedRows, n: usize, flip: T) -> RowBlock<T> {
    let StridedRows { count, stride: step } = rows;
    RowBlock { from: first(x, span([count, step, n])), count, step, n, flip }
}

impl<T: Pod> RowFolds<T> {
    /// `sums[r] = Σ x[r · n + i] ^ flip` for all `i < n`.
    ///
    /// # Panics
    /// If `x` has fewer than `sums.len() · n` elements.
    pub fn rows_summed(&self, x: Source<'_, T>, n: usize, flip: T, sums: &mut [i32]) {
        let rows = contiguous(x, sums.len(), n, flip);
        // SAFETY: folds are part of a member that the machine can run; `contiguous` checked that the rows exist, and
        // each has a sum.
        unsafe { (self.row_sums)(&rows, sums.as_mut_ptr()) }
    }

    /// `y[r] = (max x[r · n + i] ^ flip) ^ flip` for all `i < n`.
    ///
    /// # Panics
    /// If `x` has fewer than `y.len() · n` elements.
    pub fn extremes_of_rows(&self, x: Source<'_, T>, n: usize, flip: T, y: &mut Target<'_, T>) {
        let rows = contiguous(x, y.len(), n, flip);
        // SAFETY: as in `rows_summed`; `at` checked that each row has a result.
        unsafe { (self.row_extremes)(&rows, y.at(0, rows.count)) }
    }

    /// `sums[j] += Σ x[i · stride + j] ^ flip` for all `i < count`.
    ///
    /// # Panics
    /// If `x` has fewer than `(count − 1) · stride + sums.len()` elements.
    pub fn rows_added(&self, x: Source<'_, T>, rows: StridedRows, flip: T, sums: &mut [i32]) {
        let rows = strided(x, rows, sums.len(), flip);
        // SAFETY: as in `rows_summed`; `strided` checked all elements that the rows span, so each row has `n` elements,
        // and there are `n` sums.
        unsafe { (self.add_rows)(&rows, sums.as_mut_ptr()) }
    }

    /// `y[j] = (max x[i · stride + j] ^ flip) ^ flip` for all `i < count`.
    ///
    /// # Panics
    /// If `x` has fewer than `(count − 1) · stride + y.len()` elements.
    pub fn extremes_of_columns(&self, x: Source<'_, T>, rows: StridedRows, flip: T, y: &mut [T]) {
        let rows = strided(x, rows, y.len(), flip);
        // SAFETY: as in `rows_added`, with `n` results.
        unsafe { (self.column_extremes)(&rows, y.as_mut_ptr()) }
    }
}

impl RowFolds<u8> {
    /// The sum of all bytes.
    pub fn sum_of(&self, x: Source<'_, u8>) -> i32 {
        let mut sum = [0];
        self.rows_summed(x, x.len(), 0, &mut sum);
        sum[0]
    }

    /// The largest byte; 0 without bytes.
    pub fn largest_of(&self, x: Source<'_, u8>) -> u8 {
        let mut most = [0];
        self.extremes_of_rows(x, x.len(), 0, &mut Target::of(&mut most));
        most[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::available;
    use crate::random::Random;
    use proptest::prelude::*;

    /// Compares each function with plain code.
    fn check<T: Pod + Ord + Into<i32> + core::ops::BitXor<Output = T> + core::fmt::Debug>(
        folds: &RowFolds<T>,
        (x, [count, step, n]): (&[T], [usize; 3]),
        flip: T,
        name: &str,
    ) {
        let rows = StridedRows { count, stride: step };
        let (mut sums, mut most) = (vec![7; n], vec![flip; n]);
        folds.rows_added(Source::of(x), rows, flip, &mut sums);
        folds.extremes_of_columns(Source::of(x), rows, flip, &mut most);
        for i in 0..n {
            let column = || (0..count).map(|r| x[r * step + i] ^ flip);
            assert_eq!(sums[i], 7 + column().map(T::into).sum::<i32>(), "{name}");
            assert!(count == 0 || most[i] == column().max().unwrap() ^ flip, "{name}, column {i}");
        }
        let whole = x.len() / n.max(1);
        let (mut sums, mut most) = (vec![7; whole], vec![flip; whole]);
        folds.rows_summed(Source::of(x), n, flip, &mut sums);
        folds.extremes_of_rows(Source::of(x), n, flip, &mut Target::of(&mut most));
        for (r, (&sum, &most)) in sums.iter().zip(&most).enumerate() {
            let row = || x[r * n..][..n].iter().map(|&x| x ^ flip);
            assert_eq!(sum, row().map(T::into).sum::<i32>(), "{name}");
            assert!(n == 0 || most == row().max().unwrap() ^ flip, "{name}, row {r}");
        }
    }

    proptest! {
        #[test]
        fn every_member_agrees_with_plain_code(n in 0usize..700, count in 0usize..300, more in 0usize..9, seed: u64) {
            let mut random = Random::new(seed);
            let step = n + more;
            let words: Vec<i16> = (0..count * step).map(|_| random.next() as i16).collect();
            let bytes: Vec<u8> = words.iter().map(|&x| x as u8 | 0xF0).collect();
            for folds in available(TABLE) {
                for flip in [0, 0xFF, 0x80, 0x7F] {
                    check(&folds.bytes, (&bytes, [count, step, n]), flip, folds.name);
                }
                for flip in [0, -1] {
                    check(&folds.words, (&words, [count, step, n]), flip, folds.name);
                }
            }
        }
    }

    #[test]
    fn without_bytes_the_sum_and_the_largest_byte_are_zero() {
        let folds = IntFolds::select(Isa::ALL);
        assert_eq!((folds.bytes.sum_of(Source::NONE), folds.bytes.largest_of(Source::NONE)), (0, 0));
        assert_eq!(folds.bytes.largest_of(Source::of(&[3, 255, 4])), 255);
    }
}

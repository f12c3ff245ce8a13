//! The index of the first largest or smallest element of each row or column: `f32` and `i32`.
//!
//! NaN loses against every number. Floats are compared by keys, integers with the same order:
//!
//! ```text
//! key(x) = bits(x + 0) with all bits but the sign inverted if x < 0
//! ```
//! Keys are XORed with `flip`: −1 gives the index of the first smallest element.

mod body;

use arenite_base::memory::{Source, span};
use bytemuck::Pod;

use crate::calls::StridedRows;
use crate::isa::Isa;
use crate::simd::*;

/// A matrix of elements.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<T> {
    /// The first row.
    pub from: *const T,
    /// The number of rows.
    pub rows: usize,
    /// The distance between rows, in elements.
    pub step: usize,
    /// The number of elements of a row.
    pub columns: usize,
    /// Keys are XORed with this.
    pub flip: i32,
}

/// A search of one type of elements. All functions are unsafe to call: the machine must have the instructions, rows
/// must be readable and have at least one element, and all results writable.
pub struct Search<T> {
    /// For each row, the place in the row, or −1 if an element is NaN.
    in_rows: unsafe fn(&Matrix<T>, *mut i32),
    /// For each column, the number of the row.
    in_columns: unsafe fn(&Matrix<T>, *mut i32),
}

/// The family for one instruction set.
#[non_exhaustive]
pub struct Places {
    /// The name, such as `x32_arg__avx512`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    /// Places of floats.
    pub reals: Search<f32>,
    /// Places of integers.
    pub wholes: Search<i32>,
}

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty) => {
        Places {
            name: $name,
            isa: $isa,
            reals: Search { in_rows: reals_in_rows, in_columns: reals_in_columns },
            wholes: Search { in_rows: wholes_in_rows, in_columns: wholes_in_columns },
        }
    };
}

family! {
    Places: "x32_arg" {
        fn reals_in_rows(m: &Matrix<f32>, y: *mut i32) { bodies::in_rows(T::new(), m, y) };
        fn reals_in_columns(m: &Matrix<f32>, y: *mut i32) { bodies::in_columns(T::new(), m, y) };
        fn wholes_in_rows(m: &Matrix<i32>, y: *mut i32) { bodies::in_rows(T::new(), m, y) };
        fn wholes_in_columns(m: &Matrix<i32>, y: *mut i32) { bodies::in_columns(T::new(), m, y) };
    }
    vectors
}
member_of_table!(Places);

impl<T: Pod> Search<T> {
    /// The places in contiguous rows of `n` elements, as many as there are results; −1 for rows with NaN.
    ///
    /// # Panics
    /// If rows are empty, or `x` has fewer than `y.len() · n` elements.
    pub fn of_rows(&self, x: Source<'_, T>, n: usize, flip: i32, y: &mut [i32]) {
        assert!(n > 0, "a row without elements has no best one");
        let from = x.at(0, span([y.len(), n, n]));
        let m = Matrix { from, rows: y.len(), step: n, columns: n, flip };
        // SAFETY: a search is part of a member that the machine can run; `at` checked that the rows exist, and each has
        // a result.
        unsafe { (self.in_rows)(&m, y.as_mut_ptr()) }
    }

    /// The numbers of rows for columns that begin with the first element, as many as there are results.
    ///
    /// # Panics
    /// If `x` has fewer than `(count − 1) · stride + y.len()` elements.
    pub fn of_columns(&self, x: Source<'_, T>, rows: StridedRows, flip: i32, y: &mut [i32]) {
        let StridedRows { count, stride: step } = rows;
        let from = x.at(0, span([count, step, y.len()]));
        let m = Matrix { from, rows: count, step, columns: y.len(), flip };
        // SAFETY: as in `of_rows`; each column has a result.
        unsafe { (self.in_columns)(&m, y.as_mut_ptr()) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::family::available;
    use crate::random::Random;

    /// The place of the first element that no other beats.
    fn first<T: PartialOrd + Copy>(row: impl Iterator<Item = T>, smallest: bool) -> i32 {
        let mut best: Option<(T, i32)> = None;
        for (i, x) in row.enumerate().filter(|(_, x)| x.partial_cmp(x).is_some()) {
            if best.is_none_or(|(b, _)| if smallest { x < b } else { x > b }) {
                best = Some((x, i as i32));
            }
        }
        best.map_or(0, |(_, i)| i)
    }

    fn check<T: Pod + PartialOrd>(search: &Search<T>, (x, [rows, step, n]): (&[T], [usize; 3]), name: &str) {
        for (flip, smallest) in [(0, false), (-1, true)] {
            let (mut places, strided) = (vec![7; n], StridedRows { count: rows, stride: step });
            search.of_columns(Source::of(x), strided, flip, &mut places);
            for (i, &place) in places.iter().enumerate() {
                assert_eq!(place, first((0..rows).map(|r| x[r * step + i]), smallest), "{name}, column {i}");
            }
            let mut places = vec![7; x.len() / n];
            search.of_rows(Source::of(x), n, flip, &mut places);
            for (r, &place) in places.iter().enumerate() {
                let row = &x[r * n..][..n];
                let ordered = row.iter().all(|x| x.partial_cmp(x).is_some());
                let want = if ordered { first(row.iter().copied(), smallest) } else { -1 };
                assert_eq!(place, want, "{name}, row {r}");
            }
        }
    }

    proptest! {
        #[test]
        fn every_member_agrees_with_plain_code(n in 1usize..90, rows in 1usize..40, more in 0usize..9, seed: u64) {
            let mut random = Random::new(seed);
            let step = n + more;
            // Few values, so that several are the best.
            let few = [0.0, -0.0, 1.5, -1.5, f32::INFINITY, f32::NEG_INFINITY, 1e-40, f32::MAX];
            let mut of = |numbers: u32| {
                let at = random.next() % numbers;
                few.get(at as usize).copied().unwrap_or(f32::NAN)
            };
            let reals: Vec<f32> = (0..rows * step).map(|i| of(if i % 200 < 150 { 8 } else { 9 })).collect();
            let wholes: Vec<i32> = reals.iter().map(|x| x.to_bits() as i32).collect();
            for places in available(TABLE) {
                check(&places.reals, (&reals, [rows, step, n]), places.name);
                check(&places.wholes, (&wholes, [rows, step, n]), places.name);
            }
        }
    }

    #[test]
    fn long_rows() {
        let mut x: Vec<f32> = (0..5000).map(|i| (i % 77) as f32).collect();
        (x[2500], x[4000]) = (80.0, 80.0);
        for places in available(TABLE) {
            check(&places.reals, (&x, [1, 5000, 5000]), places.name);
            check(&places.reals, (&x, [2, 2500, 2500]), places.name);
        }
    }
}

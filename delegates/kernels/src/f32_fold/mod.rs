//! Sums and extremes of `f32`: of a row, and of each column of a matrix. Sums are made of partial sums, so that their error
//! stays small however many values there are. Of two zeros that are the extreme, the later one is the result; an extreme of numbers of
//! which one is not finite is NaN, whatever it should be.

mod body;

pub use arenite_layers::ops::Fold;

use crate::isa::Isa;
use crate::simd::*;

/// `(n, x)`: of `n` elements; of none 0, −∞ or +∞.
pub type RowFn = unsafe fn(usize, *const f32) -> f32;
/// `(rows, stride, n, x, y)`: `y[j]` of `x[i · stride + j]` for all `i < rows`, for each `j < n`.
pub type ColumnsFn = unsafe fn(usize, usize, usize, *const f32, *mut f32);

/// The family on one instruction set. All its functions are unsafe to call: the machine has the instructions, sources are
/// readable and targets writable.
#[non_exhaustive]
pub struct Folds {
    /// As in `f32_fold__avx512`.
    pub name: &'static str,
    /// The features that it needs.
    pub isa: Isa,
    row: [RowFn; Fold::ALL.len()],
    columns: [ColumnsFn; Fold::ALL.len()],
}

impl Folds {
    /// Of a row.
    pub fn row(&self, fold: Fold) -> RowFn {
        self.row[fold as usize]
    }

    /// Of columns.
    pub fn columns(&self, fold: Fold) -> ColumnsFn {
        self.columns[fold as usize]
    }
}

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty) => {
        Folds {
            name: $name,
            isa: $isa,
            row: [row::<0>, row::<1>, row::<2>],
            columns: [columns::<0>, columns::<1>, columns::<2>],
        }
    };
}

family! {
    Folds: "f32_fold" {
        fn row[F: usize](n: usize, x: *const f32) -> f32;
        fn columns[F: usize](rows: usize, stride: usize, n: usize, x: *const f32, y: *mut f32);
    }
    vectors
}
member_of_table!(Folds);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::family::available;

    fn expected(fold: Fold, values: impl Iterator<Item = f32>) -> f64 {
        let values = values.map(f64::from);
        match fold {
            Fold::Sum => values.sum(),
            Fold::Max => values.fold(f64::NEG_INFINITY, f64::max),
            Fold::Min => values.fold(f64::INFINITY, f64::min),
        }
    }

    /// Extremes are exact; sums of at most 1200 values below 20 are as good as their partial sums.
    fn close(got: f32, want: f64) -> bool {
        f64::from(got) == want || (f64::from(got) - want).abs() < 1e-3
    }

    proptest! {
        #[test]
        fn every_member_agrees_with_plain_folds(
            x in prop::collection::vec(-20.0f32..20.0, 0..1200), n in 1usize..150, more in 0usize..3,
        ) {
            for member in available(TABLE) {
                for fold in Fold::ALL {
                    // SAFETY: available; the length is the vector's.
                    let row = unsafe { member.row(fold)(x.len(), x.as_ptr()) };
                    prop_assert!(close(row, expected(fold, x.iter().copied())), "{} {fold:?}", member.name);
                    let stride = n + more;
                    let rows = (x.len() + more) / stride;
                    let mut y = vec![f32::NAN; n + 1];
                    // SAFETY: available; the last row ends at the vector's end.
                    unsafe { member.columns(fold)(rows, stride, n, x.as_ptr(), y.as_mut_ptr()) };
                    for j in 0..n {
                        let want = expected(fold, (0..rows).map(|i| x[i * stride + j]));
                        prop_assert!(close(y[j], want), "{} {fold:?} column {j}: {}, not {want}", member.name, y[j]);
                    }
                    prop_assert!(y[n].is_nan());
                }
            }
        }
    }

    #[test]
    fn sums_of_many_values_keep_their_digits() {
        let x: Vec<f32> = (0..1 << 18).map(|i| 1.0 + (i % 7) as f32 * 0.1).collect();
        let want = expected(Fold::Sum, x.iter().copied());
        for member in available(TABLE) {
            let mut y = [0.0; 8];
            // SAFETY: available; the lengths are the vector's.
            let sum = unsafe {
                member.columns(Fold::Sum)(x.len() / 8, 8, 8, x.as_ptr(), y.as_mut_ptr());
                member.row(Fold::Sum)(x.len(), x.as_ptr())
            };
            assert!((f64::from(sum) / want - 1.0).abs() < 2e-6, "{}: {sum}, not {want}", member.name);
            let columns: f64 = y.iter().map(|&y| f64::from(y)).sum();
            assert!((columns / want - 1.0).abs() < 2e-6, "{}: {columns}, not {want}", member.name);
        }
    }
}

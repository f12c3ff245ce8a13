//! Sums and extremes of `f32`: of a row, and of each column of a matrix. Sums are computed from partial sums, so that
//! the error stays small for any number of values. If two zeros are the extreme, the result is the later one. If one of
//! the numbers is not finite, the extreme is NaN.

mod body;

use arenite_base::Reduction;

use crate::isa::Isa;
use crate::simd::*;

/// `(count, n, x, y)`: folds the `n` elements from `x[i · n]` into `y[i]`, for each `i < count`. Without elements the
/// result is 0, −∞ or +∞.
pub type RowsFn = unsafe fn(usize, usize, *const f32, *mut f32);
/// `(rows, stride, n, x, y)`: for each `j < n`, folds `x[i · stride + j]` for all `i < rows` into `y[j]`.
pub type ColumnsFn = unsafe fn(usize, usize, usize, *const f32, *mut f32);

/// The family for one instruction set. All its functions are unsafe to call: the machine must have the instructions,
/// sources must be readable and targets writable.
#[non_exhaustive]
pub struct Folds {
    /// The name, such as `f32_fold__avx512`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    rows: [RowsFn; Reduction::ALL.len()],
    columns: [ColumnsFn; Reduction::ALL.len()],
}

impl Folds {
    /// The function that folds rows.
    pub fn each_row(&self, fold: Reduction) -> RowsFn {
        self.rows[fold as usize]
    }

    /// The function that folds each column.
    pub fn columns(&self, fold: Reduction) -> ColumnsFn {
        self.columns[fold as usize]
    }
}

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty) => {
        Folds {
            name: $name,
            isa: $isa,
            rows: [rows::<0>, rows::<1>, rows::<2>],
            columns: [columns::<0>, columns::<1>, columns::<2>],
        }
    };
}

family! {
    Folds: "f32_fold" {
        fn rows[F: usize](count: usize, n: usize, x: *const f32, y: *mut f32);
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

    fn expected(fold: Reduction, values: impl Iterator<Item = f32>) -> f64 {
        let values = values.map(f64::from);
        match fold {
            Reduction::Sum => values.sum(),
            Reduction::Max => values.fold(f64::NEG_INFINITY, f64::max),
            Reduction::Min => values.fold(f64::INFINITY, f64::min),
        }
    }

    /// Extremes are exact; the error of a sum of at most 1200 values below 20 is small.
    fn close(got: f32, want: f64) -> bool {
        f64::from(got) == want || (f64::from(got) - want).abs() < 1e-3
    }

    proptest! {
        #[test]
        fn every_member_agrees_with_plain_folds(
            x in prop::collection::vec(-20.0f32..20.0, 0..1200), n in 1usize..150, more in 0usize..3,
        ) {
            for member in available(TABLE) {
                for fold in Reduction::ALL {
                    let mut y = [f32::NAN; 3];
                    for (count, len) in [(1, x.len()), (2, x.len() / 2)] {
                        // SAFETY: the machine can run the member; the lengths match the vectors.
                        unsafe { member.each_row(fold)(count, len, x.as_ptr(), y.as_mut_ptr()) };
                        for i in 0..count {
                            let want = expected(fold, x[i * len..][..len].iter().copied());
                            prop_assert!(close(y[i], want), "{} {fold:?}", member.name);
                        }
                        prop_assert!(y[count].is_nan());
                    }
                    let stride = n + more;
                    let rows = (x.len() + more) / stride;
                    let mut y = vec![f32::NAN; n + 1];
                    // SAFETY: the machine can run the member; the last row ends at the end of the vector.
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
    fn the_sum_of_negative_zeros_is_negative() {
        let x = [-0.0f32; 200];
        for member in available(TABLE) {
            let mut y = [f32::NAN; 100];
            // SAFETY: the machine can run the member; rows and columns are within `x`, and results within `y`.
            unsafe {
                member.each_row(Reduction::Sum)(1, 199, x.as_ptr(), y.as_mut_ptr());
                member.columns(Reduction::Sum)(2, 99, 99, x.as_ptr(), y.as_mut_ptr().add(1));
            }
            assert!(y.iter().all(|y| y.to_bits() == (-0.0f32).to_bits()), "{}: {y:?}", member.name);
        }
    }

    #[test]
    fn sums_of_many_values_keep_their_digits() {
        let x: Vec<f32> = (0..1 << 18).map(|i| 1.0 + (i % 7) as f32 * 0.1).collect();
        let want = expected(Reduction::Sum, x.iter().copied());
        for member in available(TABLE) {
            let (mut y, mut sum) = ([0.0; 8], 0.0);
            // SAFETY: the machine can run the member; the lengths match the vectors.
            unsafe {
                member.columns(Reduction::Sum)(x.len() / 8, 8, 8, x.as_ptr(), y.as_mut_ptr());
                member.each_row(Reduction::Sum)(1, x.len(), x.as_ptr(), &mut sum);
            }
            assert!((f64::from(sum) / want - 1.0).abs() < 2e-6, "{}: {sum}, not {want}", member.name);
            let columns: f64 = y.iter().map(|&y| f64::from(y)).sum();
            assert!((columns / want - 1.0).abs() < 2e-6, "{}: {columns}, not {want}", member.name);
        }
    }
}

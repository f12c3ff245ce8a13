//! Softmax of rows of `f32`, and its logarithm.

mod body;

use crate::isa::Isa;
use crate::simd::*;

/// The most elements of a row that is computed together with other rows in the lanes of vectors.
pub const NARROW: usize = 16;

/// `(n, x, β, y)`: computes a row of `n ≥ 1` elements.
pub type RowFn = unsafe fn(usize, *const f32, f32, *mut f32);
/// `(rows, n, x, β, y)`: computes rows of `n ≤ NARROW` elements each.
pub type NarrowFn = unsafe fn(usize, usize, *const f32, f32, *mut f32);

/// The family for one instruction set. All its functions are unsafe to call: the machine must have the instructions,
/// sources must be readable, and targets readable and writable. With logarithms, source and target must not overlap.
#[non_exhaustive]
pub struct Softmax {
    /// The name, such as `f32_softmax__avx512`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    /// Computes `exp(β (x[i] − max)) / Σ`.
    pub row: RowFn,
    /// Computes the same for narrow rows.
    pub narrow: NarrowFn,
    /// Computes `x[i] − max − ln Σ exp(x[k] − max)`.
    pub log_row: RowFn,
    /// Computes the same for narrow rows.
    pub log_narrow: NarrowFn,
}

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty) => {
        Softmax {
            name: $name,
            isa: $isa,
            row: row::<false>,
            narrow: narrow::<false>,
            log_row: row::<true>,
            log_narrow: narrow::<true>,
        }
    };
}

family! {
    Softmax: "f32_softmax" {
        fn row[LOG: bool](n: usize, x: *const f32, beta: f32, y: *mut f32);
        fn narrow[LOG: bool](rows: usize, n: usize, x: *const f32, beta: f32, y: *mut f32);
    }
    vectors
}
member_of_table!(Softmax);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::family::available;

    /// The softmax with `beta`, and the logarithm of the softmax with β = 1.
    fn expected(x: &[f32], beta: f32) -> (Vec<f64>, Vec<f64>) {
        let most = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let from_most = |x: &f32| f64::from(*x) - f64::from(most);
        let sum = |beta: f64| x.iter().map(|x| (beta * from_most(x)).exp()).sum::<f64>();
        let (beta, log) = (f64::from(beta), sum(1.0).ln());
        let parts = x.iter().map(|x| (beta * from_most(x)).exp() / sum(beta)).collect();
        (parts, x.iter().map(|x| from_most(x) - log).collect())
    }

    proptest! {
        #[test]
        fn every_member_agrees_with_plain_code(
            x in prop::collection::vec(-30.0f32..30.0, 1..200), n in 1usize..=NARROW, beta in 0.1f32..2.0,
        ) {
            for member in available(TABLE) {
                let mut y = vec![f32::NAN; x.len()];
                let mut z = vec![f32::NAN; x.len()];
                // SAFETY: the machine can run the member; the lengths match the vectors.
                unsafe {
                    (member.row)(x.len(), x.as_ptr(), beta, y.as_mut_ptr());
                    (member.log_row)(x.len(), x.as_ptr(), 1.0, z.as_mut_ptr());
                }
                check(member.name, &x, beta, &y, &z)?;
                let rows = x.len() / n;
                // SAFETY: the machine can run the member; `rows` rows of `n` floats are in `x`, and as many in `y` and
                // `z`.
                unsafe {
                    (member.narrow)(rows, n, x.as_ptr(), beta, y.as_mut_ptr());
                    (member.log_narrow)(rows, n, x.as_ptr(), 1.0, z.as_mut_ptr());
                }
                for i in 0..rows {
                    let row = i * n..(i + 1) * n;
                    check(member.name, &x[row.clone()], beta, &y[row.clone()], &z[row])?;
                }
            }
        }
    }

    fn check(name: &str, x: &[f32], beta: f32, y: &[f32], z: &[f32]) -> Result<(), TestCaseError> {
        let (parts, logs) = expected(x, beta);
        for i in 0..x.len() {
            let part = (f64::from(y[i]) - parts[i]).abs() <= 1e-5 * parts[i] + 1e-30;
            let log = (f64::from(z[i]) - logs[i]).abs() <= 1e-5 * logs[i].abs() + 1e-6;
            prop_assert!(part && log, "{name} {i}: {} {}, not {} {}", y[i], z[i], parts[i], logs[i]);
        }
        Ok(())
    }
}

//! Fourier transforms of `f32`, computed in `f64`, for lengths that are powers of two.
//!
//! ```text
//! X[k] = Σ x[n] e^(−2πi kn / w)        x real, k = 0 … w / 2
//!
//! z[n] = x[2n] + i x[2n + 1], L = w / 2 numbers: a matrix of `down` rows and `across` columns
//!   transform its columns;  multiply element (k, n) by e^(−2πi kn / L);  transpose;  transform the columns: Z
//! E = (Z[k] + Z*[L − k]) / 2    O = (Z[k] − Z*[L − k]) / 2i    X[k] = E + e^(−2πi k / w) O    X[L − k] = (E − …)*
//! ```
//! The inner loops run along columns, so all of them have `across` or `down` consecutive numbers.
//!
//! Algorithm: D. H. Bailey, "FFTs in external or hierarchical memory", 1990.

mod body;
mod tables;

use crate::isa::Isa;
use crate::simd::*;
pub use tables::{RowTables, Spectrum, column_roots, reversed};

/// `(tables, x, work, y)`: the transform of a row.
type RowFn = for<'a> unsafe fn(&RowTables, &[f32], &mut [f64], Spectrum<'a>);
/// `(roots, columns, x)`: transforms of columns.
type ColumnsFn = for<'a> unsafe fn(&[[f64; 2]], usize, Spectrum<'a>);

/// The family for one instruction set.
#[non_exhaustive]
pub struct Fft {
    /// The name, such as `f64_fft__avx512`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    row: RowFn,
    columns: ColumnsFn,
}

impl Fft {
    /// The transform of a row of reals, cropped or with zeros after `x`.
    ///
    /// # Panics
    /// If `work` or `y` do not have the lengths that `tables` says.
    pub fn row(&self, tables: &RowTables, x: &[f32], work: &mut [f64], y: Spectrum<'_>) {
        assert_eq!(work.len(), tables.work(), "numbers of scratch memory");
        assert_eq!([y.re.len(), y.im.len()], [tables.outputs(); 2], "complex numbers of a row");
        // SAFETY: the machine has the member's features, because members are only selected from the table by `select`
        // and `available`. The body has no other requirement.
        unsafe { (self.row)(tables, x, work, y) }
    }

    /// Transforms each of `columns` columns in place. The rows must be in the order of [`reversed`] indices.
    ///
    /// # Panics
    /// If the number of rows is not a power of two, or `roots` are not of [`column_roots`] for it.
    pub fn columns(&self, roots: &[[f64; 2]], columns: usize, x: Spectrum<'_>) {
        assert!(columns > 0 && x.re.len() == x.im.len() && x.re.len().is_multiple_of(columns), "whole rows");
        let length = x.re.len() / columns;
        assert!(length.is_power_of_two() && roots.len() == length / 2, "the roots of {length} rows");
        // SAFETY: as in `row`.
        unsafe { (self.columns)(roots, columns, x) }
    }
}

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty) => {
        Fft { name: $name, isa: $isa, row, columns }
    };
}

family! {
    Fft: "f64_fft" {
        fn row(tables: &RowTables, x: &[f32], work: &mut [f64], y: Spectrum<'_>);
        fn columns(roots: &[[f64; 2]], columns: usize, x: Spectrum<'_>);
    }
    vectors
}
member_of_table!(Fft);

#[cfg(test)]
mod tests {
    use super::tables::root;
    use super::*;
    use crate::family::available;

    fn numbers(count: usize) -> Vec<f32> {
        let mut state = 1u32;
        (0..count)
            .map(|_| {
                state = state.wrapping_mul(1664525).wrapping_add(1013904223);
                (state >> 8) as f32 / (1 << 23) as f32 - 1.0
            })
            .collect()
    }

    /// By the definition.
    fn slow(re: &[f64], im: &[f64], k: usize) -> [f64; 2] {
        let n = re.len();
        re.iter().zip(im).enumerate().fold([0.0; 2], |[a, b], (i, (x, y))| {
            let [cos, sin] = root(i * k % n, n);
            [a + x * cos - y * sin, b + x * sin + y * cos]
        })
    }

    #[test]
    fn rows_agree_with_the_definition() {
        for width in (1..=10).map(|bits| 1usize << bits) {
            for given in [width, width / 2 + 1, width - 1, 1] {
                let x = numbers(given);
                let mut padded: Vec<f64> = x.iter().map(|&x| x.into()).collect();
                padded.resize(width, 0.0);
                let tables = RowTables::new(width);
                for member in available(TABLE) {
                    let (mut re, mut im) = (vec![f64::NAN; width / 2 + 1], vec![f64::NAN; width / 2 + 1]);
                    let mut work = vec![f64::NAN; tables.work()];
                    member.row(&tables, &x, &mut work, Spectrum { re: &mut re, im: &mut im });
                    for k in 0..=width / 2 {
                        let want = slow(&padded, &vec![0.0; width], k);
                        let error = (re[k] - want[0]).abs().max((im[k] - want[1]).abs());
                        assert!(
                            error < 1e-12 * width as f64,
                            "{} {width}, {given} given, {k}: {error}",
                            member.name
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn columns_agree_with_the_definition() {
        for (length, columns) in [(1, 3), (2, 1), (4, 7), (32, 17)] {
            let x: Vec<f64> = numbers(2 * length * columns).into_iter().map(f64::from).collect();
            let (re, im) = x.split_at(length * columns);
            let order = |x: &[f64]| -> Vec<f64> {
                (0..length).flat_map(|n| x[reversed(n, length) * columns..][..columns].to_vec()).collect()
            };
            for member in available(TABLE) {
                let (mut got_re, mut got_im) = (order(re), order(im));
                let got = Spectrum { re: &mut got_re, im: &mut got_im };
                member.columns(&column_roots(length), columns, got);
                for (k, c) in (0..length).flat_map(|k| (0..columns).map(move |c| (k, c))) {
                    let column =
                        |x: &[f64]| -> Vec<f64> { x.iter().skip(c).step_by(columns).copied().collect() };
                    let want = slow(&column(re), &column(im), k);
                    let at = k * columns + c;
                    let error = (got_re[at] - want[0]).abs().max((got_im[at] - want[1]).abs());
                    assert!(error < 1e-11, "{} {length} × {columns}, ({k}, {c}): {error}", member.name);
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "the roots of 8 rows")]
    fn other_roots_are_refused() {
        let (mut re, mut im) = ([0.0; 8], [0.0; 8]);
        Fft::select(Isa::SCALAR).columns(&column_roots(4), 1, Spectrum { re: &mut re, im: &mut im });
    }
}

//! The product of each column of a matrix of `f32`. Factors are multiplied in the order of the reference op, so that
//! all bits are the same.

mod body;

use arenite_base::memory::{Source, Target, span};

use crate::calls::StridedRows;
use crate::isa::Isa;
use crate::simd::*;

/// The family for one instruction set. All its functions are unsafe to call: the machine must have the instructions,
/// sources must be readable and targets writable.
#[non_exhaustive]
pub struct Products {
    /// The name, such as `f32_product__avx512`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    /// `(rows, stride, n, x, y)`: `y[j]` is the product of `x[i · stride + j]` for all `i < rows`, for each `j < n`.
    columns: unsafe fn(usize, usize, usize, *const f32, *mut f32),
}

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty) => {
        Products { name: $name, isa: $isa, columns }
    };
}

family! {
    Products: "f32_product" {
        fn columns(rows: usize, stride: usize, n: usize, x: *const f32, y: *mut f32);
    }
    vectors
}
member_of_table!(Products);

impl Products {
    /// The products of as many columns as there are results.
    ///
    /// # Panics
    /// If the last row has fewer elements.
    #[inline]
    pub fn of_columns(&self, x: Source<'_, f32>, rows: StridedRows, y: &mut Target<'_, f32>) {
        let (n, StridedRows { count, stride }) = (y.len(), rows);
        let from = x.at(0, span([count, stride, n]));
        // SAFETY: the machine can run it; `at` checked that all rows exist, and each column has a result.
        unsafe { (self.columns)(count, stride, n, from, y.at(0, n)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::available;
    use crate::random::Random;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_member_multiplies_in_order(n in 1usize..80, rows in 1usize..40, more in 0usize..5, seed: u64) {
            let mut random = Random::new(seed);
            let stride = n + more;
            // Products of factors around 1, whose bits depend on the order.
            let mut x = || 0.7 + (random.next() % (1 << 20)) as f32 / (1 << 20) as f32 * 0.7;
            let x: Vec<f32> = (0..rows * stride).map(|_| x()).collect();
            for products in available(TABLE) {
                let mut y = vec![f32::NAN; n + 1];
                let strided = StridedRows { count: rows, stride };
                products.of_columns(Source::of(&x), strided, &mut Target::of(&mut y[..n]));
                for j in 0..n {
                    let want = (0..rows).map(|i| x[i * stride + j]).reduce(|a, b| a * b).unwrap();
                    prop_assert_eq!(y[j].to_bits(), want.to_bits(), "{} column {}", products.name, j);
                }
                prop_assert!(y[n].is_nan());
            }
        }
    }
}

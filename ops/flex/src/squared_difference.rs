//! SquaredDifference: `y = (a − b)²`. Inputs broadcast. Reals, integers, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_squared_difference.cc.

use crate::kit::binary::{Binary, Function, Functions};
use crate::kit::complex;

/// The op.
pub type SquaredDifference = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexSquaredDifference";
    const FUNCTIONS: Functions = Functions {
        stepwise: Some(|a, b, round| {
            let difference = round(a - b);
            difference * difference
        }),
        int: Some(|a, b, _| {
            let difference = a.wrapping_sub(b);
            Some(difference.wrapping_mul(difference))
        }),
        complex: Some(|a, b| {
            let difference = complex::sub(a, b);
            complex::mul(difference, complex::conj(difference))
        }),
        ..Functions::NONE
    };
}

#[cfg(test)]
mod tests {
    use super::SquaredDifference;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        real_pairs::<SquaredDifference>(&[
            (3.0, 1.0, 4.0),
            (-1.0, 1.5, 6.25),
            (INF, INF, NAN),
            (NAN, 1.0, NAN),
        ]);
        whole_pairs::<SquaredDifference>(&[(7, 5, 4), (3, 3, 0), (1, 4, 9)]);
        exact_pairs::<SquaredDifference, i32>(&[(2147483647, -1, 0)]);
        complex_pairs::<SquaredDifference>(&[((4.0, 2.0), (1.0, -2.0), (25.0, 0.0))]);
    }

    #[test]
    fn refusals() {
        takes::<SquaredDifference>(2);
        refuses_pair::<SquaredDifference>(
            Tensor::bool(&[], &[true]),
            "inputs are BOOL, which this op does not serve",
        );
        refuses_pair::<SquaredDifference>(
            Tensor::strings(&[], &["a"]),
            "inputs are STRING, which this op does not serve",
        );
    }
}

//! AddV2: `y = a + b`. Inputs broadcast. Reals, integers, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_add_1.cc.

use crate::kit::binary::{Binary, Function, Functions};
use crate::kit::complex;

/// The op.
pub type AddV2 = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexAddV2";
    const FUNCTIONS: Functions = Functions {
        float: Some(|a, b| a + b),
        int: Some(|a, b, _| Some(a.wrapping_add(b))),
        complex: Some(complex::add),
        ..Functions::NONE
    };
}

#[cfg(test)]
mod tests {
    use super::AddV2;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        real_pairs::<AddV2>(&[(1.5, 2.0, 3.5), (-1.0, 1.0, 0.0), (INF, -INF, NAN), (NAN, 1.0, NAN)]);
        whole_pairs::<AddV2>(&[(5, 7, 12), (0, 3, 3)]);
        exact_pairs::<AddV2, i8>(&[(127, 1, -128), (-5, 3, -2)]);
        exact_pairs::<AddV2, u8>(&[(255, 2, 1)]);
        complex_pairs::<AddV2>(&[((1.0, 2.0), (-3.0, 0.5), (-2.0, 2.5))]);
    }

    #[test]
    fn refusals() {
        takes::<AddV2>(2);
        refuses_pair::<AddV2>(Tensor::bool(&[], &[true]), "inputs are BOOL, which this op does not serve");
        refuses_pair::<AddV2>(
            Tensor::strings(&[], &["a"]),
            "inputs are STRING, which this op does not serve",
        );
    }
}

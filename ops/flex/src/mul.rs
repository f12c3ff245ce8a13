//! Mul: `y = a b`. Inputs broadcast. Reals, integers, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_mul_1.cc.

use crate::kit::binary::{Binary, Function, Functions};
use crate::kit::complex;

/// The op.
pub type Mul = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexMul";
    const FUNCTIONS: Functions = Functions {
        float: Some(|a, b| a * b),
        int: Some(|a, b, _| Some(a.wrapping_mul(b))),
        complex: Some(complex::mul),
        ..Functions::NONE
    };
}

#[cfg(test)]
mod tests {
    use super::Mul;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        real_pairs::<Mul>(&[(1.5, 2.0, 3.0), (-1.0, 3.0, -3.0), (INF, 0.0, NAN), (NAN, 1.0, NAN)]);
        whole_pairs::<Mul>(&[(7, 5, 35), (3, 0, 0)]);
        exact_pairs::<Mul, i8>(&[(16, 16, 0), (-7, 3, -21)]);
        complex_pairs::<Mul>(&[((1.0, 2.0), (3.0, -1.0), (5.0, 5.0)), ((0.0, 1.0), (0.0, 1.0), (-1.0, 0.0))]);
    }

    #[test]
    fn refusals() {
        takes::<Mul>(2);
        refuses_pair::<Mul>(Tensor::bool(&[], &[true]), "inputs are BOOL, which this op does not serve");
        refuses_pair::<Mul>(Tensor::strings(&[], &["a"]), "inputs are STRING, which this op does not serve");
    }
}

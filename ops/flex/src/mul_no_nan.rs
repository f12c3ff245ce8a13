//! MulNoNan: `y = a b`, zero where `b` is zero. Inputs broadcast. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_mul_1.cc.

use crate::kit::binary::{Binary, Function, Functions};
use crate::kit::complex;

/// The op.
pub type MulNoNan = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexMulNoNan";
    const FUNCTIONS: Functions = Functions {
        float: Some(|a, b| if b == 0.0 { 0.0 } else { a * b }),
        complex: Some(|a, b| if b == complex::real(0.0) { b } else { complex::mul(a, b) }),
        ..Functions::NONE
    };
}

#[cfg(test)]
mod tests {
    use super::MulNoNan;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        real_pairs::<MulNoNan>(&[
            (1.5, 2.0, 3.0),
            (INF, 0.0, 0.0),
            (NAN, 0.0, 0.0),
            (0.0, INF, NAN),
            (NAN, 1.0, NAN),
        ]);
        complex_pairs::<MulNoNan>(&[
            ((1.0, 2.0), (3.0, -1.0), (5.0, 5.0)),
            ((NAN, 0.0), (0.0, 0.0), (0.0, 0.0)),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<MulNoNan>(2);
        refuses_pair::<MulNoNan>(Tensor::i32(&[], &[1]), "inputs are INT32, which this op does not serve");
        refuses_pair::<MulNoNan>(Tensor::bool(&[], &[true]), "inputs are BOOL, which this op does not serve");
    }
}

//! DivNoNan: `y = a / b`, zero where `b` is zero. Inputs broadcast. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_div.cc.

use crate::kit::binary::{Binary, Function, Functions};
use crate::kit::complex;

/// The op.
pub type DivNoNan = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexDivNoNan";
    const FUNCTIONS: Functions = Functions {
        float: Some(|a, b| if b == 0.0 { 0.0 } else { a / b }),
        complex: Some(|a, b| if b == complex::real(0.0) { b } else { complex::div(a, b) }),
        ..Functions::NONE
    };
}

#[cfg(test)]
mod tests {
    use super::DivNoNan;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        real_pairs::<DivNoNan>(&[
            (3.0, 2.0, 1.5),
            (1.0, 0.0, 0.0),
            (NAN, 0.0, 0.0),
            (INF, 0.0, 0.0),
            (NAN, 1.0, NAN),
        ]);
        complex_pairs::<DivNoNan>(&[
            ((5.0, 5.0), (3.0, -1.0), (1.0, 2.0)),
            ((1.0, 0.0), (0.0, 2.0), (0.0, -0.5)),
            ((1.0, 2.0), (0.0, 0.0), (0.0, 0.0)),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<DivNoNan>(2);
        refuses_pair::<DivNoNan>(Tensor::i32(&[], &[1]), "inputs are INT32, which this op does not serve");
        refuses_pair::<DivNoNan>(Tensor::bool(&[], &[true]), "inputs are BOOL, which this op does not serve");
    }
}

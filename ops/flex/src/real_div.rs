//! RealDiv: `y = a / b`. Inputs broadcast. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_div.cc.

use crate::kit::binary::{Binary, Function, Functions};
use crate::kit::complex;

/// The op.
pub type RealDiv = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexRealDiv";
    const FUNCTIONS: Functions =
        Functions { float: Some(|a, b| a / b), complex: Some(complex::div), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::RealDiv;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        real_pairs::<RealDiv>(&[
            (3.0, 2.0, 1.5),
            (-1.0, 4.0, -0.25),
            (1.0, 0.0, INF),
            (0.0, 0.0, NAN),
            (1.0, INF, 0.0),
        ]);
        complex_pairs::<RealDiv>(&[
            ((5.0, 5.0), (3.0, -1.0), (1.0, 2.0)),
            ((1.0, 0.0), (0.0, 2.0), (0.0, -0.5)),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<RealDiv>(2);
        refuses_pair::<RealDiv>(Tensor::i32(&[], &[1]), "inputs are INT32, which this op does not serve");
        refuses_pair::<RealDiv>(Tensor::bool(&[], &[true]), "inputs are BOOL, which this op does not serve");
    }
}

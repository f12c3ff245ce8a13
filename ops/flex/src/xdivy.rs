//! Xdivy: `y = a / b`, zero where `a` is zero. Inputs broadcast. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_xdivy.cc.

use crate::kit::binary::{Binary, Function, Functions};
use crate::kit::complex;

/// The op.
pub type Xdivy = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexXdivy";
    const FUNCTIONS: Functions = Functions {
        float: Some(|a, b| if a == 0.0 { 0.0 } else { a / b }),
        complex: Some(|a, b| if a == complex::real(0.0) { a } else { complex::div(a, b) }),
        ..Functions::NONE
    };
}

#[cfg(test)]
mod tests {
    use super::Xdivy;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        real_pairs::<Xdivy>(&[
            (3.0, 2.0, 1.5),
            (0.0, 0.0, 0.0),
            (0.0, NAN, 0.0),
            (1.0, 0.0, INF),
            (NAN, 1.0, NAN),
        ]);
        complex_pairs::<Xdivy>(&[
            ((5.0, 5.0), (3.0, -1.0), (1.0, 2.0)),
            ((1.0, 0.0), (0.0, 2.0), (0.0, -0.5)),
            ((0.0, 0.0), (0.0, 0.0), (0.0, 0.0)),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<Xdivy>(2);
        refuses_pair::<Xdivy>(Tensor::i32(&[], &[1]), "inputs are INT32, which this op does not serve");
        refuses_pair::<Xdivy>(Tensor::bool(&[], &[true]), "inputs are BOOL, which this op does not serve");
    }
}

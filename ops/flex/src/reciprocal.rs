//! Reciprocal: `y = 1 / x`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_inverse.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Reciprocal = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexReciprocal";
    const FUNCTIONS: Functions = Functions {
        float: Some(|x| 1.0 / x),
        complex: Some(|x| complex::div(complex::real(1.0), x)),
        ..Functions::NONE
    };
}

#[cfg(test)]
mod tests {
    use super::Reciprocal;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        reals::<Reciprocal>(&[(2.0, 0.5), (-0.25, -4.0), (INF, 0.0), (0.0, INF), (-0.0, -INF), (NAN, NAN)]);
        complexes::<Reciprocal>(&[
            ((3.0, -4.0), (0.12, 0.16)),
            ((0.0, 2.0), (0.0, -0.5)),
            ((-2.0, 0.0), (-0.5, 0.0)),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<Reciprocal>(1);
        refuses::<Reciprocal>(
            &[Tensor::i32(&[], &[1])],
            "input 'in0' is INT32, which this op does not serve",
        );
        refuses::<Reciprocal>(
            &[Tensor::strings(&[], &["a"])],
            "input 'in0' is STRING, which this op does not serve",
        );
    }
}

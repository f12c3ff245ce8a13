//! Neg: `y = −x`. Reals, integers, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_neg.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Neg = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexNeg";
    const FUNCTIONS: Functions = Functions {
        float: Some(|x| -x),
        int: Some(|x| x.wrapping_neg()),
        complex: Some(|x| complex::complex(-x.re, -x.im)),
        ..Functions::NONE
    };
}

#[cfg(test)]
mod tests {
    use super::Neg;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        reals::<Neg>(&[(1.5, -1.5), (-2.0, 2.0), (0.0, 0.0), (INF, -INF), (NAN, NAN)]);
        wholes::<Neg>(&[(5, -5), (-7, 7), (0, 0)]);
        exact::<Neg, i8>(&[(-128, -128)]);
        complexes::<Neg>(&[((1.0, -2.0), (-1.0, 2.0)), ((0.0, 0.5), (0.0, -0.5))]);
    }

    #[test]
    fn refusals() {
        takes::<Neg>(1);
        refuses::<Neg>(&[Tensor::bool(&[], &[true])], "input 'in0' is BOOL, which this op does not serve");
        refuses::<Neg>(
            &[Tensor::strings(&[], &["a"])],
            "input 'in0' is STRING, which this op does not serve",
        );
    }
}

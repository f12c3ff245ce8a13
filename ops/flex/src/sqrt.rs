//! Sqrt: `y = √x`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_sqrt.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Sqrt = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexSqrt";
    const FUNCTIONS: Functions =
        Functions { float: Some(libm::sqrt), complex: Some(complex::sqrt), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::Sqrt;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;
    use core::f64::consts::SQRT_2;

    #[test]
    fn values() {
        reals::<Sqrt>(&[(4.0, 2.0), (2.0, SQRT_2), (0.0, 0.0), (-1.0, NAN), (INF, INF), (NAN, NAN)]);
        complexes::<Sqrt>(&[
            ((-4.0, 0.0), (0.0, 2.0)),
            ((-4.0, -0.0), (0.0, -2.0)),
            ((3.0, 4.0), (2.0, 1.0)),
            ((0.0, 0.0), (0.0, 0.0)),
            ((0.0, INF), (INF, INF)),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<Sqrt>(1);
        refuses::<Sqrt>(&[Tensor::i32(&[], &[1])], "input 'in0' is INT32, which this op does not serve");
        refuses::<Sqrt>(
            &[Tensor::strings(&[], &["a"])],
            "input 'in0' is STRING, which this op does not serve",
        );
    }
}

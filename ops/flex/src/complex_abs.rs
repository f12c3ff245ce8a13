//! ComplexAbs: `y = |x|` of complex numbers. Complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_abs.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type ComplexAbs = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexComplexAbs";
    const FUNCTIONS: Functions = Functions { part: Some(complex::abs), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::ComplexAbs;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        parts::<ComplexAbs>(&[((3.0, -4.0), 5.0), ((-2.0, 0.0), 2.0), ((0.0, 0.0), 0.0), ((-INF, NAN), INF)]);
    }

    #[test]
    fn refusals() {
        takes::<ComplexAbs>(1);
        refuses::<ComplexAbs>(
            &[Tensor::f32(&[], &[1.0])],
            "input 'in0' is FLOAT32, which this op does not serve",
        );
        refuses::<ComplexAbs>(
            &[Tensor::i32(&[], &[1])],
            "input 'in0' is INT32, which this op does not serve",
        );
    }
}

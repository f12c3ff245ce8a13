//! Real: the real part. Complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_real.cc.

use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Real = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexReal";
    const FUNCTIONS: Functions = Functions { part: Some(|x| x.re), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::Real;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        parts::<Real>(&[((3.0, -4.0), 3.0), ((-2.0, 0.0), -2.0), ((INF, 0.0), INF)]);
    }

    #[test]
    fn refusals() {
        takes::<Real>(1);
        refuses::<Real>(&[Tensor::f32(&[], &[1.0])], "input 'in0' is FLOAT32, which this op does not serve");
        refuses::<Real>(&[Tensor::i32(&[], &[1])], "input 'in0' is INT32, which this op does not serve");
    }
}

//! Imag: the imaginary part. Complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_imag.cc.

use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Imag = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexImag";
    const FUNCTIONS: Functions = Functions { part: Some(|x| x.im), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::Imag;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        parts::<Imag>(&[((3.0, -4.0), -4.0), ((-2.0, 0.0), 0.0), ((0.0, INF), INF)]);
    }

    #[test]
    fn refusals() {
        takes::<Imag>(1);
        refuses::<Imag>(&[Tensor::f32(&[], &[1.0])], "input 'in0' is FLOAT32, which this op does not serve");
        refuses::<Imag>(&[Tensor::i32(&[], &[1])], "input 'in0' is INT32, which this op does not serve");
    }
}

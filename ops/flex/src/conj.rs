//! Conj: the conjugate. Complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_conj.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Conj = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexConj";
    const FUNCTIONS: Functions = Functions { complex: Some(complex::conj), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::Conj;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        complexes::<Conj>(&[
            ((1.0, 2.0), (1.0, -2.0)),
            ((-3.0, -0.5), (-3.0, 0.5)),
            ((0.0, INF), (0.0, -INF)),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<Conj>(1);
        refuses::<Conj>(&[Tensor::f32(&[], &[1.0])], "input 'in0' is FLOAT32, which this op does not serve");
        refuses::<Conj>(&[Tensor::i32(&[], &[1])], "input 'in0' is INT32, which this op does not serve");
    }
}

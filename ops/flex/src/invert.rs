//! Invert: `y = ¬x`, bit by bit. Integers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_invert.cc.

use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Invert = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexInvert";
    const FUNCTIONS: Functions = Functions { int: Some(|x| !x), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::Invert;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        exact::<Invert, i8>(&[(0, -1), (5, -6), (-128, 127)]);
        exact::<Invert, u8>(&[(0, 255), (5, 250)]);
        exact::<Invert, i32>(&[(0, -1), (2147483647, -2147483648)]);
        exact::<Invert, u64>(&[(1, 18446744073709551614)]);
    }

    #[test]
    fn refusals() {
        takes::<Invert>(1);
        refuses::<Invert>(
            &[Tensor::f32(&[], &[1.0])],
            "input 'in0' is FLOAT32, which this op does not serve",
        );
        refuses::<Invert>(&[Tensor::bool(&[], &[true])], "input 'in0' is BOOL, which this op does not serve");
    }
}

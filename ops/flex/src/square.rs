//! Square: `y = x²`. Reals, integers, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_square.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Square = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexSquare";
    const FUNCTIONS: Functions = Functions {
        float: Some(|x| x * x),
        int: Some(|x| x.wrapping_mul(x)),
        complex: Some(|x| complex::mul(x, x)),
        ..Functions::NONE
    };
}

#[cfg(test)]
mod tests {
    use super::Square;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        reals::<Square>(&[(1.5, 2.25), (-2.0, 4.0), (0.0, 0.0), (-INF, INF), (NAN, NAN)]);
        wholes::<Square>(&[(5, 25), (-7, 49), (0, 0)]);
        exact::<Square, i8>(&[(16, 0), (-128, 0), (12, -112)]);
        complexes::<Square>(&[((1.0, 2.0), (-3.0, 4.0)), ((0.0, -3.0), (-9.0, 0.0))]);
    }

    #[test]
    fn refusals() {
        takes::<Square>(1);
        refuses::<Square>(&[Tensor::bool(&[], &[true])], "input 'in0' is BOOL, which this op does not serve");
        refuses::<Square>(
            &[Tensor::strings(&[], &["a"])],
            "input 'in0' is STRING, which this op does not serve",
        );
    }
}

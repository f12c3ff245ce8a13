//! Angle: the angle of a complex number. Complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_arg.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Angle = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexAngle";
    const FUNCTIONS: Functions = Functions { part: Some(complex::arg), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::Angle;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;
    use core::f64::consts::{FRAC_PI_2, FRAC_PI_3, PI};

    #[test]
    fn values() {
        parts::<Angle>(&[
            ((1.0, 0.0), 0.0),
            ((0.0, 2.0), FRAC_PI_2),
            ((-1.0, 0.0), PI),
            ((-1.0, -0.0), -PI),
            ((3.0, -3.0), -0.75 * FRAC_PI_3),
            ((0.0, 0.0), 0.0),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<Angle>(1);
        refuses::<Angle>(&[Tensor::f32(&[], &[1.0])], "input 'in0' is FLOAT32, which this op does not serve");
        refuses::<Angle>(&[Tensor::i32(&[], &[1])], "input 'in0' is INT32, which this op does not serve");
    }
}

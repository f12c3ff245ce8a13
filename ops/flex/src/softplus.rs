//! Softplus: `y = log(1 + e^x)`. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/softplus_op.cc.

use crate::kit::functions;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Softplus = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexSoftplus";
    const FUNCTIONS: Functions = Functions { float: Some(functions::softplus), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::Softplus;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;
    use core::f64::consts::LN_2;

    #[test]
    fn values() {
        reals::<Softplus>(&[
            (0.0, LN_2),
            (1.0, 1.313_261_687_518_222_8),
            (-2.0, 0.126_928_011_042_972_5),
            (64.0, 64.0),
            (INF, INF),
            (-INF, 0.0),
            (NAN, NAN),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<Softplus>(1);
        refuses::<Softplus>(&[Tensor::i32(&[], &[1])], "input 'in0' is INT32, which this op does not serve");
        refuses::<Softplus>(
            &[complex_of(C64, &[], &[(1.0, 0.0)])],
            "input 'in0' is COMPLEX64, which this op does not serve",
        );
    }
}

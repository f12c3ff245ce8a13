//! Atan2: the angle of the point `(b, a)`. Inputs broadcast. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_atan2.cc.

use crate::kit::binary::{Binary, Function, Functions};

/// The op.
pub type Atan2 = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexAtan2";
    const FUNCTIONS: Functions = Functions { float: Some(libm::atan2), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::Atan2;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;
    use core::f64::consts::{FRAC_PI_2, FRAC_PI_3, PI};

    #[test]
    fn values() {
        real_pairs::<Atan2>(&[
            (0.0, 1.0, 0.0),
            (1.0, 0.0, FRAC_PI_2),
            (1.0, 1.0, 0.75 * FRAC_PI_3),
            (-1.0, -1.0, -0.75 * PI),
            (0.0, -1.0, PI),
            (-0.0, -1.0, -PI),
            (INF, INF, 0.75 * FRAC_PI_3),
            (NAN, 1.0, NAN),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<Atan2>(2);
        refuses_pair::<Atan2>(Tensor::i32(&[], &[1]), "inputs are INT32, which this op does not serve");
        refuses_pair::<Atan2>(
            complex_of(C64, &[], &[(1.0, 0.0)]),
            "inputs are COMPLEX64, which this op does not serve",
        );
    }
}

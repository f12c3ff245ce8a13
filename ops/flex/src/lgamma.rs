//! Lgamma: `y = log |Γ(x)|`. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_lgamma.cc.

use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Lgamma = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexLgamma";
    const FUNCTIONS: Functions = Functions { float: Some(libm::lgamma), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::Lgamma;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        reals::<Lgamma>(&[
            (1.0, 0.0),
            (2.0, 0.0),
            (0.5, 0.572_364_942_924_700_1),
            (6.0, 4.787_491_742_782_046),
            (-0.5, 1.265_512_123_484_645_4),
            (0.0, INF),
            (-1.0, INF),
            (INF, INF),
            (NAN, NAN),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<Lgamma>(1);
        refuses::<Lgamma>(&[Tensor::i32(&[], &[1])], "input 'in0' is INT32, which this op does not serve");
        refuses::<Lgamma>(
            &[complex_of(C64, &[], &[(1.0, 0.0)])],
            "input 'in0' is COMPLEX64, which this op does not serve",
        );
    }
}

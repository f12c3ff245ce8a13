//! Ndtri: `y = Φ⁻¹(x)`, the quantile of the normal distribution. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_ndtri.cc.

use crate::kit::functions;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Ndtri = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexNdtri";
    const FUNCTIONS: Functions = Functions { float: Some(functions::ndtri), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::Ndtri;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        reals::<Ndtri>(&[
            (0.5, 0.0),
            (0.25, -0.674_489_750_196_081_7),
            (0.75, 0.674_489_750_196_081_7),
            (0.0, -INF),
            (1.0, INF),
            (2.0, NAN),
            (NAN, NAN),
        ]);
        f64s::<Ndtri>(&[
            (0.025, -1.959_963_984_540_054_5),
            (1e-8, -5.612_001_244_174_789),
            (1e-100, -21.273_453_560_965_322),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<Ndtri>(1);
        refuses::<Ndtri>(&[Tensor::i32(&[], &[1])], "input 'in0' is INT32, which this op does not serve");
        refuses::<Ndtri>(
            &[complex_of(C64, &[], &[(1.0, 0.0)])],
            "input 'in0' is COMPLEX64, which this op does not serve",
        );
    }
}

//! Erfinv: `y = erf⁻¹(x)`. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_ndtri.cc.

use crate::kit::functions;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Erfinv = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexErfinv";
    const FUNCTIONS: Functions = Functions { float: Some(functions::erfinv), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::Erfinv;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        reals::<Erfinv>(&[
            (0.0, 0.0),
            (0.5, 0.476_936_276_204_469_9),
            (-0.75, -0.813_419_847_597_618_5),
            (1.0, INF),
            (-1.0, -INF),
            (2.0, NAN),
            (NAN, NAN),
        ]);
        f64s::<Erfinv>(&[(0.996_093_75, 2.040_452_014_605_609)]);
    }

    #[test]
    fn refusals() {
        takes::<Erfinv>(1);
        refuses::<Erfinv>(&[Tensor::i32(&[], &[1])], "input 'in0' is INT32, which this op does not serve");
        refuses::<Erfinv>(
            &[complex_of(C64, &[], &[(1.0, 0.0)])],
            "input 'in0' is COMPLEX64, which this op does not serve",
        );
    }
}

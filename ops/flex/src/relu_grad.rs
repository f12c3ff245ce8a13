//! ReluGrad: `dx = dy` where `x` is above zero; inputs `dy`, `x`. Reals, integers. May run in place.
//! Defined by: tensorflow/core/kernels/relu_op.cc.

use crate::kit::binary::{Binary, Function, Functions};

/// The op.
pub type ReluGrad = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexReluGrad";
    const FUNCTIONS: Functions = Functions {
        float: Some(|dy, x| dy * f64::from(x > 0.0)),
        int: Some(|dy, x, _| Some(if x > 0 { dy } else { 0 })),
        ..Functions::NONE
    };
    const BROADCASTS: bool = false;
}

#[cfg(test)]
mod tests {
    use super::ReluGrad;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        gradients::<ReluGrad>(&[
            (2.0, 1.0, 2.0),
            (2.0, 0.0, 0.0),
            (2.0, -1.0, 0.0),
            (2.0, 7.0, 2.0),
            (2.0, 6.0, 2.0),
            (INF, -1.0, NAN),
            (2.0, NAN, 0.0),
        ]);
        whole_gradients::<ReluGrad>(&[(2, 1, 2), (2, 0, 0), (9, 7, 9)]);
    }

    #[test]
    fn refusals() {
        takes::<ReluGrad>(2);
        refuses_pair::<ReluGrad>(
            complex_of(C64, &[], &[(1.0, 0.0)]),
            "inputs are COMPLEX64, which this op does not serve",
        );
        refuses_pair::<ReluGrad>(Tensor::bool(&[], &[true]), "inputs are BOOL, which this op does not serve");
    }
}

//! Relu6Grad: `dx = dy` where `x` lies between 0 and 6; inputs `dy`, `x`. Reals, integers. May run in place.
//! Defined by: tensorflow/core/kernels/relu_op.cc.

use crate::kit::binary::{Binary, Function, Functions};

/// The op.
pub type Relu6Grad = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexRelu6Grad";
    const FUNCTIONS: Functions = Functions {
        float: Some(|dy, x| dy * f64::from(x > 0.0 && x < 6.0)),
        int: Some(|dy, x, _| Some(if x > 0 && x < 6 { dy } else { 0 })),
        ..Functions::NONE
    };
    const BROADCASTS: bool = false;
}

#[cfg(test)]
mod tests {
    use super::Relu6Grad;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        gradients::<Relu6Grad>(&[
            (2.0, 1.0, 2.0),
            (2.0, 0.0, 0.0),
            (2.0, -1.0, 0.0),
            (2.0, 7.0, 0.0),
            (2.0, 6.0, 0.0),
            (INF, -1.0, NAN),
            (2.0, NAN, 0.0),
        ]);
        whole_gradients::<Relu6Grad>(&[(2, 1, 2), (2, 0, 0), (9, 7, 0)]);
    }

    #[test]
    fn refusals() {
        takes::<Relu6Grad>(2);
        refuses_pair::<Relu6Grad>(
            complex_of(C64, &[], &[(1.0, 0.0)]),
            "inputs are COMPLEX64, which this op does not serve",
        );
        refuses_pair::<Relu6Grad>(
            Tensor::bool(&[], &[true]),
            "inputs are BOOL, which this op does not serve",
        );
    }
}

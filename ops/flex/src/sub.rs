//! Sub: `y = a − b`. Inputs broadcast. Reals, integers, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_sub.cc.

use crate::kit::binary::{Binary, Function, Functions};
use crate::kit::complex;

/// The op.
pub type Sub = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexSub";
    const FUNCTIONS: Functions = Functions {
        float: Some(|a, b| a - b),
        int: Some(|a, b, _| Some(a.wrapping_sub(b))),
        complex: Some(complex::sub),
        ..Functions::NONE
    };
}

#[cfg(test)]
mod tests {
    use super::Sub;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        real_pairs::<Sub>(&[(1.5, 2.0, -0.5), (-1.0, 1.0, -2.0), (INF, INF, NAN), (NAN, 1.0, NAN)]);
        whole_pairs::<Sub>(&[(7, 5, 2), (3, 3, 0)]);
        exact_pairs::<Sub, i8>(&[(-128, 1, 127)]);
        exact_pairs::<Sub, u8>(&[(1, 2, 255)]);
        complex_pairs::<Sub>(&[((1.0, 2.0), (-3.0, 0.5), (4.0, 1.5))]);
    }

    #[test]
    fn refusals() {
        takes::<Sub>(2);
        refuses_pair::<Sub>(Tensor::bool(&[], &[true]), "inputs are BOOL, which this op does not serve");
        refuses_pair::<Sub>(Tensor::strings(&[], &["a"]), "inputs are STRING, which this op does not serve");
    }
}

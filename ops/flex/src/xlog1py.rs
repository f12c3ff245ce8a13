//! Xlog1py: `y = a log(1 + b)`, zero where `a` is zero. Inputs broadcast. Reals, complex numbers. May run in
//! place.
//! Defined by: tensorflow/core/kernels/cwise_op_xlog1py.cc.

use crate::kit::binary::{Binary, Function, Functions};
use crate::kit::complex;

/// The op.
pub type Xlog1py = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexXlog1py";
    const FUNCTIONS: Functions = Functions {
        float: Some(|a, b| if a == 0.0 { 0.0 } else { a * libm::log1p(b) }),
        complex: Some(|a, b| if a == complex::real(0.0) { a } else { complex::mul(a, complex::log1p(b)) }),
        ..Functions::NONE
    };
}

#[cfg(test)]
mod tests {
    use super::Xlog1py;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;
    use core::f64::consts::{LN_2, PI};

    #[test]
    fn values() {
        real_pairs::<Xlog1py>(&[
            (3.0, 1.0, 3.0 * LN_2),
            (0.0, -1.0, 0.0),
            (0.0, NAN, 0.0),
            (1.0, -1.0, -INF),
            (1.0, -2.0, NAN),
        ]);
        complex_pairs::<Xlog1py>(&[
            ((0.0, 2.0), (-2.0, 0.0), (-2.0 * PI, 0.0)),
            ((0.0, 2.0), (-2.0, -0.0), (2.0 * PI, 0.0)),
            ((0.0, 0.0), (-1.0, 0.0), (0.0, 0.0)),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<Xlog1py>(2);
        refuses_pair::<Xlog1py>(Tensor::i32(&[], &[1]), "inputs are INT32, which this op does not serve");
        refuses_pair::<Xlog1py>(Tensor::bool(&[], &[true]), "inputs are BOOL, which this op does not serve");
    }
}

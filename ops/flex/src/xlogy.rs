//! Xlogy: `y = a log(b)`, zero where `a` is zero. Inputs broadcast. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_xlogy.cc.

use crate::kit::binary::{Binary, Function, Functions};
use crate::kit::complex;

/// The op.
pub type Xlogy = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexXlogy";
    const FUNCTIONS: Functions = Functions {
        float: Some(|a, b| if a == 0.0 { 0.0 } else { a * libm::log(b) }),
        complex: Some(|a, b| if a == complex::real(0.0) { a } else { complex::mul(a, complex::log(b)) }),
        ..Functions::NONE
    };
}

#[cfg(test)]
mod tests {
    use super::Xlogy;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;
    use core::f64::consts::{LN_2, PI};

    #[test]
    fn values() {
        real_pairs::<Xlogy>(&[
            (3.0, 2.0, 3.0 * LN_2),
            (0.0, 0.0, 0.0),
            (0.0, NAN, 0.0),
            (1.0, 0.0, -INF),
            (1.0, -1.0, NAN),
        ]);
        complex_pairs::<Xlogy>(&[
            ((0.0, 2.0), (-1.0, 0.0), (-2.0 * PI, 0.0)),
            ((0.0, 0.0), (0.0, 0.0), (0.0, 0.0)),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<Xlogy>(2);
        refuses_pair::<Xlogy>(Tensor::i32(&[], &[1]), "inputs are INT32, which this op does not serve");
        refuses_pair::<Xlogy>(Tensor::bool(&[], &[true]), "inputs are BOOL, which this op does not serve");
    }
}

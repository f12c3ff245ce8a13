//! Div: `y = a / b`, of integers towards zero. Inputs broadcast. Reals, integers, complex numbers. May run in
//! place.
//! Defined by: tensorflow/core/kernels/cwise_op_div.cc.

use crate::kit::binary::{Binary, Function, Functions};
use crate::kit::complex;

/// The op.
pub type Div = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexDiv";
    const FUNCTIONS: Functions = Functions {
        float: Some(|a, b| a / b),
        int: Some(|a, b, _| a.checked_div(b)),
        complex: Some(complex::div),
        ..Functions::NONE
    };
}

#[cfg(test)]
mod tests {
    use super::Div;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        real_pairs::<Div>(&[
            (3.0, 2.0, 1.5),
            (-1.0, 4.0, -0.25),
            (1.0, 0.0, INF),
            (0.0, 0.0, NAN),
            (1.0, INF, 0.0),
        ]);
        whole_pairs::<Div>(&[(7, 2, 3), (6, 3, 2)]);
        exact_pairs::<Div, i8>(&[(-7, 2, -3), (7, -2, -3)]);
        complex_pairs::<Div>(&[((5.0, 5.0), (3.0, -1.0), (1.0, 2.0)), ((1.0, 0.0), (0.0, 2.0), (0.0, -0.5))]);
    }

    #[test]
    fn refusals() {
        takes::<Div>(2);
        refuses_pair::<Div>(Tensor::bool(&[], &[true]), "inputs are BOOL, which this op does not serve");
        refuses_pair::<Div>(Tensor::strings(&[], &["a"]), "inputs are STRING, which this op does not serve");
        let (seven, zero) = (Tensor::i32(&[1], &[7]), Tensor::i32(&[1], &[0]));
        refuses::<Div>(&[seven, zero], "the integer 7 is divided by zero");
    }
}

//! Pow: `y = a^b`. Inputs broadcast. Reals, integers, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_pow.cc.

use crate::kit::binary::{Binary, Function, Functions};
use crate::kit::{complex, functions};

/// The op.
pub type Pow = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexPow";
    const FUNCTIONS: Functions = Functions {
        float: Some(libm::pow),
        int: Some(|a, b, _| functions::power(a, b)),
        complex: Some(complex::pow),
        ..Functions::NONE
    };
}

#[cfg(test)]
mod tests {
    use super::Pow;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        real_pairs::<Pow>(&[
            (2.0, 3.0, 8.0),
            (4.0, 0.5, 2.0),
            (-2.0, 3.0, -8.0),
            (-2.0, 0.5, NAN),
            (0.0, 0.0, 1.0),
            (NAN, 0.0, 1.0),
            (1.0, NAN, 1.0),
            (2.0, -INF, 0.0),
            (0.0, -1.0, INF),
        ]);
        whole_pairs::<Pow>(&[(3, 4, 81), (2, 0, 1), (0, 0, 1)]);
        exact_pairs::<Pow, i8>(&[(-2, 3, -8), (2, 7, -128), (2, 8, 0)]);
        complex_pairs::<Pow>(&[
            ((0.0, 1.0), (2.0, 0.0), (-1.0, 0.0)),
            ((1.0, 1.0), (2.0, 0.0), (0.0, 2.0)),
            ((0.0, 0.0), (2.0, 0.0), (0.0, 0.0)),
            ((0.0, 0.0), (-1.0, 0.0), (INF, NAN)),
            ((0.0, 0.0), (0.0, 0.0), (NAN, NAN)),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<Pow>(2);
        refuses_pair::<Pow>(Tensor::bool(&[], &[true]), "inputs are BOOL, which this op does not serve");
        refuses_pair::<Pow>(Tensor::strings(&[], &["a"]), "inputs are STRING, which this op does not serve");
        let (two, below) = (Tensor::i32(&[1], &[2]), Tensor::i32(&[1], &[-1]));
        refuses::<Pow>(&[two, below], "the integer 2 is raised to the power -1, which is negative");
    }
}

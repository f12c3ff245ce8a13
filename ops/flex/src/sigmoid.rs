//! Sigmoid: `y = 1 / (1 + e^−x)`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_sigmoid.cc.

use crate::kit::unary::{Function, Functions, Unary};
use crate::kit::{complex, functions};

/// The op.
pub type Sigmoid = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexSigmoid";
    const FUNCTIONS: Functions = Functions {
        float: Some(functions::sigmoid),
        complex: Some(|x| {
            let one = complex::real(1.0);
            complex::div(one, complex::add(one, complex::exp(complex::complex(-x.re, -x.im))))
        }),
        ..Functions::NONE
    };
}

#[cfg(test)]
mod tests {
    use super::Sigmoid;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        reals::<Sigmoid>(&[
            (0.0, 0.5),
            (1.0, 0.731_058_578_630_004_9),
            (-2.0, 0.119_202_922_022_117_55),
            (INF, 1.0),
            (-INF, 0.0),
            (NAN, NAN),
        ]);
        complexes::<Sigmoid>(&[
            ((0.0, 0.0), (0.5, 0.0)),
            ((1.0, 1.0), (0.782_041_570_633_749_2, 0.201_948_227_658_012_9)),
            ((-2.0, -0.5), (0.109_155_846_454_270_26, -0.051_664_703_835_458_18)),
            ((-INF, 1.0), (0.0, 0.0)),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<Sigmoid>(1);
        refuses::<Sigmoid>(&[Tensor::i32(&[], &[1])], "input 'in0' is INT32, which this op does not serve");
        refuses::<Sigmoid>(
            &[Tensor::strings(&[], &["a"])],
            "input 'in0' is STRING, which this op does not serve",
        );
    }
}

//! Tanh: `y = tanh(x)`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_tanh.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Tanh = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexTanh";
    const FUNCTIONS: Functions =
        Functions { float: Some(libm::tanh), complex: Some(complex::tanh), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::Tanh;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        reals::<Tanh>(&[
            (0.0, 0.0),
            (1.0, 0.761_594_155_955_764_9),
            (-2.0, -0.964_027_580_075_816_9),
            (INF, 1.0),
            (-INF, -1.0),
            (NAN, NAN),
        ]);
        complexes::<Tanh>(&[
            ((0.5, 0.0), (0.462_117_157_260_009_74, 0.0)),
            ((1.0, 1.0), (1.083_923_327_338_694_6, 0.271_752_585_319_511_8)),
            ((-2.0, 0.5), (-0.979_940_849_961_738, 0.030_215_987_322_877_582)),
            ((30.0, 1.0), (1.0, 1.5924545408982664e-26)),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<Tanh>(1);
        refuses::<Tanh>(&[Tensor::i32(&[], &[1])], "input 'in0' is INT32, which this op does not serve");
        refuses::<Tanh>(
            &[Tensor::strings(&[], &["a"])],
            "input 'in0' is STRING, which this op does not serve",
        );
    }
}

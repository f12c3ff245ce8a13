//! Sinh: `y = sinh(x)`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_sinh.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Sinh = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexSinh";
    const FUNCTIONS: Functions =
        Functions { float: Some(libm::sinh), complex: Some(complex::sinh), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::Sinh;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        reals::<Sinh>(&[
            (0.0, 0.0),
            (1.0, 1.175_201_193_643_801_4),
            (-2.0, -3.626_860_407_847_019),
            (-INF, -INF),
            (NAN, NAN),
        ]);
        complexes::<Sinh>(&[
            ((0.5, 0.0), (0.521_095_305_493_747_4, 0.0)),
            ((1.0, 1.0), (0.634_963_914_784_736_1, 1.298_457_581_415_977_3)),
            ((-2.0, 0.5), (-3.182_869_448_337_149_4, 1.803_692_695_532_181_7)),
            ((INF, 0.0), (INF, 0.0)),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<Sinh>(1);
        refuses::<Sinh>(&[Tensor::i32(&[], &[1])], "input 'in0' is INT32, which this op does not serve");
        refuses::<Sinh>(
            &[Tensor::strings(&[], &["a"])],
            "input 'in0' is STRING, which this op does not serve",
        );
    }
}

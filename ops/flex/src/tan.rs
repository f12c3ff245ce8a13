//! Tan: `y = tan(x)`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_tan.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Tan = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexTan";
    const FUNCTIONS: Functions =
        Functions { float: Some(libm::tan), complex: Some(complex::tan), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::Tan;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        reals::<Tan>(&[
            (0.0, 0.0),
            (1.0, 1.557_407_724_654_902_3),
            (-2.0, 2.185_039_863_261_519),
            (INF, NAN),
            (NAN, NAN),
        ]);
        complexes::<Tan>(&[
            ((0.5, 0.0), (0.546_302_489_843_790_5, 0.0)),
            ((1.0, 1.0), (0.271_752_585_319_511_8, 1.083_923_327_338_694_6)),
            ((-2.0, 0.5), (0.850_878_121_144_937_9, 1.321_286_583_771_191_6)),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<Tan>(1);
        refuses::<Tan>(&[Tensor::i32(&[], &[1])], "input 'in0' is INT32, which this op does not serve");
        refuses::<Tan>(
            &[Tensor::strings(&[], &["a"])],
            "input 'in0' is STRING, which this op does not serve",
        );
    }
}

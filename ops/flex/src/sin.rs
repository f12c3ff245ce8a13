//! Sin: `y = sin(x)`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_sin.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Sin = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexSin";
    const FUNCTIONS: Functions =
        Functions { float: Some(libm::sin), complex: Some(complex::sin), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::Sin;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        reals::<Sin>(&[
            (0.0, 0.0),
            (1.0, 0.841_470_984_807_896_5),
            (-2.0, -0.909_297_426_825_681_7),
            (INF, NAN),
            (NAN, NAN),
        ]);
        complexes::<Sin>(&[
            ((0.5, 0.0), (0.479_425_538_604_203, 0.0)),
            ((1.0, 1.0), (1.298_457_581_415_977_3, 0.634_963_914_784_736_1)),
            ((-2.0, 0.5), (-1.025_347_388_583_987_7, -0.216_852_162_920_789_74)),
            ((0.0, INF), (0.0, INF)),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<Sin>(1);
        refuses::<Sin>(&[Tensor::i32(&[], &[1])], "input 'in0' is INT32, which this op does not serve");
        refuses::<Sin>(
            &[Tensor::strings(&[], &["a"])],
            "input 'in0' is STRING, which this op does not serve",
        );
    }
}

//! Expm1: `y = e^x − 1`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_expm1.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Expm1 = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexExpm1";
    const FUNCTIONS: Functions =
        Functions { float: Some(libm::expm1), complex: Some(complex::expm1), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::Expm1;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        reals::<Expm1>(&[
            (0.0, 0.0),
            (1.0, 1.718_281_828_459_045),
            (-2.0, -0.864_664_716_763_387_3),
            (-INF, -1.0),
            (INF, INF),
            (NAN, NAN),
        ]);
        complexes::<Expm1>(&[
            ((0.0, 0.0), (0.0, 0.0)),
            ((1.0, 1.0), (0.468_693_939_915_885_2, 2.287_355_287_178_842_3)),
            ((-2.0, -0.5), (-0.881_232_115_423_054_2, -0.064_883_191_057_865_41)),
            (
                (1.0 / (1u64 << 40) as f64, 1.0 / (1u64 << 40) as f64),
                (1.0 / (1u64 << 40) as f64, 9.094947017737554e-13),
            ),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<Expm1>(1);
        refuses::<Expm1>(&[Tensor::i32(&[], &[1])], "input 'in0' is INT32, which this op does not serve");
        refuses::<Expm1>(
            &[Tensor::strings(&[], &["a"])],
            "input 'in0' is STRING, which this op does not serve",
        );
    }
}

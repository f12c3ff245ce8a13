//! Cos: `y = cos(x)`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_cos.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Cos = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexCos";
    const FUNCTIONS: Functions =
        Functions { float: Some(libm::cos), complex: Some(complex::cos), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::Cos;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        reals::<Cos>(&[
            (0.0, 1.0),
            (1.0, 0.540_302_305_868_139_8),
            (-2.0, -0.416_146_836_547_142_4),
            (INF, NAN),
            (NAN, NAN),
        ]);
        complexes::<Cos>(&[
            ((0.5, 0.0), (0.877_582_561_890_372_8, -0.0)),
            ((1.0, 1.0), (0.833_730_025_131_149_1, -0.988_897_705_762_865_1)),
            ((-2.0, 0.5), (-0.469_257_978_229_053_4, 0.473_830_620_416_407)),
            ((0.0, INF), (INF, -0.0)),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<Cos>(1);
        refuses::<Cos>(&[Tensor::i32(&[], &[1])], "input 'in0' is INT32, which this op does not serve");
        refuses::<Cos>(
            &[Tensor::strings(&[], &["a"])],
            "input 'in0' is STRING, which this op does not serve",
        );
    }
}

//! Sign: `y = x / |x|`, zeros as they are. Reals, integers, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_sign.cc.

use crate::kit::unary::{Function, Functions, Unary};
use crate::kit::{complex, functions};

/// The op.
pub type Sign = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexSign";
    const FUNCTIONS: Functions = Functions {
        float: Some(functions::sign),
        int: Some(|x| x.signum()),
        complex: Some(|x| {
            let size = complex::abs(x);
            if size == 0.0 { x } else { complex::complex(x.re / size, x.im / size) }
        }),
        ..Functions::NONE
    };
}

#[cfg(test)]
mod tests {
    use super::Sign;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        reals::<Sign>(&[(2.5, 1.0), (-0.5, -1.0), (0.0, 0.0), (INF, 1.0), (NAN, NAN)]);
        wholes::<Sign>(&[(5, 1), (-7, -1), (0, 0)]);
        complexes::<Sign>(&[
            ((3.0, -4.0), (0.6, -0.8)),
            ((0.0, -2.0), (0.0, -1.0)),
            ((0.0, 0.0), (0.0, 0.0)),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<Sign>(1);
        refuses::<Sign>(&[Tensor::bool(&[], &[true])], "input 'in0' is BOOL, which this op does not serve");
        refuses::<Sign>(
            &[Tensor::strings(&[], &["a"])],
            "input 'in0' is STRING, which this op does not serve",
        );
    }
}

//! BiasAddV1: a number per channel added, which is the last axis. Numbers. Inputs: x, bias.
//! Defined by: tensorflow/core/kernels/bias_op.cc.

use crate::kit::bias::{Bias, Member};
use crate::kit::kernel::Node;

/// The op.
pub type BiasAddV1 = Node<Bias<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexBiasAddV1";
    const HAS_FORMAT: bool = false;
}

#[cfg(test)]
mod tests {
    use super::BiasAddV1;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let types = &[F16, BF16, F32, F64, I8, U8, I16, I32, I64, C64, C128];
        let (x, bias) = ((&[2, 2][..], &[1.0, 2.0, 3.0, 4.0][..]), (&[2][..], &[10.0, 20.0][..]));
        each::<BiasAddV1>(types, &[], &[x, bias], (&[2, 2], &[11.0, 22.0, 13.0, 24.0]));
        let x = (&[1, 2, 1, 2][..], &[1.0, 2.0, 3.0, 4.0][..]);
        each::<BiasAddV1>(types, &[], &[x, bias], (&[1, 2, 1, 2], &[11.0, 22.0, 13.0, 24.0]));
        each::<BiasAddV1>(types, &[], &[(&[0, 2], &[]), bias], (&[0, 2], &[]));
        each::<BiasAddV1>(types, &[], &[(&[2, 0], &[]), (&[0], &[])], (&[2, 0], &[]));
        // Integers wrap around.
        let (x, bias) = (Tensor::u8(&[1, 1], &[250]), Tensor::u8(&[1], &[10]));
        gives::<BiasAddV1>(&[], &[x, bias], &[Tensor::u8(&[1, 1], &[4])]);
    }

    #[test]
    fn refusals() {
        let refused = |x: &[i32], bias: &[i32], message: &str| {
            let zeros = |shape: &[i32]| of(F32, shape, &vec![0.0; shape.iter().product::<i32>() as usize]);
            refuses::<BiasAddV1>(&[], &[zeros(x), zeros(bias)], &[F32], message);
        };
        refused(&[2, 2], &[3], "the bias is [3], the input [2, 2]; a number per channel is needed");
        refused(&[2, 2], &[1, 2], "the bias is [1, 2], the input [2, 2]; a number per channel is needed");
        refused(&[2], &[2], "the bias is [2], the input [2]; a number per channel is needed");
    }
}

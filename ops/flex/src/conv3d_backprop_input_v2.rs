//! Conv3DBackpropInputV2: the gradient of volumes under a convolution; inputs: their shape, filter, gradient.
//! Numbers.
//! Defined by: tensorflow/core/kernels/conv_grad_ops_3d.cc.

use crate::kit::conv::{Conv, Kind, Member};
use crate::kit::kernel::Node;

/// The op.
pub type Conv3DBackpropInputV2 = Node<Conv<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexConv3DBackpropInputV2";
    const KIND: Kind = Kind::Images;
    const AXES: usize = 3;
    const DEPTHWISE: bool = false;
}

#[cfg(test)]
mod tests {
    use super::Conv3DBackpropInputV2;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        for ty in [F16, BF16, F32, F64] {
            let filter = of(ty, &[2, 1, 1, 1, 1], &[1.0, 10.0]);
            let dy = of(ty, &[1, 1, 1, 2, 1], &[3.0, 4.0]);
            let want = of(ty, &[1, 2, 1, 2, 1], &[3.0, 4.0, 30.0, 40.0]);
            for size in [list(&[1, 2, 1, 2, 1]), Tensor::i64(&[5], &[1, 2, 1, 2, 1])] {
                let inputs = [size, filter.clone(), dy.clone()];
                gives::<Conv3DBackpropInputV2>(
                    &[("strides", Ints(&[1, 1, 1, 1, 1]))],
                    &inputs,
                    core::slice::from_ref(&want),
                );
            }
        }
    }

    #[test]
    fn refusals() {
        let refused = |size: &[i32], message: &str| {
            let inputs = [list(size), of(F32, &[2, 1, 1, 1, 1], &[0.0; 2]), of(F32, &[1; 5], &[0.0])];
            refuses::<Conv3DBackpropInputV2>(
                &[("strides", Ints(&[1, 1, 1, 1, 1]))],
                &inputs,
                &[F32],
                message,
            );
        };
        let message = "the gradient is [1, 1, 1, 1, 1], the convolution gives [1, 1, 1, 2, 1]";
        refused(&[1, 2, 1, 2, 1], message);
        let message = "images [2, 1, 2, 1] and filter [2, 1, 1, 1, 1] do not go together";
        refused(&[2, 1, 2, 1], message);
    }
}

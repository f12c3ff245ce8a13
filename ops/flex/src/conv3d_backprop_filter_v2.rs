//! Conv3DBackpropFilterV2: the gradient of a filter; inputs: volumes, its shape, gradient. Numbers.
//! Defined by: tensorflow/core/kernels/conv_grad_ops_3d.cc.

use crate::kit::conv::{Conv, Kind, Member};
use crate::kit::kernel::Node;

/// The op.
pub type Conv3DBackpropFilterV2 = Node<Conv<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexConv3DBackpropFilterV2";
    const KIND: Kind = Kind::Filter;
    const AXES: usize = 3;
    const DEPTHWISE: bool = false;
}

#[cfg(test)]
mod tests {
    use super::Conv3DBackpropFilterV2;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        for ty in [F16, BF16, F32, F64] {
            let x = of(ty, &[1, 2, 1, 2, 1], &[1.0, 2.0, 3.0, 4.0]);
            let dy = of(ty, &[1, 1, 1, 2, 1], &[3.0, 4.0]);
            // 1 · 3 + 2 · 4 and 3 · 3 + 4 · 4.
            let want = of(ty, &[2, 1, 1, 1, 1], &[11.0, 25.0]);
            let inputs = [x, list(&[2, 1, 1, 1, 1]), dy];
            gives::<Conv3DBackpropFilterV2>(&[("strides", Ints(&[1, 1, 1, 1, 1]))], &inputs, &[want]);
        }
    }

    #[test]
    fn refusals() {
        let refused = |size: &[i32], message: &str| {
            let inputs = [of(F32, &[1, 2, 1, 2, 1], &[0.0; 4]), list(size), of(F32, &[1; 5], &[0.0])];
            refuses::<Conv3DBackpropFilterV2>(
                &[("strides", Ints(&[1, 1, 1, 1, 1]))],
                &inputs,
                &[F32],
                message,
            );
        };
        let message = "the gradient is [1, 1, 1, 1, 1], the convolution gives [1, 1, 1, 2, 1]";
        refused(&[2, 1, 1, 1, 1], message);
        let message = "images [1, 2, 1, 2, 1] and filter [2, 1, 1, 3, 1] do not go together";
        refused(&[2, 1, 1, 3, 1], message);
    }
}

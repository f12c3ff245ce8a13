//! DepthwiseConv2dNativeBackpropFilter: the gradient of a filter; inputs: images, its shape, gradient.
//! Numbers.
//! Defined by: tensorflow/core/kernels/depthwise_conv_grad_op.cc.

use crate::kit::conv::{Conv, Kind, Member};
use crate::kit::kernel::Node;

/// The op.
pub type DepthwiseConv2dNativeBackpropFilter = Node<Conv<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexDepthwiseConv2dNativeBackpropFilter";
    const KIND: Kind = Kind::Filter;
    const AXES: usize = 2;
    const DEPTHWISE: bool = true;
}

#[cfg(test)]
mod tests {
    use super::DepthwiseConv2dNativeBackpropFilter;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        for ty in [F16, BF16, F32, F64] {
            let gradient = |attributes: &[_], x: Tensor, size: &[i32], dy: Tensor, want: &[f64]| {
                let inputs = [x, list(size), dy];
                gives::<DepthwiseConv2dNativeBackpropFilter>(attributes, &inputs, &[of(ty, size, want)]);
            };
            let dy = of(ty, &[1, 1, 1, 4], &[1.0, 2.0, 3.0, 4.0]);
            let x = of(ty, &[1, 1, 1, 2], &[3.0, 5.0]);
            gradient(&[("strides", Ints(&[1, 1, 1, 1]))], x, &[1, 1, 2, 2], dy, &[3.0, 6.0, 15.0, 20.0]);
            // 1 · 1 + 2 · 2 and 2 · 1 + 3 · 2.
            let (x, dy) = (of(ty, &[1, 1, 3, 1], &[1.0, 2.0, 3.0]), of(ty, &[1, 1, 2, 1], &[1.0, 2.0]));
            gradient(&[("strides", Ints(&[1, 1, 1, 1]))], x, &[1, 2, 1, 1], dy, &[5.0, 8.0]);
        }
    }

    #[test]
    fn refusals() {
        let refused = |size: &[i32], message: &str| {
            let inputs = [of(F32, &[1, 1, 1, 2], &[0.0; 2]), list(size), of(F32, &[1; 4], &[0.0])];
            refuses::<DepthwiseConv2dNativeBackpropFilter>(
                &[("strides", Ints(&[1, 1, 1, 1]))],
                &inputs,
                &[F32],
                message,
            );
        };
        let message = "the gradient is [1, 1, 1, 1], the convolution gives [1, 1, 1, 2]";
        refused(&[1, 1, 2, 1], message);
        refused(&[1, 1, 3, 1], "images [1, 1, 1, 2] and filter [1, 1, 3, 1] do not go together");
    }
}

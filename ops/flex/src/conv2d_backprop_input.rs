//! Conv2DBackpropInput: the gradient of images under a convolution; inputs: their shape, filter, gradient.
//! Numbers.
//! Defined by: tensorflow/core/kernels/conv_grad_input_ops.cc.

use crate::kit::conv::{Conv, Kind, Member};
use crate::kit::kernel::Node;

/// The op.
pub type Conv2DBackpropInput = Node<Conv<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexConv2DBackpropInput";
    const KIND: Kind = Kind::Images;
    const AXES: usize = 2;
    const DEPTHWISE: bool = false;
}

#[cfg(test)]
mod tests {
    use super::Conv2DBackpropInput;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let gradient =
            |attributes: &[_], size: &[i32], filter: (&[i32], &[f64]), dy: (&[i32], &[f64]), want: &[f64]| {
                for ty in [F16, BF16, F32, F64] {
                    let inputs = [list(size), of(ty, filter.0, filter.1), of(ty, dy.0, dy.1)];
                    gives::<Conv2DBackpropInput>(attributes, &inputs, &[of(ty, size, want)]);
                }
            };
        let one = ("strides", Ints(&[1, 1, 1, 1]));
        // Each gradient goes to its element, and ten times to the one diagonally below.
        let filter = (&[2, 2, 1, 1][..], &[1.0, 0.0, 0.0, 10.0][..]);
        let want = [1.0, 2.0, 0.0, 0.0, 10.0, 20.0];
        gradient(&[one], &[1, 2, 3, 1], filter, (&[1, 1, 2, 1], &[1.0, 2.0]), &want);
        let wide = [("strides", Ints(&[1, 2, 2, 1])), ("padding", Text("SAME"))];
        gradient(&wide, &[1, 2, 2, 1], filter, (&[1, 1, 1, 1], &[3.0]), &[3.0, 0.0, 0.0, 30.0]);
        // Two channels of one output channel.
        gradient(&[one], &[1, 1, 1, 2], (&[1, 1, 2, 1], &[5.0, 7.0]), (&[1, 1, 1, 1], &[2.0]), &[10.0, 14.0]);
    }

    #[test]
    fn refusals() {
        let refused = |size: Tensor, dy: &[i32], message: &str| {
            let dy = of(F32, dy, &vec![0.0; dy.iter().product::<i32>() as usize]);
            let inputs = [size, of(F32, &[2, 2, 1, 1], &[0.0; 4]), dy];
            refuses::<Conv2DBackpropInput>(&[("strides", Ints(&[1, 1, 1, 1]))], &inputs, &[F32], message);
        };
        let message = "the gradient is [1, 2, 2, 1], the convolution gives [1, 1, 2, 1]";
        refused(list(&[1, 2, 3, 1]), &[1, 2, 2, 1], message);
        let message = "images [1, 2, 3] and filter [2, 2, 1, 1] do not go together";
        refused(list(&[1, 2, 3]), &[1, 1, 2, 1], message);
        let message = "[1, -1, 3, 1] is no shape; sizes must not be negative, and at most 8 axes are served";
        refused(list(&[1, -1, 3, 1]), &[1, 1, 2, 1], message);
    }
}

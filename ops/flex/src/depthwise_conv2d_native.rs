//! DepthwiseConv2dNative: a convolution of each channel; filter `[rows, columns, depth, multiplier]`.
//! Numbers.
//! Defined by: tensorflow/core/kernels/depthwise_conv_op.cc.

use crate::kit::conv::{Conv, Kind, Member};
use crate::kit::kernel::Node;

/// The op.
pub type DepthwiseConv2dNative = Node<Conv<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexDepthwiseConv2dNative";
    const KIND: Kind = Kind::Forward;
    const AXES: usize = 2;
    const DEPTHWISE: bool = true;
}

#[cfg(test)]
mod tests {
    use super::DepthwiseConv2dNative;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let conv =
            |attributes: &[_], x: (&[i32], &[f64]), filter: (&[i32], &[f64]), want: (&[i32], &[f64])| {
                each::<DepthwiseConv2dNative>(&[F16, BF16, F32, F64], attributes, &[x, filter], want);
            };
        let one = ("strides", Ints(&[1, 1, 1, 1]));
        // Each channel has two filters of its own.
        let x = (&[1, 1, 1, 2][..], &[3.0, 5.0][..]);
        conv(&[one], x, (&[1, 1, 2, 2], &[1.0, 2.0, 4.0, 8.0]), (&[1, 1, 1, 4], &[3.0, 6.0, 20.0, 40.0]));
        let (x, filter) = ((&[1, 1, 3, 1][..], &[1.0, 2.0, 3.0][..]), (&[1, 2, 1, 1][..], &[1.0, 10.0][..]));
        conv(&[one], x, filter, (&[1, 1, 2, 1], &[21.0, 32.0]));
        conv(&[one, ("padding", Text("SAME"))], x, filter, (&[1, 1, 3, 1], &[21.0, 32.0, 3.0]));
        let wide = [("strides", Ints(&[1, 2, 2, 1])), ("padding", Text("SAME"))];
        conv(&wide, x, filter, (&[1, 1, 2, 1], &[21.0, 3.0]));
    }

    #[test]
    fn refusals() {
        let refused = |attributes: &[_], x: &[i32], filter: &[i32], message: &str| {
            let zeros = |shape: &[i32]| of(F32, shape, &vec![0.0; shape.iter().product::<i32>() as usize]);
            refuses::<DepthwiseConv2dNative>(attributes, &[zeros(x), zeros(filter)], &[F32], message);
        };
        let one = ("strides", Ints(&[1, 1, 1, 1]));
        let message = "images [1, 1, 1, 4] and filter [1, 1, 2, 1] do not go together";
        refused(&[one], &[1, 1, 1, 4], &[1, 1, 2, 1], message);
        let message = "the filter is [1, 1, 2, 0]; it must not be empty";
        refused(&[one], &[1, 1, 1, 2], &[1, 1, 2, 0], message);
        let message = "axis 2 has 1 elements, a window 3; it does not fit";
        refused(&[one], &[1, 1, 1, 1], &[1, 3, 1, 1], message);
        let x = of(I32, &[1; 4], &[1.0]);
        let message = "input 'in0' is INT32, which this op does not serve";
        refuses::<DepthwiseConv2dNative>(&[one], &[x.clone(), x], &[I32], message);
    }
}

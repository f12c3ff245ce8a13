//! Conv2D: a convolution of images; filter `[rows, columns, depth, channels]`. Numbers.
//! Defined by: tensorflow/core/kernels/conv_ops.cc.

use crate::kit::conv::{Conv, Kind, Member};
use crate::kit::kernel::Node;

/// The op.
pub type Conv2D = Node<Conv<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexConv2D";
    const KIND: Kind = Kind::Forward;
    const AXES: usize = 2;
    const DEPTHWISE: bool = false;
}

#[cfg(test)]
mod tests {
    use super::Conv2D;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let types = &[F16, BF16, F32, F64, I32];
        let conv =
            |attributes: &[_], x: (&[i32], &[f64]), filter: (&[i32], &[f64]), want: (&[i32], &[f64])| {
                each::<Conv2D>(types, attributes, &[x, filter], want);
            };
        let strides = |list: &'static [i64]| ("strides", Ints(list));
        let (one, same) = (strides(&[1, 1, 1, 1]), ("padding", Text("SAME")));
        let x = (&[1, 2, 3, 1][..], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0][..]);
        // Each element and ten times the one diagonally below.
        let filter = (&[2, 2, 1, 1][..], &[1.0, 0.0, 0.0, 10.0][..]);
        conv(&[one], x, filter, (&[1, 1, 2, 1], &[51.0, 62.0]));
        conv(&[one, same], x, filter, (&[1, 2, 3, 1], &[51.0, 62.0, 3.0, 4.0, 5.0, 6.0]));
        conv(&[strides(&[1, 2, 2, 1]), same], x, filter, (&[1, 1, 2, 1], &[51.0, 3.0]));
        let around = ("explicit_paddings", Ints(&[0, 0, 1, 0, 0, 0, 0, 0]));
        let explicit = [one, ("padding", Text("EXPLICIT")), around];
        conv(&explicit, x, filter, (&[1, 2, 2, 1], &[20.0, 30.0, 51.0, 62.0]));
        let apart = [one, ("dilations", Ints(&[1, 1, 2, 1]))];
        conv(&apart, x, filter, (&[1, 1, 1, 1], &[61.0]));
        let first = [one, ("data_format", Text("NCHW"))];
        conv(&first, (&[1, 1, 2, 3], x.1), filter, (&[1, 1, 1, 2], &[51.0, 62.0]));
        // Two input channels in one group, and in two groups.
        let x = (&[1, 1, 1, 2][..], &[3.0, 5.0][..]);
        conv(&[one], x, (&[1, 1, 2, 1], &[1.0, 10.0]), (&[1, 1, 1, 1], &[53.0]));
        conv(&[one], x, (&[1, 1, 1, 2], &[1.0, 10.0]), (&[1, 1, 1, 2], &[3.0, 50.0]));
        // A window that is one stride too large.
        conv(&[one], x, (&[2, 1, 2, 1], &[1.0; 4]), (&[1, 0, 1, 1], &[]));
    }

    #[test]
    fn refusals() {
        let refused = |attributes: &[_], x: &[i32], filter: &[i32], message: &str| {
            let zeros = |shape: &[i32]| of(F32, shape, &vec![0.0; shape.iter().product::<i32>() as usize]);
            refuses::<Conv2D>(attributes, &[zeros(x), zeros(filter)], &[F32], message);
        };
        let strides = |list: &'static [i64]| [("strides", Ints(list))];
        let one = strides(&[1, 1, 1, 1]);
        let message = "images [1, 1, 1, 2] and filter [1, 1, 3, 1] do not go together";
        refused(&one, &[1, 1, 1, 2], &[1, 1, 3, 1], message);
        refused(
            &one,
            &[1, 1, 2],
            &[1, 1, 2, 1],
            "images [1, 1, 2] and filter [1, 1, 2, 1] do not go together",
        );
        let message = "the filter is [1, 1, 2, 0]; it must not be empty";
        refused(&one, &[1, 1, 1, 2], &[1, 1, 2, 0], message);
        let message = "axis 1 has 1 elements, a window 3; it does not fit";
        refused(&one, &[1, 1, 1, 1], &[3, 1, 1, 1], message);
        let message = "axis 1 has stride 0; it must be positive";
        refused(&strides(&[1, 0, 1, 1]), &[1, 1, 1, 1], &[1, 1, 1, 1], message);
        let message = "strides are [2, 1, 1, 1]; along batch and channels they must be 1";
        refused(&strides(&[2, 1, 1, 1]), &[1, 1, 1, 1], &[1, 1, 1, 1], message);
        refused(&[], &[1, 1, 1, 1], &[1, 1, 1, 1], "strides are []; 4 numbers are needed");
        let dilations = [one[0], ("dilations", Ints(&[1, 1, -1, 1]))];
        let message = "axis 2 has dilation -1; it must be positive";
        refused(&dilations, &[1, 1, 1, 1], &[1, 1, 1, 1], message);
        let padding = [one[0], ("padding", Text("FULL"))];
        let message = "attribute 'padding' is 'FULL'; it may be VALID, SAME, EXPLICIT";
        refused(&padding, &[1, 1, 1, 1], &[1, 1, 1, 1], message);
        let x = of(I64, &[1, 1, 1, 1], &[1.0]);
        let message = "input 'in0' is INT64, which this op does not serve";
        refuses::<Conv2D>(&one, &[x.clone(), x], &[I64], message);
    }
}

//! Conv3D: a convolution of volumes; filter `[planes, rows, columns, depth, channels]`. Numbers.
//! Defined by: tensorflow/core/kernels/conv_ops_3d.cc.

use crate::kit::conv::{Conv, Kind, Member};
use crate::kit::kernel::Node;

/// The op.
pub type Conv3D = Node<Conv<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexConv3D";
    const KIND: Kind = Kind::Forward;
    const AXES: usize = 3;
    const DEPTHWISE: bool = false;
}

#[cfg(test)]
mod tests {
    use super::Conv3D;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let conv =
            |attributes: &[_], x: (&[i32], &[f64]), filter: (&[i32], &[f64]), want: (&[i32], &[f64])| {
                each::<Conv3D>(&[F16, BF16, F32, F64], attributes, &[x, filter], want);
            };
        let one = ("strides", Ints(&[1, 1, 1, 1, 1]));
        // Two planes, and ten times the next plane.
        let (x, filter) =
            ((&[1, 2, 1, 2, 1][..], &[1.0, 2.0, 3.0, 4.0][..]), (&[2, 1, 1, 1, 1][..], &[1.0, 10.0][..]));
        conv(&[one], x, filter, (&[1, 1, 1, 2, 1], &[31.0, 42.0]));
        conv(&[one, ("padding", Text("SAME"))], x, filter, (&[1, 2, 1, 2, 1], &[31.0, 42.0, 3.0, 4.0]));
        let wide = [("strides", Ints(&[1, 1, 1, 2, 1]))];
        conv(&wide, x, filter, (&[1, 1, 1, 1, 1], &[31.0]));
        let x = (&[1, 1, 1, 1, 2][..], &[3.0, 5.0][..]);
        conv(&[one], x, (&[1, 1, 1, 2, 2], &[1.0, 2.0, 10.0, 20.0]), (&[1, 1, 1, 1, 2], &[53.0, 106.0]));
    }

    #[test]
    fn refusals() {
        let refused = |attributes: &[_], x: &[i32], filter: &[i32], message: &str| {
            let zeros = |shape: &[i32]| of(F32, shape, &vec![0.0; shape.iter().product::<i32>() as usize]);
            refuses::<Conv3D>(attributes, &[zeros(x), zeros(filter)], &[F32], message);
        };
        let one = ("strides", Ints(&[1, 1, 1, 1, 1]));
        let message = "images [1, 1, 1, 1, 3] and filter [1, 1, 1, 2, 1] do not go together";
        refused(&[one], &[1, 1, 1, 1, 3], &[1, 1, 1, 2, 1], message);
        let message = "images [1, 1, 1, 1] and filter [1, 1, 1, 1, 1] do not go together";
        refused(&[one], &[1, 1, 1, 1], &[1, 1, 1, 1, 1], message);
        let strides = ("strides", Ints(&[1, 0, 1, 1, 1]));
        refused(&[strides], &[1; 5], &[1; 5], "axis 1 has stride 0; it must be positive");
        refused(
            &[("strides", Ints(&[1, 1, 1, 1]))],
            &[1; 5],
            &[1; 5],
            "strides are [1, 1, 1, 1]; 5 numbers are needed",
        );
        let x = of(I32, &[1; 5], &[1.0]);
        let message = "input 'in0' is INT32, which this op does not serve";
        refuses::<Conv3D>(&[one], &[x.clone(), x], &[I32], message);
    }
}

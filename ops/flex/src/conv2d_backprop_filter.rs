//! Conv2DBackpropFilter: the gradient of a filter; inputs: images, its shape, gradient. Numbers.
//! Defined by: tensorflow/core/kernels/conv_grad_filter_ops.cc.

use crate::kit::conv::{Conv, Kind, Member};
use crate::kit::kernel::Node;

/// The op.
pub type Conv2DBackpropFilter = Node<Conv<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexConv2DBackpropFilter";
    const KIND: Kind = Kind::Filter;
    const AXES: usize = 2;
    const DEPTHWISE: bool = false;
}

#[cfg(test)]
mod tests {
    use super::Conv2DBackpropFilter;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let gradient =
            |attributes: &[_], x: (&[i32], &[f64]), size: &[i32], dy: (&[i32], &[f64]), want: &[f64]| {
                for ty in [F16, BF16, F32, F64] {
                    let inputs = [of(ty, x.0, x.1), list(size), of(ty, dy.0, dy.1)];
                    gives::<Conv2DBackpropFilter>(attributes, &inputs, &[of(ty, size, want)]);
                }
            };
        let one = ("strides", Ints(&[1, 1, 1, 1]));
        let x = (&[1, 2, 3, 1][..], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0][..]);
        // Of the first tap 1 · 1 + 2 · 2.
        gradient(&[one], x, &[2, 2, 1, 1], (&[1, 1, 2, 1], &[1.0, 2.0]), &[5.0, 8.0, 14.0, 17.0]);
        let wide = [("strides", Ints(&[1, 2, 2, 1])), ("padding", Text("SAME"))];
        gradient(&wide, x, &[2, 1, 1, 1], (&[1, 1, 2, 1], &[1.0, 2.0]), &[7.0, 16.0]);
        gradient(&[one], (&[1, 1, 1, 2], &[5.0, 7.0]), &[1, 1, 2, 1], (&[1, 1, 1, 1], &[2.0]), &[10.0, 14.0]);
    }

    #[test]
    fn refusals() {
        let refused = |x: Tensor, size: Tensor, message: &str| {
            let (ty, dy) = (x.ty(), of(x.ty(), &[1, 1, 2, 1], &[0.0; 2]));
            refuses::<Conv2DBackpropFilter>(
                &[("strides", Ints(&[1, 1, 1, 1]))],
                &[x, size, dy],
                &[ty],
                message,
            );
        };
        let x = of(F32, &[1, 2, 3, 1], &[0.0; 6]);
        let message = "the gradient is [1, 1, 2, 1], the convolution gives [1, 2, 2, 1]";
        refused(x.clone(), list(&[1, 2, 1, 1]), message);
        let message = "images [1, 2, 3, 1] and filter [2, 2, 2, 1] do not go together";
        refused(x, list(&[2, 2, 2, 1]), message);
        let message = "input 'in0' is INT32, which this op does not serve";
        refused(of(I32, &[1, 2, 3, 1], &[0.0; 6]), list(&[2, 2, 1, 1]), message);
    }
}

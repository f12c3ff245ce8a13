//! TensorScatterSub: slices of updates are subtracted, where indices say. Numbers, BOOL.
//! Defined by: tensorflow/core/kernels/scatter_nd_op.cc.

use crate::kit::kernel::Node;
use crate::kit::scatter::{Kind, Member, Scatter};

/// The op.
pub type TensorScatterSub = Node<Scatter<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexTensorScatterSub";
    const KIND: Kind = Kind::Sub;
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        let twice = Tensor::i32(&[2, 1], &[1, 1]);
        let subtract = |x: Tensor, by: Tensor, y: Tensor| {
            gives::<super::TensorScatterSub>(&[], &[x, twice.clone(), by], &[y]);
        };
        subtract(ints(&[1, 2, 3]), ints(&[10, 20]), ints(&[1, -28, 3]));
        subtract(floats(&[1.0, 2.0]), floats(&[0.5, 0.25]), floats(&[1.0, 1.25]));
        subtract(Tensor::u8(&[2], &[1, 9]), Tensor::u8(&[2], &[5, 5]), Tensor::u8(&[2], &[1, 255]));
        let inputs =
            [Tensor::i32(&[2, 2], &[1, 2, 3, 4]), Tensor::i64(&[1, 1], &[1]), Tensor::i32(&[1, 2], &[1, 1])];
        gives::<super::TensorScatterSub>(&[], &inputs, &[Tensor::i32(&[2, 2], &[1, 2, 2, 3])]);
    }

    #[test]
    fn refusals() {
        let inputs = [ints(&[0; 3]), Tensor::i32(&[1, 1], &[-1]), ints(&[1])];
        refuses::<super::TensorScatterSub>(&[], &inputs, &[I32], "index [-1] lies outside of [3]");
        let inputs = [texts(&["a"]), Tensor::i32(&[1, 1], &[0]), texts(&["a"])];
        refuses::<super::TensorScatterSub>(
            &[],
            &inputs,
            &[ElementType::String],
            "'in2' is STRING, which is neither subtracted nor ordered",
        );
    }
}

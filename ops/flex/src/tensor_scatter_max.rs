//! TensorScatterMax: slices of updates stay where they are larger, where indices say. Reals, integers, BOOL.
//! Defined by: tensorflow/core/kernels/scatter_nd_op.cc.

use crate::kit::kernel::Node;
use crate::kit::scatter::{Kind, Member, Scatter};

/// The op.
pub type TensorScatterMax = Node<Scatter<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexTensorScatterMax";
    const KIND: Kind = Kind::Max;
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        let at = Tensor::i32(&[3, 1], &[0, 1, 1]);
        let largest = |x: Tensor, by: Tensor, y: Tensor| {
            gives::<super::TensorScatterMax>(&[], &[x, at.clone(), by], &[y]);
        };
        largest(ints(&[1, 2, 3]), ints(&[0, 5, 4]), ints(&[1, 5, 3]));
        largest(floats(&[1.0, f32::NAN]), floats(&[f32::NAN, 5.0, 6.0]), floats(&[1.0, f32::NAN]));
        largest(Tensor::i8(&[2], &[-1, -2]), Tensor::i8(&[3], &[-3, -1, 7]), Tensor::i8(&[2], &[-1, 7]));
        let inputs =
            [Tensor::i32(&[2, 2], &[1, 2, 3, 4]), Tensor::i64(&[1, 1], &[1]), Tensor::i32(&[1, 2], &[0, 9])];
        gives::<super::TensorScatterMax>(&[], &inputs, &[Tensor::i32(&[2, 2], &[1, 2, 3, 9])]);
    }

    #[test]
    fn refusals() {
        let inputs = [ints(&[0; 3]), Tensor::i32(&[1, 1], &[3]), ints(&[1])];
        refuses::<super::TensorScatterMax>(&[], &inputs, &[I32], "index [3] lies outside of [3]");
        let x = Tensor::complex64(&[1], &[Complex32 { re: 1.0, im: 1.0 }]);
        let inputs = [x.clone(), Tensor::i32(&[1, 1], &[0]), x];
        refuses::<super::TensorScatterMax>(&[], &inputs, &[C64], "'in2' is COMPLEX64, which has no order");
    }
}

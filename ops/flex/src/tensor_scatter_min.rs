//! TensorScatterMin: slices of updates stay where they are smaller, where indices say. Reals, integers, BOOL.
//! Defined by: tensorflow/core/kernels/scatter_nd_op.cc.

use crate::kit::kernel::Node;
use crate::kit::scatter::{Kind, Member, Scatter};

/// The op.
pub type TensorScatterMin = Node<Scatter<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexTensorScatterMin";
    const KIND: Kind = Kind::Min;
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        let at = Tensor::i32(&[3, 1], &[0, 1, 1]);
        let smallest = |x: Tensor, by: Tensor, y: Tensor| {
            gives::<super::TensorScatterMin>(&[], &[x, at.clone(), by], &[y]);
        };
        smallest(ints(&[1, 2, 3]), ints(&[0, 5, -4]), ints(&[0, -4, 3]));
        smallest(floats(&[1.0, f32::NAN]), floats(&[f32::NAN, 5.0, 6.0]), floats(&[1.0, f32::NAN]));
        smallest(Tensor::u8(&[2], &[1, 200]), Tensor::u8(&[3], &[3, 150, 7]), Tensor::u8(&[2], &[1, 7]));
        let inputs = [longs(&[5, 6]), Tensor::i64(&[0, 1], &[]), longs(&[])];
        gives::<super::TensorScatterMin>(&[], &inputs, &[longs(&[5, 6])]);
    }

    #[test]
    fn refusals() {
        let inputs = [ints(&[0; 3]), Tensor::i32(&[1, 1], &[3]), ints(&[1])];
        refuses::<super::TensorScatterMin>(&[], &inputs, &[I32], "index [3] lies outside of [3]");
        refuses::<super::TensorScatterMin>(
            &[],
            &inputs[..2],
            &[I32],
            "it has 2 inputs, this op takes 3 to 3",
        );
    }
}

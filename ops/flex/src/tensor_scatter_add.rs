//! TensorScatterAdd: slices of updates are added, where indices say, strings appended. Numbers, BOOL, STRING.
//! Defined by: tensorflow/core/kernels/scatter_nd_op.cc.

use crate::kit::kernel::Node;
use crate::kit::scatter::{Kind, Member, Scatter};

/// The op.
pub type TensorScatterAdd = Node<Scatter<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexTensorScatterAdd";
    const KIND: Kind = Kind::Add;
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        let twice = Tensor::i32(&[2, 1], &[1, 1]);
        let add = |x: Tensor, by: Tensor, y: Tensor| {
            gives::<super::TensorScatterAdd>(&[], &[x, twice.clone(), by], &[y]);
        };
        add(ints(&[1, 2, 3]), ints(&[10, 20]), ints(&[1, 32, 3]));
        add(floats(&[1.0, 2.0]), floats(&[0.5, f32::NAN]), floats(&[1.0, f32::NAN]));
        add(Tensor::u8(&[2], &[1, 200]), Tensor::u8(&[2], &[50, 50]), Tensor::u8(&[2], &[1, 44]));
        add(texts(&["a", "b"]), texts(&["c", "d"]), texts(&["a", "bcd"]));
        let inputs =
            [Tensor::f64(&[2, 2], &[1.0, 2.0, 3.0, 4.0]), Tensor::i64(&[1, 2], &[1, 0]), doubles(&[5.0])];
        gives::<super::TensorScatterAdd>(&[], &inputs, &[Tensor::f64(&[2, 2], &[1.0, 2.0, 8.0, 4.0])]);
    }

    #[test]
    fn refusals() {
        let inputs = [ints(&[0; 3]), Tensor::i32(&[1, 1], &[3]), ints(&[1])];
        refuses::<super::TensorScatterAdd>(&[], &inputs, &[I32], "index [3] lies outside of [3]");
        let inputs = [ints(&[0; 3]), Tensor::i32(&[1, 1], &[0]), ints(&[1, 1])];
        let message = "updates are [2], which does not go with indices [1, 1] into [3]";
        refuses::<super::TensorScatterAdd>(&[], &inputs, &[I32], message);
        let inputs = [ints(&[]), Tensor::i32(&[1, 1], &[0]), ints(&[1])];
        let message = "indices [1, 1] name slices of [0], which has no elements";
        refuses::<super::TensorScatterAdd>(&[], &inputs, &[I32], message);
    }
}

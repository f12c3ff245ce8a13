//! TensorScatterUpdate: slices of updates replace elements, where indices say. Numbers, BOOL, STRING.
//! Defined by: tensorflow/core/kernels/scatter_nd_op.cc.

use crate::kit::kernel::Node;
use crate::kit::scatter::{Kind, Member, Scatter};

/// The op.
pub type TensorScatterUpdate = Node<Scatter<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexTensorScatterUpdate";
    const KIND: Kind = Kind::Update;
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| {
            let data = x(&[2, 2], &[1, 2, 3, 4]);
            let inputs = [data.clone(), Tensor::i32(&[1, 1], &[1]), x(&[1, 2], &[5, 6])];
            gives::<super::TensorScatterUpdate>(&[], &inputs, &[x(&[2, 2], &[1, 2, 5, 6])]);
            // The last one stays.
            let inputs = [data, Tensor::i64(&[2, 2], &[0, 1, 0, 1]), x(&[2], &[5, 7])];
            gives::<super::TensorScatterUpdate>(&[], &inputs, &[x(&[2, 2], &[1, 7, 3, 4])]);
        });
        let inputs = [ints(&[]), Tensor::i32(&[0, 1], &[]), ints(&[])];
        gives::<super::TensorScatterUpdate>(&[], &inputs, &[ints(&[])]);
        let inputs = [ints(&[1, 2]), Tensor::i32(&[2, 1], &[9, 0]), ints(&[5, 6])];
        gives::<super::TensorScatterUpdate>(
            &[("bad_indices_policy", Text("IGNORE"))],
            &inputs,
            &[ints(&[6, 2])],
        );
    }

    #[test]
    fn refusals() {
        let inputs = [ints(&[0; 3]), Tensor::i32(&[1, 1], &[3]), ints(&[1])];
        refuses::<super::TensorScatterUpdate>(&[], &inputs, &[I32], "index [3] lies outside of [3]");
        let inputs = [int(7), Tensor::i32(&[1, 0], &[]), ints(&[1])];
        let message = "indices [1, 0] name nothing; an index has one number at least";
        refuses::<super::TensorScatterUpdate>(&[], &inputs, &[I32], message);
        let inputs = [ints(&[1]), Tensor::i32(&[1, 1], &[0]), floats(&[1.0])];
        refuses::<super::TensorScatterUpdate>(
            &[],
            &inputs,
            &[I32],
            "'in2' is FLOAT32, output is INT32; they must agree",
        );
    }
}

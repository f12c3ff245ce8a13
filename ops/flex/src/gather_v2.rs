//! GatherV2: the slices that indices name, along an axis. Any type.
//! Defined by: tensorflow/core/kernels/gather_op.cc.

use crate::kit::gather::{Gather, Member};
use crate::kit::kernel::Node;

/// The op.
pub type GatherV2 = Node<Gather<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexGatherV2";
    const AXIS: bool = true;
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| {
            let data = x(&[2, 3], &[1, 2, 3, 4, 5, 6]);
            let inputs = [data.clone(), ints(&[2, 0]), int(1)];
            gives::<super::GatherV2>(&[], &inputs, &[x(&[2, 2], &[3, 1, 6, 4])]);
            gives::<super::GatherV2>(&[], &[data.clone(), long(1), int(-2)], &[x(&[3], &[4, 5, 6])]);
            // Row by row.
            let inputs = [data, Tensor::i32(&[2, 1], &[2, 0]), int(1)];
            gives::<super::GatherV2>(&[("batch_dims", Int(1))], &inputs, &[x(&[2, 1], &[3, 4])]);
            gives::<super::GatherV2>(&[("batch_dims", Int(-1))], &inputs, &[x(&[2, 1], &[3, 4])]);
        });
        let inputs = [Tensor::f32(&[0, 2], &[]), ints(&[1]), int(1)];
        gives::<super::GatherV2>(&[], &inputs, &[Tensor::f32(&[0, 1], &[])]);
    }

    #[test]
    fn refusals() {
        let (x, i) = (Tensor::i32(&[2, 1], &[1, 2]), ints(&[0]));
        refuses::<super::GatherV2>(
            &[],
            &[x.clone(), ints(&[1]), int(1)],
            &[I32],
            "index 1 lies outside of 0..1",
        );
        refuses::<super::GatherV2>(
            &[],
            &[x.clone(), i.clone(), int(2)],
            &[I32],
            "axis 2 does not exist in a tensor of rank 2",
        );
        refuses::<super::GatherV2>(
            &[],
            &[x.clone(), i.clone(), ints(&[0])],
            &[I32],
            "'in2' is [1]; a scalar is needed",
        );
        let batch = [("batch_dims", Int(1))];
        let message = "1 batch axes do not go with axis 0 and indices of rank 1";
        refuses::<super::GatherV2>(&batch, &[x.clone(), i.clone(), int(0)], &[I32], message);
        let message = "[2, 1] and indices [1]: their first 1 axes must agree";
        refuses::<super::GatherV2>(&batch, &[x, i, int(1)], &[I32], message);
    }
}

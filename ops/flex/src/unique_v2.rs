//! UniqueV2: the different slices along an axis, where each went. Any type.
//! Defined by: tensorflow/core/kernels/unique_op.cc.

use crate::kit::kernel::Node;
use crate::kit::unique::{Member, Unique};

/// The op.
pub type UniqueV2 = Node<Unique<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexUniqueV2";
    const COUNTS: bool = false;
    const AXIS: bool = true;
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| {
            let inputs = [x(&[2, 3], &[1, 2, 1, 3, 4, 3]), ints(&[-1])];
            gives::<super::UniqueV2>(&[], &inputs, &[x(&[2, 2], &[1, 2, 3, 4]), ints(&[0, 1, 0])]);
        });
        gives::<super::UniqueV2>(&[], &[ints(&[5, 5]), longs(&[])], &[ints(&[5]), ints(&[0, 0])]);
        let rows = Tensor::strings(&[2, 2], &["a", "b", "a", "b"]);
        gives::<super::UniqueV2>(
            &[],
            &[rows, ints(&[0])],
            &[Tensor::strings(&[1, 2], &["a", "b"]), ints(&[0, 0])],
        );
        let rows = Tensor::f32(&[3, 2], &[f32::NAN, 1.0, 0.0, 1.0, -0.0, 1.0]);
        let want = Tensor::f32(&[2, 2], &[f32::NAN, 1.0, 0.0, 1.0]);
        gives::<super::UniqueV2>(&[], &[rows, ints(&[0])], &[want, ints(&[0, 1, 1])]);
        // Slices of nothing are all the same.
        let empty = Tensor::f32(&[0, 3], &[]);
        let inputs = [empty.clone(), ints(&[1])];
        gives::<super::UniqueV2>(&[], &inputs, &[Tensor::f32(&[0, 1], &[]), ints(&[0, 0, 0])]);
        gives::<super::UniqueV2>(&[], &[empty.clone(), ints(&[0])], &[empty, ints(&[])]);
    }

    #[test]
    fn refusals() {
        let (x, types) = (ints(&[1, 1]), [I32, I32]);
        refuses::<super::UniqueV2>(&[], &[x.clone(), int(0)], &types, "'in1' is []; a list is needed");
        refuses::<super::UniqueV2>(
            &[],
            &[x.clone(), ints(&[1])],
            &types,
            "axis 1 does not exist in a tensor of rank 1",
        );
        refuses::<super::UniqueV2>(
            &[],
            &[x, ints(&[0, 0])],
            &types,
            "axes are [0, 0]; one is needed at most",
        );
        let inputs = [Tensor::i32(&[1, 2], &[1, 1]), ints(&[])];
        refuses::<super::UniqueV2>(&[], &inputs, &types, "'in0' is [1, 2]; without an axis a list is needed");
    }
}

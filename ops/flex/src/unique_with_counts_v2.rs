//! UniqueWithCountsV2: the different slices along an axis, where each went, and how often each came. Any
//! type.
//! Defined by: tensorflow/core/kernels/unique_op.cc.

use crate::kit::kernel::Node;
use crate::kit::unique::{Member, Unique};

/// The op.
pub type UniqueWithCountsV2 = Node<Unique<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexUniqueWithCountsV2";
    const COUNTS: bool = true;
    const AXIS: bool = true;
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| {
            let inputs = [x(&[3, 2], &[1, 2, 2, 1, 1, 2]), longs(&[0])];
            let want = [x(&[2, 2], &[1, 2, 2, 1]), ints(&[0, 1, 0]), ints(&[2, 1])];
            gives::<super::UniqueWithCountsV2>(&[], &inputs, &want);
        });
        let want = [texts(&["a"]), ints(&[0, 0]), ints(&[2])];
        gives::<super::UniqueWithCountsV2>(&[], &[texts(&["a", "a"]), ints(&[])], &want);
    }

    #[test]
    fn refusals() {
        let message = "axis -2 does not exist in a tensor of rank 1";
        refuses::<super::UniqueWithCountsV2>(&[], &[ints(&[1]), ints(&[-2])], &[I32; 3], message);
        refuses::<super::UniqueWithCountsV2>(
            &[],
            &[ints(&[1])],
            &[I32; 3],
            "it has 1 inputs, this op takes 2 to 2",
        );
    }
}

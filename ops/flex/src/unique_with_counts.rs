//! UniqueWithCounts: the different elements of a list, where each went, and how often each came. Any type.
//! Defined by: tensorflow/core/kernels/unique_op.cc.

use crate::kit::kernel::Node;
use crate::kit::unique::{Member, Unique};

/// The op.
pub type UniqueWithCounts = Node<Unique<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexUniqueWithCounts";
    const COUNTS: bool = true;
    const AXIS: bool = false;
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| {
            let want = [x(&[2], &[3, 0]), ints(&[0, 1, 0]), ints(&[2, 1])];
            gives::<super::UniqueWithCounts>(&[], &[x(&[3], &[3, 0, 3])], &want);
        });
        let types = [("out_idx", Type(I64))];
        let want = [floats(&[2.0, 0.0, 1.0]), longs(&[0, 1, 0, 1, 2]), longs(&[2, 2, 1])];
        gives::<super::UniqueWithCounts>(&types, &[floats(&[2.0, 0.0, 2.0, -0.0, 1.0])], &want);
        gives::<super::UniqueWithCounts>(&[], &[ints(&[])], &[ints(&[]), ints(&[]), ints(&[])]);
    }

    #[test]
    fn refusals() {
        let message = "'in0' is [1, 1]; a list is needed";
        refuses::<super::UniqueWithCounts>(&[], &[Tensor::i32(&[1, 1], &[1])], &[I32; 3], message);
        refuses::<super::UniqueWithCounts>(
            &[],
            &[ints(&[1])],
            &[I32; 2],
            "it has 2 outputs, this op gives 3 to 3",
        );
    }
}

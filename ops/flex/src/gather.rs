//! Gather: the slices that indices name, along an axis. Any type.
//! Defined by: tensorflow/core/kernels/gather_op.cc.

use crate::kit::gather::{self, Member};
use crate::kit::kernel::Node;

/// The op.
pub type Gather = Node<gather::Gather<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexGather";
    const AXIS: bool = false;
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| {
            let data = x(&[3, 2], &[1, 2, 3, 4, 5, 6]);
            gives::<super::Gather>(
                &[],
                &[data.clone(), ints(&[2, 0, 2])],
                &[x(&[3, 2], &[5, 6, 1, 2, 5, 6])],
            );
            gives::<super::Gather>(&[], &[data.clone(), int(1)], &[x(&[2], &[3, 4])]);
            let indices = Tensor::i64(&[2, 1], &[1, 0]);
            gives::<super::Gather>(&[], &[data, indices], &[x(&[2, 1, 2], &[3, 4, 1, 2])]);
        });
        gives::<super::Gather>(&[], &[floats(&[]), ints(&[])], &[floats(&[])]);
    }

    #[test]
    fn refusals() {
        refuses::<super::Gather>(
            &[],
            &[ints(&[1, 2]), ints(&[0, 2])],
            &[I32],
            "index 2 lies outside of 0..2",
        );
        refuses::<super::Gather>(&[], &[ints(&[1, 2]), ints(&[-1])], &[I32], "index -1 lies outside of 0..2");
        refuses::<super::Gather>(
            &[],
            &[int(1), ints(&[0])],
            &[I32],
            "axis 0 does not exist in a tensor of rank 0",
        );
        refuses::<super::Gather>(
            &[],
            &[ints(&[1]), floats(&[0.0])],
            &[I32],
            "'in1' is FLOAT32; integers are needed",
        );
        refuses::<super::Gather>(&[], &[ints(&[1])], &[I32], "it has 1 inputs, this op takes 2 to 2");
    }
}

//! Split: splits the input into equal parts along an axis. Any type. Inputs: axis, tensor.
//! Defined by: tensorflow/core/kernels/split_op.cc.

use crate::kit::kernel::Node;
use crate::kit::split::{self, Member};

/// The `FlexSplit` op.
pub type Split = Node<split::Split<Definition>>;

/// Shape function and kernel of `FlexSplit`.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexSplit";
    const SIZES: bool = false;
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| {
            let data = x(&[2, 4], &[1, 2, 3, 4, 5, 6, 7, 8]);
            let halves = [x(&[2, 2], &[1, 2, 5, 6]), x(&[2, 2], &[3, 4, 7, 8])];
            gives::<super::Split>(&[("num_split", Int(2))], &[int(1), data.clone()], &halves);
            let rows = [x(&[1, 4], &[1, 2, 3, 4]), x(&[1, 4], &[5, 6, 7, 8])];
            gives::<super::Split>(&[("num_split", Int(2))], &[int(-2), data], &rows);
        });
        let empty = ints(&[]);
        gives::<super::Split>(&[("num_split", Int(2))], &[int(0), empty.clone()], &[empty.clone(), empty]);
    }

    #[test]
    fn refusals() {
        let x = ints(&[1, 2, 3]);
        let message = "axis 0 of [3] cannot be split into 2 equal parts";
        refuses::<super::Split>(&[("num_split", Int(2))], &[int(0), x.clone()], &[I32, I32], message);
        refuses::<super::Split>(
            &[("num_split", Int(1))],
            &[int(1), x.clone()],
            &[I32],
            "axis 1 does not exist in a tensor of rank 1",
        );
        refuses::<super::Split>(
            &[("num_split", Int(1))],
            &[int(0), int(1)],
            &[I32],
            "axis 0 does not exist in a tensor of rank 0",
        );
        refuses::<super::Split>(
            &[("num_split", Int(1))],
            &[ints(&[0]), x],
            &[I32],
            "'in0' is [1]; a scalar is needed",
        );
    }
}

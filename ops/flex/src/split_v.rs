//! SplitV: splits the input into parts of given sizes along an axis. Any type. Inputs: tensor, sizes (one may be −1),
//! axis.
//! Defined by: tensorflow/core/kernels/split_v_op.cc.

use crate::kit::kernel::Node;
use crate::kit::split::{Member, Split};

/// The `FlexSplitV` op.
pub type SplitV = Node<Split<Definition>>;

/// Shape function and kernel of `FlexSplitV`.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexSplitV";
    const SIZES: bool = true;
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| {
            let data = x(&[2, 3], &[1, 2, 3, 4, 5, 6]);
            let parts = [x(&[2, 1], &[1, 4]), x(&[2, 2], &[2, 3, 5, 6])];
            gives::<super::SplitV>(&[("num_split", Int(2))], &[data.clone(), ints(&[1, 2]), int(1)], &parts);
            gives::<super::SplitV>(&[("num_split", Int(2))], &[data, longs(&[1, -1]), int(-1)], &parts);
        });
        let inputs = [ints(&[1, 2]), ints(&[-1, 2]), int(0)];
        gives::<super::SplitV>(&[("num_split", Int(2))], &inputs, &[ints(&[]), ints(&[1, 2])]);
    }

    #[test]
    fn refusals() {
        let refused = |sizes: &[i32], message: &str| {
            let (types, inputs) = ([I32, I32], [ints(&[1, 2, 3]), ints(sizes), int(0)]);
            refuses::<super::SplitV>(&[("num_split", Int(2))], &inputs, &types, message);
        };
        refused(&[1, 1], "sizes [1, 1] do not add up to axis 0 of [3]");
        refused(&[-1, 4], "sizes [-1, 4] do not add up to axis 0 of [3]");
        refused(&[-2, 5], "sizes [-2, 5] do not add up to axis 0 of [3]");
        refused(&[-1, -1], "sizes [-1, -1] have more than one -1");
        refused(&[3], "1 sizes for 2 parts; their numbers must agree");
        let inputs = [ints(&[1]), ints(&[1]), int(1)];
        refuses::<super::SplitV>(
            &[("num_split", Int(1))],
            &inputs,
            &[I32],
            "axis 1 does not exist in a tensor of rank 1",
        );
        let inputs = [ints(&[1]), Tensor::i32(&[1, 1], &[1]), int(0)];
        refuses::<super::SplitV>(
            &[("num_split", Int(1))],
            &inputs,
            &[I32],
            "'in1' is [1, 1]; a list is needed",
        );
    }
}

//! Concat: inputs joined along an axis, which is the first input. Any type.
//! Defined by: tensorflow/core/kernels/concat_op.cc.

use crate::kit::concat::{self, Member};
use crate::kit::kernel::Node;

/// The op.
pub type Concat = Node<concat::Concat<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexConcat";
    const AXIS_FIRST: bool = true;
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| {
            let (a, b) = (x(&[2, 2], &[1, 2, 3, 4]), x(&[2, 1], &[5, 6]));
            gives::<super::Concat>(&[], &[int(1), a.clone(), b.clone()], &[x(&[2, 3], &[1, 2, 5, 3, 4, 6])]);
            gives::<super::Concat>(&[], &[int(-1), b, a], &[x(&[2, 3], &[5, 1, 2, 6, 3, 4])]);
        });
        gives::<super::Concat>(&[], &[int(0), ints(&[]), ints(&[7]), ints(&[8, 9])], &[ints(&[7, 8, 9])]);
    }

    #[test]
    fn refusals() {
        let x = ints(&[1]);
        refuses::<super::Concat>(
            &[],
            &[int(0)],
            &[I32],
            "it has 1 inputs, this op takes 2 to 18446744073709551615",
        );
        let inputs = [int(1), x.clone(), x.clone()];
        refuses::<super::Concat>(&[], &inputs, &[I32], "axis 1 does not exist in a tensor of rank 1");
        let inputs = [int(0), int(1), int(2)];
        refuses::<super::Concat>(&[], &inputs, &[I32], "axis 0 does not exist in a tensor of rank 0");
        refuses::<super::Concat>(
            &[],
            &[int(0), x.clone(), floats(&[1.0])],
            &[I32],
            "'in2' is FLOAT32, the output is INT32; they must agree",
        );
    }
}

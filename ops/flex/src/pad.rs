//! Pad: the input in a larger tensor of zeros. Any type.
//! Defined by: tensorflow/core/kernels/pad_op.cc.

use crate::kit::kernel::Node;
use crate::kit::pad::{self, Kind, Member};

/// The op.
pub type Pad = Node<pad::Pad<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexPad";
    const KIND: Kind = Kind::Zeros;
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| {
            let inputs = [x(&[1, 2], &[1, 2]), Tensor::i32(&[2, 2], &[1, 0, 0, 1])];
            gives::<super::Pad>(&[], &inputs, &[x(&[2, 3], &[0, 0, 0, 1, 2, 0])]);
        });
        gives::<super::Pad>(&[], &[int(5), Tensor::i32(&[0, 2], &[])], &[int(5)]);
        gives::<super::Pad>(&[], &[floats(&[]), Tensor::i64(&[1, 2], &[1, 1])], &[floats(&[0.0, 0.0])]);
    }

    #[test]
    fn refusals() {
        let message = "paddings of axis 0 are [-1, 0]; they must lie in 0..=2147483647";
        refuses::<super::Pad>(&[], &[ints(&[1, 2]), Tensor::i32(&[1, 2], &[-1, 0])], &[I32], message);
        let message = "paddings are [2, 2], the input is [1]; two are needed for each axis";
        refuses::<super::Pad>(&[], &[ints(&[1]), Tensor::i32(&[2, 2], &[0; 4])], &[I32], message);
        refuses::<super::Pad>(&[], &[ints(&[1])], &[I32], "it has 1 inputs, this op takes 2 to 2");
    }
}

//! PadV2: the input in a larger tensor of one value. Any type.
//! Defined by: tensorflow/core/kernels/pad_op.cc.

use crate::kit::kernel::Node;
use crate::kit::pad::{self, Kind, Member};

/// The op.
pub type PadV2 = Node<pad::Pad<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexPadV2";
    const KIND: Kind = Kind::Value;
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| {
            let inputs = [x(&[2], &[1, 2]), Tensor::i32(&[1, 2], &[1, 2]), x(&[], &[9])];
            gives::<super::PadV2>(&[], &inputs, &[x(&[5], &[9, 1, 2, 9, 9])]);
        });
        let inputs = [Tensor::f32(&[0, 1], &[]), Tensor::i32(&[2, 2], &[1, 0, 0, 1]), float(f32::INFINITY)];
        gives::<super::PadV2>(&[], &inputs, &[Tensor::f32(&[1, 2], &[f32::INFINITY; 2])]);
    }

    #[test]
    fn refusals() {
        let by = Tensor::i32(&[1, 2], &[1, 1]);
        let inputs = [ints(&[1]), by.clone(), ints(&[9])];
        refuses::<super::PadV2>(&[], &inputs, &[I32], "'in2' is [1]; a scalar is needed");
        let inputs = [ints(&[1]), by.clone(), float(9.0)];
        refuses::<super::PadV2>(
            &[],
            &inputs,
            &[I32],
            "'in2' is FLOAT32, the output is INT32; they must agree",
        );
        refuses::<super::PadV2>(&[], &[ints(&[1]), by], &[I32], "it has 2 inputs, this op takes 3 to 3");
    }
}

//! ConcatV2: inputs joined along an axis, which is the last input. Any type.
//! Defined by: tensorflow/core/kernels/concat_op.cc.

use crate::kit::concat::{Concat, Member};
use crate::kit::kernel::Node;

/// The op.
pub type ConcatV2 = Node<Concat<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexConcatV2";
    const AXIS_FIRST: bool = false;
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| {
            let (a, b) = (x(&[1, 2], &[1, 2]), x(&[2, 2], &[3, 4, 5, 6]));
            gives::<super::ConcatV2>(
                &[],
                &[a.clone(), b.clone(), int(0)],
                &[x(&[3, 2], &[1, 2, 3, 4, 5, 6])],
            );
            gives::<super::ConcatV2>(&[], &[b, a, int(-2)], &[x(&[3, 2], &[3, 4, 5, 6, 1, 2])]);
        });
        let empty = Tensor::f32(&[0, 2], &[]);
        gives::<super::ConcatV2>(&[], &[empty.clone(), empty.clone(), long(1)], &[Tensor::f32(&[0, 4], &[])]);
    }

    #[test]
    fn refusals() {
        let (a, b) = (Tensor::i32(&[1, 2], &[1, 2]), Tensor::i32(&[2, 1], &[3, 4]));
        let message = "[1, 2] and [2, 1] are not joined along axis 0; their other axes must agree";
        refuses::<super::ConcatV2>(&[], &[a.clone(), b, int(0)], &[I32], message);
        let message = "[1, 2] and [3] are not joined along axis 0; their other axes must agree";
        refuses::<super::ConcatV2>(&[], &[a.clone(), ints(&[1, 2, 3]), int(0)], &[I32], message);
        refuses::<super::ConcatV2>(
            &[],
            &[a.clone(), a.clone(), int(-3)],
            &[I32],
            "axis -3 does not exist in a tensor of rank 2",
        );
        refuses::<super::ConcatV2>(
            &[],
            &[a.clone(), a.clone(), ints(&[0, 1])],
            &[I32],
            "'in2' is [2]; one element is needed",
        );
        refuses::<super::ConcatV2>(
            &[],
            &[a.clone(), a, float(0.0)],
            &[I32],
            "'in2' is FLOAT32; integers are needed",
        );
    }
}

//! MirrorPad: the input in a larger tensor of its mirror images. Any type.
//! Defined by: tensorflow/core/kernels/mirror_pad_op.cc.

use crate::kit::kernel::Node;
use crate::kit::pad::{self, Kind, Member};

/// The op.
pub type MirrorPad = Node<pad::Pad<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexMirrorPad";
    const KIND: Kind = Kind::Mirror;
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    const REFLECT: [(&str, Attribute<'_>); 1] = [("mode", Text("REFLECT"))];
    const SYMMETRIC: [(&str, Attribute<'_>); 1] = [("mode", Text("SYMMETRIC"))];

    #[test]
    fn values() {
        each_type(|x| {
            let inputs = [x(&[3], &[1, 2, 3]), Tensor::i32(&[1, 2], &[2, 1])];
            gives::<super::MirrorPad>(&REFLECT, &inputs, &[x(&[6], &[3, 2, 1, 2, 3, 2])]);
            gives::<super::MirrorPad>(&SYMMETRIC, &inputs, &[x(&[6], &[2, 1, 1, 2, 3, 3])]);
        });
        let inputs = [Tensor::i32(&[2, 2], &[1, 2, 3, 4]), Tensor::i64(&[2, 2], &[1, 0, 0, 1])];
        gives::<super::MirrorPad>(&REFLECT, &inputs, &[Tensor::i32(&[3, 3], &[3, 4, 3, 1, 2, 1, 3, 4, 3])]);
        gives::<super::MirrorPad>(&SYMMETRIC, &[ints(&[]), Tensor::i32(&[1, 2], &[0, 0])], &[ints(&[])]);
    }

    #[test]
    fn refusals() {
        let refused = |mode: &[(&str, Attribute<'_>)], by: &[i32], message: &str| {
            refuses::<super::MirrorPad>(mode, &[ints(&[1, 2]), Tensor::i32(&[1, 2], by)], &[I32], message);
        };
        refused(&REFLECT, &[2, 0], "paddings of axis 0 are [2, 0]; they must lie in 0..=1");
        refused(&SYMMETRIC, &[0, 3], "paddings of axis 0 are [0, 3]; they must lie in 0..=2");
        refused(&SYMMETRIC, &[-1, 0], "paddings of axis 0 are [-1, 0]; they must lie in 0..=2");
        refused(
            &[("mode", Text("WRAP"))],
            &[0, 0],
            "attribute 'mode' is 'WRAP'; it may be REFLECT, SYMMETRIC",
        );
        let message = "paddings of axis 0 are [0, 0]; they must lie in 0..=-1";
        refuses::<super::MirrorPad>(&REFLECT, &[ints(&[]), Tensor::i32(&[1, 2], &[0, 0])], &[I32], message);
    }
}

//! Identity: copies the input. Any type.
//! Defined by: tensorflow/core/kernels/identity_op.cc.

use crate::kit::kernel::Node;
use crate::kit::same::{Member, Same};

/// The `FlexIdentity` op.
pub type Identity = Node<Same<Definition>>;

/// Shape function and kernel of `FlexIdentity`.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexIdentity";
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| gives::<super::Identity>(&[], &[x(&[2, 1], &[5, 6])], &[x(&[2, 1], &[5, 6])]));
        gives::<super::Identity>(&[], &[float(f32::NAN)], &[float(f32::NAN)]);
        gives::<super::Identity>(&[], &[ints(&[])], &[ints(&[])]);
    }

    #[test]
    fn refusals() {
        refuses::<super::Identity>(&[], &[int(1), int(2)], &[I32], "it has 2 inputs, this op takes 1 to 1");
        let message = "'in0' is INT32, the output is FLOAT32; they must agree";
        refuses::<super::Identity>(&[], &[int(1)], &[F32], message);
    }
}

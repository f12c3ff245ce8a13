//! PlaceholderWithDefault: copies the input. Any type.
//! Defined by: tensorflow/core/kernels/identity_op.cc.

use crate::kit::kernel::Node;
use crate::kit::same::{Member, Same};

/// The `FlexPlaceholderWithDefault` op.
pub type PlaceholderWithDefault = Node<Same<Definition>>;

/// Shape function and kernel of `FlexPlaceholderWithDefault`.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexPlaceholderWithDefault";
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| {
            gives::<super::PlaceholderWithDefault>(&[], &[x(&[2, 1], &[5, 6])], &[x(&[2, 1], &[5, 6])])
        });
        gives::<super::PlaceholderWithDefault>(&[], &[float(f32::NAN)], &[float(f32::NAN)]);
        gives::<super::PlaceholderWithDefault>(&[], &[ints(&[])], &[ints(&[])]);
    }

    #[test]
    fn refusals() {
        refuses::<super::PlaceholderWithDefault>(
            &[],
            &[int(1), int(2)],
            &[I32],
            "it has 2 inputs, this op takes 1 to 1",
        );
        let message = "'in0' is INT32, the output is FLOAT32; they must agree";
        refuses::<super::PlaceholderWithDefault>(&[], &[int(1)], &[F32], message);
    }
}

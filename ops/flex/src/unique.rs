//! Unique: the different elements of a list, where each went. Any type.
//! Defined by: tensorflow/core/kernels/unique_op.cc.

use crate::kit::kernel::Node;
use crate::kit::unique::{self, Member};

/// The op.
pub type Unique = Node<unique::Unique<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexUnique";
    const COUNTS: bool = false;
    const AXIS: bool = false;
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| {
            gives::<super::Unique>(&[], &[x(&[4], &[3, 0, 3, 0])], &[x(&[2], &[3, 0]), ints(&[0, 1, 0, 1])])
        });
        let types = [("out_idx", Type(I64))];
        gives::<super::Unique>(&types, &[texts(&["b", "", "b"])], &[texts(&["b", ""]), longs(&[0, 1, 0])]);
        // Both zeros are one, each NaN is another.
        let nan = f32::NAN;
        gives::<super::Unique>(
            &[],
            &[floats(&[0.0, nan, -0.0, nan])],
            &[floats(&[0.0, nan, nan]), ints(&[0, 1, 0, 2])],
        );
        gives::<super::Unique>(&[], &[ints(&[])], &[ints(&[]), ints(&[])]);
    }

    #[test]
    fn refusals() {
        let types = [I32, I32];
        refuses::<super::Unique>(
            &[],
            &[Tensor::i32(&[1, 1], &[1])],
            &types,
            "'in0' is [1, 1]; a list is needed",
        );
        refuses::<super::Unique>(&[], &[int(1)], &types, "'in0' is []; a list is needed");
        refuses::<super::Unique>(&[], &[ints(&[1])], &[I32], "it has 1 outputs, this op gives 2 to 2");
    }
}

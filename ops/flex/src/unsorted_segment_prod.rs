//! UnsortedSegmentProd: products of slices by the segment that each belongs to. Numbers. Inputs: data,
//! segments, how many segments.
//! Defined by: tensorflow/core/kernels/segment_reduction_ops_impl.h.

use crate::kit::kernel::Node;
use crate::kit::segment::{Kind, Member, Segment};

/// The op.
pub type UnsortedSegmentProd = Node<Segment<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexUnsortedSegmentProd";
    const KIND: Kind = Kind::Prod;
    const SORTED: bool = false;
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        let of = [ints(&[2, -1, 2]), int(4)];
        let product =
            |x: Tensor, y: Tensor| gives::<super::UnsortedSegmentProd>(&[], &[&[x][..], &of].concat(), &[y]);
        product(ints(&[2, 5, 3]), ints(&[1, 1, 6, 1]));
        product(floats(&[1.5, f32::NAN, -2.0]), floats(&[1.0, 1.0, -3.0, 1.0]));
        let inputs = [Tensor::i32(&[2, 2], &[1, 2, 3, 4]), ints(&[1, 1]), long(2)];
        gives::<super::UnsortedSegmentProd>(&[], &inputs, &[Tensor::i32(&[2, 2], &[1, 1, 3, 8])]);
        gives::<super::UnsortedSegmentProd>(&[], &[doubles(&[]), ints(&[]), int(1)], &[doubles(&[1.0])]);
    }

    #[test]
    fn refusals() {
        let inputs = [ints(&[1]), ints(&[4]), int(4)];
        refuses::<super::UnsortedSegmentProd>(&[], &inputs, &[I32], "segment 4 lies outside of 0..4");
        refuses::<super::UnsortedSegmentProd>(
            &[],
            &[ints(&[1]), ints(&[0])],
            &[I32],
            "it has 2 inputs, this op takes 3 to 3",
        );
    }
}

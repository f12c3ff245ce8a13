//! UnsortedSegmentSum: sums of slices by the segment that each belongs to. Numbers. Inputs: data, segments,
//! how many segments.
//! Defined by: tensorflow/core/kernels/segment_reduction_ops_impl.h.

use crate::kit::kernel::Node;
use crate::kit::segment::{Kind, Member, Segment};

/// The op.
pub type UnsortedSegmentSum = Node<Segment<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexUnsortedSegmentSum";
    const KIND: Kind = Kind::Sum;
    const SORTED: bool = false;
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        // What belongs to a negative segment is dropped.
        let of = [ints(&[2, -1, 2]), int(4)];
        let sum =
            |x: Tensor, y: Tensor| gives::<super::UnsortedSegmentSum>(&[], &[&[x][..], &of].concat(), &[y]);
        sum(ints(&[1, 2, 3]), ints(&[0, 0, 4, 0]));
        sum(floats(&[1.5, f32::NAN, 3.0]), floats(&[0.0, 0.0, 4.5, 0.0]));
        sum(Tensor::u8(&[3], &[200, 1, 100]), Tensor::u8(&[4], &[0, 0, 44, 0]));
        let inputs = [Tensor::i32(&[2, 2], &[1, 2, 3, 4]), Tensor::i64(&[2, 2], &[0, 1, 1, 0]), int(2)];
        gives::<super::UnsortedSegmentSum>(&[], &inputs, &[ints(&[5, 5])]);
        let inputs = [Tensor::i32(&[2, 2], &[1, 2, 3, 4]), ints(&[1, 1]), long(2)];
        gives::<super::UnsortedSegmentSum>(&[], &inputs, &[Tensor::i32(&[2, 2], &[0, 0, 4, 6])]);
        gives::<super::UnsortedSegmentSum>(&[], &[int(5), int(1), int(2)], &[ints(&[0, 5])]);
        gives::<super::UnsortedSegmentSum>(&[], &[ints(&[1]), ints(&[-1]), int(0)], &[ints(&[])]);
    }

    #[test]
    fn refusals() {
        let refused = |of: Tensor, count: Tensor, message: &str| {
            refuses::<super::UnsortedSegmentSum>(&[], &[ints(&[1, 2]), of, count], &[I32], message);
        };
        refused(ints(&[0, 4]), int(4), "segment 4 lies outside of 0..4");
        let message = "[-1] is no shape; sizes must not be negative, and at most 8 axes are served";
        refused(ints(&[0, 0]), int(-1), message);
        let message = "segments are [2, 1], the data [2]; the first axes must agree";
        refused(Tensor::i32(&[2, 1], &[0, 0]), int(1), message);
        refused(ints(&[0, 0]), ints(&[1]), "'in2' is [1]; a scalar is needed");
        refused(floats(&[0.0, 0.0]), int(1), "'in1' is FLOAT32; integers are needed");
    }
}

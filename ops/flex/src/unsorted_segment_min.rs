//! UnsortedSegmentMin: the smallest elements of slices by the segment that each belongs to. Numbers. Inputs:
//! data, segments, how many segments.
//! Defined by: tensorflow/core/kernels/segment_reduction_ops_impl.h.

use crate::kit::kernel::Node;
use crate::kit::segment::{Kind, Member, Segment};

/// The op.
pub type UnsortedSegmentMin = Node<Segment<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexUnsortedSegmentMin";
    const KIND: Kind = Kind::Min;
    const SORTED: bool = false;
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        let of = [ints(&[2, -1, 2]), int(3)];
        let smallest =
            |x: Tensor, y: Tensor| gives::<super::UnsortedSegmentMin>(&[], &[&[x][..], &of].concat(), &[y]);
        // Nothing at all is the highest number of the type, even above infinity.
        smallest(ints(&[1, 0, 3]), ints(&[i32::MAX, i32::MAX, 1]));
        smallest(floats(&[1.0, f32::NAN, 3.0]), floats(&[f32::MAX, f32::MAX, 1.0]));
        smallest(floats(&[f32::INFINITY; 3]), floats(&[f32::MAX; 3]));
        smallest(Tensor::i8(&[3], &[1, 0, 3]), Tensor::i8(&[3], &[127, 127, 1]));
        let of = [ints(&[0]), int(2)];
        let one =
            |x: Tensor, y: Tensor| gives::<super::UnsortedSegmentMin>(&[], &[&[x][..], &of].concat(), &[y]);
        let (f, b) = (half::f16::from_f32, half::bf16::from_f32);
        one(Tensor::f16(&[1], &[f(1.0)]), Tensor::f16(&[2], &[f(1.0), half::f16::MAX]));
        one(Tensor::bf16(&[1], &[b(1.0)]), Tensor::bf16(&[2], &[b(1.0), half::bf16::MAX]));
        one(longs(&[5]), longs(&[5, i64::MAX]));
    }

    #[test]
    fn refusals() {
        let inputs = [ints(&[1]), ints(&[4]), int(4)];
        refuses::<super::UnsortedSegmentMin>(&[], &inputs, &[I32], "segment 4 lies outside of 0..4");
        let inputs = [texts(&["a"]), ints(&[0]), int(1)];
        refuses::<super::UnsortedSegmentMin>(
            &[],
            &inputs,
            &[ElementType::String],
            "STRING is not an element type of this op",
        );
    }
}

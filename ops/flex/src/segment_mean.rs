//! SegmentMean: means of slices by the segment that each belongs to. Numbers. Inputs: data, segments.
//! Defined by: tensorflow/core/kernels/segment_reduction_ops_impl.h.

use crate::kit::kernel::Node;
use crate::kit::segment::{Kind, Member, Segment};

/// The op.
pub type SegmentMean = Node<Segment<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexSegmentMean";
    const KIND: Kind = Kind::Mean;
    const SORTED: bool = true;
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        let of = ints(&[1, 1, 3]);
        gives::<super::SegmentMean>(
            &[],
            &[floats(&[1.0, 2.0, f32::NAN]), of.clone()],
            &[floats(&[0.0, 1.5, 0.0, f32::NAN])],
        );
        // Integers lose what is behind the point.
        gives::<super::SegmentMean>(&[], &[ints(&[-1, -2, 9]), of], &[ints(&[0, -1, 0, 9])]);
        gives::<super::SegmentMean>(&[], &[doubles(&[]), longs(&[])], &[doubles(&[])]);
    }

    #[test]
    fn refusals() {
        refuses::<super::SegmentMean>(
            &[],
            &[floats(&[1.0, 2.0]), ints(&[1, 0])],
            &[F32],
            "segments do not ascend",
        );
        let inputs = [texts(&["a"]), ints(&[0])];
        refuses::<super::SegmentMean>(
            &[],
            &inputs,
            &[ElementType::String],
            "STRING is not an element type of this op",
        );
    }
}

//! SegmentMax: the largest elements of slices by the segment that each belongs to. Numbers. Inputs: data,
//! segments.
//! Defined by: tensorflow/core/kernels/segment_reduction_ops_impl.h.

use crate::kit::kernel::Node;
use crate::kit::segment::{Kind, Member, Segment};

/// The op.
pub type SegmentMax = Node<Segment<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexSegmentMax";
    const KIND: Kind = Kind::Max;
    const SORTED: bool = true;
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        let of = ints(&[1, 1, 3]);
        gives::<super::SegmentMax>(
            &[],
            &[floats(&[1.0, 2.0, -4.0]), of.clone()],
            &[floats(&[0.0, 2.0, 0.0, -4.0])],
        );
        gives::<super::SegmentMax>(&[], &[ints(&[-3, -2, 4]), of], &[ints(&[0, -2, 0, 4])]);
        let lowest = [floats(&[f32::NEG_INFINITY, 1.0]), longs(&[0, 1])];
        gives::<super::SegmentMax>(&[], &lowest, &[floats(&[f32::NEG_INFINITY, 1.0])]);
        gives::<super::SegmentMax>(
            &[],
            &[Tensor::u8(&[2], &[200, 100]), ints(&[0, 0])],
            &[Tensor::u8(&[1], &[200])],
        );
        gives::<super::SegmentMax>(&[], &[floats(&[f32::NAN, 2.0]), ints(&[0, 0])], &[floats(&[2.0])]);
    }

    #[test]
    fn refusals() {
        refuses::<super::SegmentMax>(&[], &[ints(&[1, 2]), ints(&[1, 0])], &[I32], "segments do not ascend");
        let x = Tensor::complex64(&[1], &[Complex32 { re: 1.0, im: 1.0 }]);
        refuses::<super::SegmentMax>(&[], &[x, ints(&[0])], &[C64], "COMPLEX64 has no order");
    }
}

//! SegmentSum: sums of slices by the segment that each belongs to. Numbers. Inputs: data, segments.
//! Defined by: tensorflow/core/kernels/segment_reduction_ops_impl.h.

use crate::kit::kernel::Node;
use crate::kit::segment::{Kind, Member, Segment};

/// The op.
pub type SegmentSum = Node<Segment<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexSegmentSum";
    const KIND: Kind = Kind::Sum;
    const SORTED: bool = true;
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        let of = ints(&[0, 0, 2]);
        gives::<super::SegmentSum>(
            &[],
            &[floats(&[1.5, 2.0, -4.0]), of.clone()],
            &[floats(&[3.5, 0.0, -4.0])],
        );
        gives::<super::SegmentSum>(
            &[],
            &[Tensor::i32(&[3, 2], &[1, 2, 3, 4, 5, 6]), of],
            &[Tensor::i32(&[3, 2], &[4, 6, 0, 0, 5, 6])],
        );
        gives::<super::SegmentSum>(
            &[],
            &[Tensor::u8(&[2], &[200, 100]), longs(&[1, 1])],
            &[Tensor::u8(&[2], &[0, 44])],
        );
        gives::<super::SegmentSum>(
            &[],
            &[floats(&[f32::INFINITY, f32::NAN]), ints(&[0, 1])],
            &[floats(&[f32::INFINITY, f32::NAN])],
        );
        gives::<super::SegmentSum>(
            &[],
            &[Tensor::f64(&[0, 2], &[]), ints(&[])],
            &[Tensor::f64(&[0, 2], &[])],
        );
    }

    #[test]
    fn refusals() {
        let refused = |data: Tensor, of: Tensor, message: &str| {
            refuses::<super::SegmentSum>(&[], &[data, of], &[I32], message)
        };
        refused(ints(&[1, 2]), ints(&[1, 0]), "segments do not ascend");
        refused(ints(&[1, 2]), ints(&[-1, 0]), "segment -1 lies outside of 0..1");
        refused(ints(&[1, 2]), ints(&[0]), "segments are [1], the data [2]; the first axes must agree");
        refused(int(1), int(0), "segments are [], the data []; the first axes must agree");
        refused(
            Tensor::i32(&[1, 1], &[1]),
            Tensor::i32(&[1, 1], &[0]),
            "segments are [1, 1], the data [1, 1]; the first axes must agree",
        );
        refused(ints(&[1]), floats(&[0.0]), "'in1' is FLOAT32; integers are needed");
    }
}

//! SegmentProd: products of slices by the segment that each belongs to. Numbers. Inputs: data, segments.
//! Defined by: tensorflow/core/kernels/segment_reduction_ops_impl.h.

use crate::kit::kernel::Node;
use crate::kit::segment::{Kind, Member, Segment};

/// The op.
pub type SegmentProd = Node<Segment<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexSegmentProd";
    const KIND: Kind = Kind::Prod;
    const SORTED: bool = true;
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        let of = ints(&[1, 1, 3]);
        gives::<super::SegmentProd>(
            &[],
            &[floats(&[1.5, 2.0, -4.0]), of.clone()],
            &[floats(&[1.0, 3.0, 1.0, -4.0])],
        );
        gives::<super::SegmentProd>(&[], &[ints(&[2, 3, 4]), of], &[ints(&[1, 6, 1, 4])]);
        let x = Tensor::complex64(&[2], &[Complex32 { re: 1.0, im: 1.0 }, Complex32 { re: 0.0, im: 2.0 }]);
        gives::<super::SegmentProd>(
            &[],
            &[x, ints(&[0, 0])],
            &[Tensor::complex64(&[1], &[Complex32 { re: -2.0, im: 2.0 }])],
        );
        gives::<super::SegmentProd>(
            &[],
            &[Tensor::f32(&[0, 2], &[]), ints(&[])],
            &[Tensor::f32(&[0, 2], &[])],
        );
    }

    #[test]
    fn refusals() {
        refuses::<super::SegmentProd>(
            &[],
            &[floats(&[1.0, 2.0]), ints(&[1, 0])],
            &[F32],
            "segments do not ascend",
        );
        refuses::<super::SegmentProd>(
            &[],
            &[floats(&[1.0])],
            &[F32],
            "it has 1 inputs, this op takes 2 to 2",
        );
    }
}

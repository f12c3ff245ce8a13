//! UnsortedSegmentMax: the largest elements of slices by the segment that each belongs to. Numbers. Inputs:
//! data, segments, how many segments.
//! Defined by: tensorflow/core/kernels/segment_reduction_ops_impl.h.

use crate::kit::kernel::Node;
use crate::kit::segment::{Kind, Member, Segment};

/// The op.
pub type UnsortedSegmentMax = Node<Segment<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexUnsortedSegmentMax";
    const KIND: Kind = Kind::Max;
    const SORTED: bool = false;
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        let of = [ints(&[2, -1, 2]), int(3)];
        let largest =
            |x: Tensor, y: Tensor| gives::<super::UnsortedSegmentMax>(&[], &[&[x][..], &of].concat(), &[y]);
        // Nothing at all is the lowest number of the type, even below minus infinity.
        largest(ints(&[1, 9, 3]), ints(&[i32::MIN, i32::MIN, 3]));
        largest(floats(&[1.0, f32::NAN, 3.0]), floats(&[f32::MIN, f32::MIN, 3.0]));
        largest(floats(&[f32::NEG_INFINITY; 3]), floats(&[f32::MIN; 3]));
        largest(doubles(&[1.0, 9.0, 3.0]), doubles(&[f64::MIN, f64::MIN, 3.0]));
        largest(Tensor::u8(&[3], &[1, 9, 3]), Tensor::u8(&[3], &[0, 0, 3]));
        let of = [ints(&[0]), int(2)];
        let one =
            |x: Tensor, y: Tensor| gives::<super::UnsortedSegmentMax>(&[], &[&[x][..], &of].concat(), &[y]);
        let (f, b) = (half::f16::from_f32, half::bf16::from_f32);
        one(Tensor::f16(&[1], &[f(1.0)]), Tensor::f16(&[2], &[f(1.0), half::f16::MIN]));
        one(Tensor::bf16(&[1], &[b(1.0)]), Tensor::bf16(&[2], &[b(1.0), half::bf16::MIN]));
        one(floats(&[f32::NAN]), floats(&[f32::NAN, f32::MIN]));
    }

    #[test]
    fn refusals() {
        let inputs = [ints(&[1]), ints(&[4]), int(4)];
        refuses::<super::UnsortedSegmentMax>(&[], &inputs, &[I32], "segment 4 lies outside of 0..4");
        let x = Tensor::complex64(&[1], &[Complex32 { re: 1.0, im: 1.0 }]);
        refuses::<super::UnsortedSegmentMax>(&[], &[x, ints(&[0]), int(1)], &[C64], "COMPLEX64 has no order");
    }
}

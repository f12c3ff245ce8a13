//! UNSORTED_SEGMENT_PROD: the product of the slices of each segment. f32; i32, which wraps. An empty segment gives 1.
//! Defined by: tflite/kernels/unsorted_segment.cc.

use arenite_abi::prelude::*;

use crate::kit::number::{Combine, Number};
use crate::kit::segments::{Segment, UnsortedSegments};

/// A prepared `UNSORTED_SEGMENT_PROD` node.
pub type UnsortedSegmentProd = UnsortedSegments<Prod>;

/// Multiplies two elements.
pub struct Prod;

impl Segment for Prod {
    const CODE: OpCode = OpCode::Builtin(op::UNSORTED_SEGMENT_PROD);
}

impl Combine for Prod {
    fn nothing<T: Number>() -> T {
        T::ONE
    }

    fn with<T: Number>(so_far: T, next: T) -> T {
        so_far.times(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::segments::tests::expect;

    #[test]
    fn segments() {
        expect::<Prod>(6.0, i32::MAX.wrapping_mul(6), (1.0, 1));
    }
}

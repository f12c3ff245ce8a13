//! UNSORTED_SEGMENT_MIN: the smallest elements among the slices of each segment. f32, i32. An empty segment gives the
//! highest finite number.
//! Defined by: tflite/kernels/unsorted_segment.cc.

use arenite_abi::prelude::*;

use crate::kit::number::{Combine, Number};
use crate::kit::segments::{Segment, UnsortedSegments};

/// A prepared `UNSORTED_SEGMENT_MIN` node.
pub type UnsortedSegmentMin = UnsortedSegments<Min>;

/// Keeps the smaller of two elements.
pub struct Min;

impl Segment for Min {
    const CODE: OpCode = OpCode::Builtin(op::UNSORTED_SEGMENT_MIN);
}

impl Combine for Min {
    fn nothing<T: Number>() -> T {
        T::HIGHEST
    }

    fn with<T: Number>(so_far: T, next: T) -> T {
        if so_far > next { next } else { so_far }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::segments::tests::expect;

    #[test]
    fn segments() {
        expect::<Min>(2.0, 2, (f32::MAX, i32::MAX));
    }

    #[test]
    fn nan_after_a_number_is_skipped() {
        assert_eq!(Min::with(1.0f32, f32::NAN), 1.0);
        assert!(Min::with(f32::NAN, 1.0f32).is_nan());
    }
}

//! UNSORTED_SEGMENT_MAX: the largest elements among the slices of each segment. f32, i32. An empty segment gives the
//! lowest finite number.
//! Defined by: tflite/kernels/unsorted_segment.cc.

use arenite_abi::prelude::*;

use crate::kit::number::{Combine, Number};
use crate::kit::segments::{Segment, UnsortedSegments};

/// A prepared `UNSORTED_SEGMENT_MAX` node.
pub type UnsortedSegmentMax = UnsortedSegments<Max>;

/// Keeps the larger of two elements.
pub struct Max;

impl Segment for Max {
    const CODE: OpCode = OpCode::Builtin(op::UNSORTED_SEGMENT_MAX);
}

impl Combine for Max {
    fn nothing<T: Number>() -> T {
        T::LOWEST
    }

    fn with<T: Number>(so_far: T, next: T) -> T {
        if so_far < next { next } else { so_far }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::segments::tests::expect;

    #[test]
    fn segments() {
        expect::<Max>(3.0, i32::MAX, (f32::MIN, i32::MIN));
    }

    #[test]
    fn nan_after_a_number_is_skipped() {
        assert_eq!(Max::with(1.0f32, f32::NAN), 1.0);
        assert!(Max::with(f32::NAN, 1.0f32).is_nan());
    }
}

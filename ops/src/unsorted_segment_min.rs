//! UNSORTED_SEGMENT_MIN: the smallest of all slices with one id. f32, i32. Of nothing it is the highest finite number.
//! Defined by: tflite/kernels/unsorted_segment.cc.

use arenite_abi::prelude::*;

use crate::kit::number::{Combine, Number};
use crate::kit::segments::{Segment, UnsortedSegments};

/// Prepared node.
pub type UnsortedSegmentMin = UnsortedSegments<Min>;

/// The smallest of two.
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
    use crate::kit::segments::tests::{expect, expect_refusals};

    #[test]
    fn segments() {
        expect::<Min>(2.0, 2, (f32::MAX, i32::MAX));
    }

    #[test]
    fn nan_after_a_number_is_passed_over() {
        assert_eq!(Min::with(1.0f32, f32::NAN), 1.0);
        assert!(Min::with(f32::NAN, 1.0f32).is_nan());
    }

    #[test]
    fn refusals() {
        expect_refusals::<Min>();
    }
}

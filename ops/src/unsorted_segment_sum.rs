//! UNSORTED_SEGMENT_SUM: the sum of the slices of each segment. f32; i32, which wraps. An empty segment gives 0.
//! Defined by: tflite/kernels/unsorted_segment.cc.

use arenite_abi::prelude::*;

use crate::kit::number::{Combine, Number};
use crate::kit::segments::{Segment, UnsortedSegments};

/// A prepared `UNSORTED_SEGMENT_SUM` node.
pub type UnsortedSegmentSum = UnsortedSegments<Sum>;

/// Adds two elements.
pub struct Sum;

impl Segment for Sum {
    const CODE: OpCode = OpCode::Builtin(op::UNSORTED_SEGMENT_SUM);
}

impl Combine for Sum {
    fn nothing<T: Number>() -> T {
        T::ZERO
    }

    fn with<T: Number>(so_far: T, next: T) -> T {
        so_far.plus(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::segments::tests::expect;

    #[test]
    fn segments() {
        expect::<Sum>(5.0, i32::MAX.wrapping_add(5), (0.0, 0));
    }
}

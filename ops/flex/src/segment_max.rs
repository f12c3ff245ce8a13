//! SegmentMax: the largest elements of slices by the segment that each belongs to. Numbers. Inputs: data, segments.
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

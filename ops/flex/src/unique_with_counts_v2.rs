//! UniqueWithCountsV2: the different slices along an axis, where each went, and how often each came. Any type.
//! Defined by: tensorflow/core/kernels/unique_op.cc.

use crate::kit::kernel::Node;
use crate::kit::unique::{Member, Unique};

/// The op.
pub type UniqueWithCountsV2 = Node<Unique<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexUniqueWithCountsV2";
    const COUNTS: bool = true;
    const AXIS: bool = true;
}

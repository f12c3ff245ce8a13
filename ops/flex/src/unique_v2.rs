//! UniqueV2: the different slices along an axis, where each went. Any type.
//! Defined by: tensorflow/core/kernels/unique_op.cc.

use crate::kit::kernel::Node;
use crate::kit::unique::{Member, Unique};

/// The op.
pub type UniqueV2 = Node<Unique<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexUniqueV2";
    const COUNTS: bool = false;
    const AXIS: bool = true;
}

//! Snapshot: copies the input. Any type.
//! Defined by: tensorflow/core/kernels/snapshot_op.cc.

use crate::kit::kernel::Node;
use crate::kit::same::{Member, Same};

/// The `FlexSnapshot` op.
pub type Snapshot = Node<Same<Definition>>;

/// Shape function and kernel of `FlexSnapshot`.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexSnapshot";
}

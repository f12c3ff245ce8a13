//! DeepCopy: copies the input. Any type.
//! Defined by: tensorflow/core/kernels/inplace_ops.cc.

use crate::kit::kernel::Node;
use crate::kit::same::{Member, Same};

/// The `FlexDeepCopy` op.
pub type DeepCopy = Node<Same<Definition>>;

/// Shape function and kernel of `FlexDeepCopy`.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexDeepCopy";
}

//! PlaceholderWithDefault: copies the input. Any type.
//! Defined by: tensorflow/core/kernels/identity_op.cc.

use crate::kit::kernel::Node;
use crate::kit::same::{Member, Same};

/// The `FlexPlaceholderWithDefault` op.
pub type PlaceholderWithDefault = Node<Same<Definition>>;

/// Shape function and kernel of `FlexPlaceholderWithDefault`.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexPlaceholderWithDefault";
}

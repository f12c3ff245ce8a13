//! Identity: copies the input. Any type.
//! Defined by: tensorflow/core/kernels/identity_op.cc.

use crate::kit::kernel::Node;
use crate::kit::same::{Member, Same};

/// The `FlexIdentity` op.
pub type Identity = Node<Same<Definition>>;

/// Shape function and kernel of `FlexIdentity`.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexIdentity";
}

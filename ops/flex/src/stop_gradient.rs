//! StopGradient: copies the input. Any type.
//! Defined by: tensorflow/core/kernels/identity_op.cc.

use crate::kit::kernel::Node;
use crate::kit::same::{Member, Same};

/// The `FlexStopGradient` op.
pub type StopGradient = Node<Same<Definition>>;

/// Shape function and kernel of `FlexStopGradient`.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexStopGradient";
}

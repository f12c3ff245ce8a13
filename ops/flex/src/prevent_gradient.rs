//! PreventGradient: copies the input. Any type.
//! Defined by: tensorflow/core/kernels/identity_op.cc.

use crate::kit::kernel::Node;
use crate::kit::same::{Member, Same};

/// The `FlexPreventGradient` op.
pub type PreventGradient = Node<Same<Definition>>;

/// Shape function and kernel of `FlexPreventGradient`.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexPreventGradient";
}

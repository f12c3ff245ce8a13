//! Unique: the different elements of a list, where each went. Any type.
//! Defined by: tensorflow/core/kernels/unique_op.cc.

use crate::kit::kernel::Node;
use crate::kit::unique::{self, Member};

/// The op.
pub type Unique = Node<unique::Unique<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexUnique";
    const COUNTS: bool = false;
    const AXIS: bool = false;
}

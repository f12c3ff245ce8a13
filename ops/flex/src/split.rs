//! Split: splits the input into equal parts along an axis. Any type. Inputs: axis, tensor.
//! Defined by: tensorflow/core/kernels/split_op.cc.

use crate::kit::kernel::Node;
use crate::kit::split::{self, Member};

/// The `FlexSplit` op.
pub type Split = Node<split::Split<Definition>>;

/// Shape function and kernel of `FlexSplit`.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexSplit";
    const SIZES: bool = false;
}

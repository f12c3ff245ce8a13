//! Pad: the input in a larger tensor of zeros. Any type.
//! Defined by: tensorflow/core/kernels/pad_op.cc.

use crate::kit::kernel::Node;
use crate::kit::pad::{self, Kind, Member};

/// The op.
pub type Pad = Node<pad::Pad<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexPad";
    const KIND: Kind = Kind::Zeros;
}

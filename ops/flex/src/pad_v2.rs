//! PadV2: the input in a larger tensor of one value. Any type.
//! Defined by: tensorflow/core/kernels/pad_op.cc.

use crate::kit::kernel::Node;
use crate::kit::pad::{self, Kind, Member};

/// The op.
pub type PadV2 = Node<pad::Pad<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexPadV2";
    const KIND: Kind = Kind::Value;
}

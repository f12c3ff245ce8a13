//! MirrorPad: the input in a larger tensor of its mirror images. Any type.
//! Defined by: tensorflow/core/kernels/mirror_pad_op.cc.

use crate::kit::kernel::Node;
use crate::kit::pad::{self, Kind, Member};

/// The op.
pub type MirrorPad = Node<pad::Pad<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexMirrorPad";
    const KIND: Kind = Kind::Mirror;
}

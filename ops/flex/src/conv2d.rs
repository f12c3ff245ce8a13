//! Conv2D: a convolution of images; filter `[rows, columns, depth, channels]`. Numbers.
//! Defined by: tensorflow/core/kernels/conv_ops.cc.

use crate::kit::kernel::Node;
use crate::kit::conv::{Conv, Kind, Member};

/// The op.
pub type Conv2D = Node<Conv<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexConv2D";
    const KIND: Kind = Kind::Forward;
    const AXES: usize = 2;
    const DEPTHWISE: bool = false;
}

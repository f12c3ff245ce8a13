//! DepthwiseConv2dNative: a convolution of each channel; filter `[rows, columns, depth, multiplier]`. Numbers.
//! Defined by: tensorflow/core/kernels/depthwise_conv_op.cc.

use crate::kit::kernel::Node;
use crate::kit::conv::{Conv, Kind, Member};

/// The op.
pub type DepthwiseConv2dNative = Node<Conv<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexDepthwiseConv2dNative";
    const KIND: Kind = Kind::Forward;
    const AXES: usize = 2;
    const DEPTHWISE: bool = true;
}

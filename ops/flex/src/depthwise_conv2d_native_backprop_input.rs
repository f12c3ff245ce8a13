//! DepthwiseConv2dNativeBackpropInput: the gradient of images; inputs: their shape, filter, gradient. Numbers.
//! Defined by: tensorflow/core/kernels/depthwise_conv_grad_op.cc.

use crate::kit::kernel::Node;
use crate::kit::conv::{Conv, Kind, Member};

/// The op.
pub type DepthwiseConv2dNativeBackpropInput = Node<Conv<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexDepthwiseConv2dNativeBackpropInput";
    const KIND: Kind = Kind::Images;
    const AXES: usize = 2;
    const DEPTHWISE: bool = true;
}

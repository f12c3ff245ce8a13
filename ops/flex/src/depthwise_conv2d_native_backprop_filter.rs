//! DepthwiseConv2dNativeBackpropFilter: the gradient of a filter; inputs: images, its shape, gradient. Numbers.
//! Defined by: tensorflow/core/kernels/depthwise_conv_grad_op.cc.

use crate::kit::kernel::Node;
use crate::kit::conv::{Conv, Kind, Member};

/// The op.
pub type DepthwiseConv2dNativeBackpropFilter = Node<Conv<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexDepthwiseConv2dNativeBackpropFilter";
    const KIND: Kind = Kind::Filter;
    const AXES: usize = 2;
    const DEPTHWISE: bool = true;
}

//! Conv2DBackpropInput: the gradient of images under a convolution; inputs: their shape, filter, gradient. Numbers.
//! Defined by: tensorflow/core/kernels/conv_grad_input_ops.cc.

use crate::kit::kernel::Node;
use crate::kit::conv::{Conv, Kind, Member};

/// The op.
pub type Conv2DBackpropInput = Node<Conv<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexConv2DBackpropInput";
    const KIND: Kind = Kind::Images;
    const AXES: usize = 2;
    const DEPTHWISE: bool = false;
}

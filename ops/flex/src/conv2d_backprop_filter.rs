//! Conv2DBackpropFilter: the gradient of a filter; inputs: images, its shape, gradient. Numbers.
//! Defined by: tensorflow/core/kernels/conv_grad_filter_ops.cc.

use crate::kit::kernel::Node;
use crate::kit::conv::{Conv, Kind, Member};

/// The op.
pub type Conv2DBackpropFilter = Node<Conv<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexConv2DBackpropFilter";
    const KIND: Kind = Kind::Filter;
    const AXES: usize = 2;
    const DEPTHWISE: bool = false;
}

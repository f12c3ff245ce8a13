//! Conv3DBackpropInputV2: the gradient of volumes under a convolution; inputs: their shape, filter, gradient. Numbers.
//! Defined by: tensorflow/core/kernels/conv_grad_ops_3d.cc.

use crate::kit::kernel::Node;
use crate::kit::conv::{Conv, Kind, Member};

/// The op.
pub type Conv3DBackpropInputV2 = Node<Conv<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexConv3DBackpropInputV2";
    const KIND: Kind = Kind::Images;
    const AXES: usize = 3;
    const DEPTHWISE: bool = false;
}

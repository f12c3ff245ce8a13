//! Conv3DBackpropFilterV2: the gradient of a filter; inputs: volumes, its shape, gradient. Numbers.
//! Defined by: tensorflow/core/kernels/conv_grad_ops_3d.cc.

use crate::kit::kernel::Node;
use crate::kit::conv::{Conv, Kind, Member};

/// The op.
pub type Conv3DBackpropFilterV2 = Node<Conv<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexConv3DBackpropFilterV2";
    const KIND: Kind = Kind::Filter;
    const AXES: usize = 3;
    const DEPTHWISE: bool = false;
}

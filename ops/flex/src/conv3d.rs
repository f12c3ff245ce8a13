//! Conv3D: a convolution of volumes; filter `[planes, rows, columns, depth, channels]`. Numbers.
//! Defined by: tensorflow/core/kernels/conv_ops_3d.cc.

use crate::kit::kernel::Node;
use crate::kit::conv::{Conv, Kind, Member};

/// The op.
pub type Conv3D = Node<Conv<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexConv3D";
    const KIND: Kind = Kind::Forward;
    const AXES: usize = 3;
    const DEPTHWISE: bool = false;
}

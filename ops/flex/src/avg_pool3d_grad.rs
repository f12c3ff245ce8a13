//! AvgPool3DGrad: the gradient of means of windows of three axes; inputs: shape, gradient. Reals.
//! Defined by: tensorflow/core/kernels/pooling_ops_3d.cc.

use crate::kit::kernel::Node;
use crate::kit::pool::{Kind, Member, Pool};

/// The op.
pub type AvgPool3DGrad = Node<Pool<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexAvgPool3DGrad";
    const AXES: usize = 3;
    const KIND: Kind = Kind::AverageGradient;
}

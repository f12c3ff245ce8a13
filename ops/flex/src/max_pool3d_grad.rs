//! MaxPool3DGrad: the gradient of maxima of windows of three axes; inputs: input, maxima, gradient. Reals.
//! Defined by: tensorflow/core/kernels/pooling_ops_3d.cc.

use crate::kit::kernel::Node;
use crate::kit::pool::{Kind, Member, Pool};

/// The op.
pub type MaxPool3DGrad = Node<Pool<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexMaxPool3DGrad";
    const AXES: usize = 3;
    const KIND: Kind = Kind::MaximumGradient;
}

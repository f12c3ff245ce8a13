//! AvgPoolGrad: the gradient of means of windows; inputs: shape, gradient. Reals.
//! Defined by: tensorflow/core/kernels/avgpooling_op.cc.

use crate::kit::kernel::Node;
use crate::kit::pool::{Kind, Member, Pool};

/// The op.
pub type AvgPoolGrad = Node<Pool<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexAvgPoolGrad";
    const AXES: usize = 2;
    const KIND: Kind = Kind::AverageGradient;
}

//! MaxPoolGrad: the gradient of maxima of windows; inputs: input, maxima, gradient. Reals.
//! Defined by: tensorflow/core/kernels/maxpooling_op.cc.

use crate::kit::kernel::Node;
use crate::kit::pool::{Kind, Member, Pool};

/// The op.
pub type MaxPoolGrad = Node<Pool<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexMaxPoolGrad";
    const AXES: usize = 2;
    const KIND: Kind = Kind::MaximumGradient;
}

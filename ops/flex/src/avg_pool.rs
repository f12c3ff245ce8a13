//! AvgPool: the mean of each window. Reals.
//! Defined by: tensorflow/core/kernels/avgpooling_op.cc.

use crate::kit::kernel::Node;
use crate::kit::pool::{Kind, Member, Pool};

/// The op.
pub type AvgPool = Node<Pool<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexAvgPool";
    const AXES: usize = 2;
    const KIND: Kind = Kind::Average;
}

//! MaxPool: the largest input of each window. Reals.
//! Defined by: tensorflow/core/kernels/maxpooling_op.cc.

use crate::kit::kernel::Node;
use crate::kit::pool::{Kind, Member, Pool};

/// The op.
pub type MaxPool = Node<Pool<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexMaxPool";
    const AXES: usize = 2;
    const KIND: Kind = Kind::Maximum;
}

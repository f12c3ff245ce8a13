//! TensorScatterAdd: slices of updates are added, where indices say. Numbers, BOOL.
//! Defined by: tensorflow/core/kernels/scatter_nd_op.cc.

use crate::kit::kernel::Node;
use crate::kit::scatter::{Kind, Member, Scatter};

/// The op.
pub type TensorScatterAdd = Node<Scatter<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexTensorScatterAdd";
    const KIND: Kind = Kind::Add;
}

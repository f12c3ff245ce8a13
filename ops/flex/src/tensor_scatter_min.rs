//! TensorScatterMin: slices of updates stay where they are smaller, where indices say. Numbers, BOOL.
//! Defined by: tensorflow/core/kernels/scatter_nd_op.cc.

use crate::kit::kernel::Node;
use crate::kit::scatter::{Kind, Member, Scatter};

/// The op.
pub type TensorScatterMin = Node<Scatter<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexTensorScatterMin";
    const KIND: Kind = Kind::Min;
}

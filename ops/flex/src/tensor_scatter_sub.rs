//! TensorScatterSub: slices of updates are subtracted, where indices say. Numbers, BOOL.
//! Defined by: tensorflow/core/kernels/scatter_nd_op.cc.

use crate::kit::kernel::Node;
use crate::kit::scatter::{Kind, Member, Scatter};

/// The op.
pub type TensorScatterSub = Node<Scatter<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexTensorScatterSub";
    const KIND: Kind = Kind::Sub;
}

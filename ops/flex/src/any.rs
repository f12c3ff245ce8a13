//! Any: whether one is true, along axes. BOOL.
//! Defined by: tensorflow/core/kernels/reduction_ops_any.cc.

use crate::kit::kernel::Node;
use crate::kit::reduce::{Kind, Member, Reduce};

/// The op.
pub type Any = Node<Reduce<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexAny";
    const KIND: Kind = Kind::Any;
}

//! All: whether all are true, along axes. BOOL.
//! Defined by: tensorflow/core/kernels/reduction_ops_all.cc.

use crate::kit::kernel::Node;
use crate::kit::reduce::{Kind, Member, Reduce};

/// The op.
pub type All = Node<Reduce<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexAll";
    const KIND: Kind = Kind::All;
}

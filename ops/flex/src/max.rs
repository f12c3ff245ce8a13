//! Max: the largest elements, along axes. Reals, integers, complex numbers.
//! Defined by: tensorflow/core/kernels/reduction_ops_max.cc.

use crate::kit::kernel::Node;
use crate::kit::reduce::{Kind, Member, Reduce};

/// The op.
pub type Max = Node<Reduce<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexMax";
    const KIND: Kind = Kind::Max;
}

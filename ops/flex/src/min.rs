//! Min: the smallest elements, along axes. Reals, integers, complex numbers.
//! Defined by: tensorflow/core/kernels/reduction_ops_min.cc.

use crate::kit::kernel::Node;
use crate::kit::reduce::{Kind, Member, Reduce};

/// The op.
pub type Min = Node<Reduce<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexMin";
    const KIND: Kind = Kind::Min;
}

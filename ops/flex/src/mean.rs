//! Mean: means, along axes. Reals, integers, complex numbers.
//! Defined by: tensorflow/core/kernels/reduction_ops_mean.cc.

use crate::kit::kernel::Node;
use crate::kit::reduce::{Kind, Member, Reduce};

/// The op.
pub type Mean = Node<Reduce<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexMean";
    const KIND: Kind = Kind::Mean;
}

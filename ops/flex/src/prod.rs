//! Prod: products, along axes. Reals, integers, complex numbers.
//! Defined by: tensorflow/core/kernels/reduction_ops_prod.cc.

use crate::kit::kernel::Node;
use crate::kit::reduce::{Kind, Member, Reduce};

/// The op.
pub type Prod = Node<Reduce<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexProd";
    const KIND: Kind = Kind::Prod;
}

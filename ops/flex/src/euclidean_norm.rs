//! EuclideanNorm: the root of the sum of squares, along axes. Reals, integers, complex numbers.
//! Defined by: tensorflow/core/kernels/reduction_ops_euclidean.cc.

use crate::kit::kernel::Node;
use crate::kit::reduce::{Kind, Member, Reduce};

/// The op.
pub type EuclideanNorm = Node<Reduce<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexEuclideanNorm";
    const KIND: Kind = Kind::Norm;
}

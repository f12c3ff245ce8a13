//! MaxPool3D: the largest input of each window, of three axes. Reals.
//! Defined by: tensorflow/core/kernels/pooling_ops_3d.cc.

use crate::kit::kernel::Node;
use crate::kit::pool::{Kind, Member, Pool};

/// The op.
pub type MaxPool3D = Node<Pool<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexMaxPool3D";
    const AXES: usize = 3;
    const KIND: Kind = Kind::Maximum;
}

//! AvgPool3D: the mean of each window, of three axes. Reals.
//! Defined by: tensorflow/core/kernels/pooling_ops_3d.cc.

use crate::kit::kernel::Node;
use crate::kit::pool::{Kind, Member, Pool};

/// The op.
pub type AvgPool3D = Node<Pool<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexAvgPool3D";
    const AXES: usize = 3;
    const KIND: Kind = Kind::Average;
}

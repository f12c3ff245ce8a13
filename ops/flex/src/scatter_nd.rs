//! ScatterNd: slices of updates in a tensor of zeros, added where indices say. Numbers, BOOL.
//! Defined by: tensorflow/core/kernels/scatter_nd_op.cc.

use crate::kit::kernel::Node;
use crate::kit::scatter::{Kind, Member, Scatter};

/// The op.
pub type ScatterNd = Node<Scatter<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexScatterNd";
    const KIND: Kind = Kind::Add;
    const TO_ZEROS: bool = true;
}

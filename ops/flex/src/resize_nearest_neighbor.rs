//! ResizeNearestNeighbor: images of another size, of the nearest pixels. Reals and integers.
//! Defined by: tensorflow/core/kernels/image/resize_nearest_neighbor_op.cc.

use crate::kit::kernel::Node;
use crate::kit::resize::{Kind, Member, Resize};

/// The op.
pub type ResizeNearestNeighbor = Node<Resize<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexResizeNearestNeighbor";
    const KIND: Kind = Kind::Nearest;
}

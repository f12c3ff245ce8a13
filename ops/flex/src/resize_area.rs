//! ResizeArea: images of another size, of means over areas. Reals and integers to F32.
//! Defined by: tensorflow/core/kernels/image/resize_area_op.cc.

use crate::kit::kernel::Node;
use crate::kit::resize::{Kind, Member, Resize};

/// The op.
pub type ResizeArea = Node<Resize<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexResizeArea";
    const KIND: Kind = Kind::Area;
}

//! ResizeBicubic: images of another size, by cubics through pixels. Reals and integers to F32.
//! Defined by: tensorflow/core/kernels/image/resize_bicubic_op.cc.

use crate::kit::kernel::Node;
use crate::kit::resize::{Kind, Member, Resize};

/// The op.
pub type ResizeBicubic = Node<Resize<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexResizeBicubic";
    const KIND: Kind = Kind::Bicubic;
}

//! ResizeBilinear: images of another size, by lines between pixels. Reals and integers to F32.
//! Defined by: tensorflow/core/kernels/image/resize_bilinear_op.cc.

use crate::kit::kernel::Node;
use crate::kit::resize::{Kind, Member, Resize};

/// The op.
pub type ResizeBilinear = Node<Resize<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexResizeBilinear";
    const KIND: Kind = Kind::Bilinear;
}

//! Cumprod: running products along an axis. Reals, integers, complex numbers.
//! Defined by: tensorflow/core/kernels/scan_ops.cc.

use crate::kit::kernel::Node;
use crate::kit::scan::{Kind, Member, Scan};

/// The op.
pub type Cumprod = Node<Scan<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexCumprod";
    const KIND: Kind = Kind::Product;
}

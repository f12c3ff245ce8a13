//! Cumsum: running sums along an axis. Reals, integers, complex numbers.
//! Defined by: tensorflow/core/kernels/scan_ops.cc.

use crate::kit::kernel::Node;
use crate::kit::scan::{Kind, Member, Scan};

/// The op.
pub type Cumsum = Node<Scan<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexCumsum";
    const KIND: Kind = Kind::Sum;
}

//! CumulativeLogsumexp: running logarithms of sums of exponentials along an axis. Reals.
//! Defined by: tensorflow/core/kernels/scan_ops.cc.

use crate::kit::kernel::Node;
use crate::kit::scan::{Kind, Member, Scan};

/// The op.
pub type CumulativeLogsumexp = Node<Scan<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexCumulativeLogsumexp";
    const KIND: Kind = Kind::LogSumExp;
}

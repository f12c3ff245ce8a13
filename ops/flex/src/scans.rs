//! Cumulative ops.

use crate::family;
use crate::kit::kernel::FamilyNode;
use crate::kit::scan::{Kind, Member, Scan};

family! { FamilyNode<Scan>:
    /// Cumprod: cumulative products along an axis. Reals, integers, complex numbers.
    /// Defined by: tensorflow/core/kernels/scan_ops.cc.
    Cumprod "FlexCumprod" = Member { kind: Kind::Product };

    /// Cumsum: cumulative sums along an axis. Reals, integers, complex numbers.
    /// Defined by: tensorflow/core/kernels/scan_ops.cc.
    Cumsum "FlexCumsum" = Member { kind: Kind::Sum };

    /// CumulativeLogsumexp: cumulative logarithms of sums of exponentials along an axis. Reals.
    /// Defined by: tensorflow/core/kernels/scan_ops.cc.
    CumulativeLogsumexp "FlexCumulativeLogsumexp" = Member { kind: Kind::LogSumExp };
}

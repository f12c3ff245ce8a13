//! Running results along an axis.

use crate::family;
use crate::kit::kernel::Framed;
use crate::kit::scan::{Kind, Member, Scan};

family! { Framed<Scan>:
    /// Cumprod: running products along an axis. Reals, integers, complex numbers.
    /// Defined by: tensorflow/core/kernels/scan_ops.cc.
    Cumprod "FlexCumprod" = Member { kind: Kind::Product };

    /// Cumsum: running sums along an axis. Reals, integers, complex numbers.
    /// Defined by: tensorflow/core/kernels/scan_ops.cc.
    Cumsum "FlexCumsum" = Member { kind: Kind::Sum };

    /// CumulativeLogsumexp: running logarithms of sums of exponentials along an axis. Reals.
    /// Defined by: tensorflow/core/kernels/scan_ops.cc.
    CumulativeLogsumexp "FlexCumulativeLogsumexp" = Member { kind: Kind::LogSumExp };
}

#[cfg(test)]
mod tests;

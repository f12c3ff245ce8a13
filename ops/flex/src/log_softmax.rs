//! LogSoftmax: the logarithm of the softmax along the last axis. Reals.
//! Defined by: tensorflow/core/kernels/softmax_op.cc.

use crate::kit::kernel::Node;
use crate::kit::rows::{Member, RowChange, log_softmax};

/// The `FlexLogSoftmax` op.
pub type LogSoftmax = Node<RowChange<Definition>>;

/// Shape function and kernel of `FlexLogSoftmax`.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexLogSoftmax";

    fn change(row: &mut [f64]) {
        log_softmax(row);
    }
}

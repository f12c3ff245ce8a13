//! Softmax: `e^x / Σ e^x` along the last axis. Reals.
//! Defined by: tensorflow/core/kernels/softmax_op.cc.

use crate::kit::kernel::Node;
use crate::kit::rows::{Member, RowChange, log_softmax};

/// The `FlexSoftmax` op.
pub type Softmax = Node<RowChange<Definition>>;

/// Shape function and kernel of `FlexSoftmax`.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexSoftmax";

    fn change(row: &mut [f64]) {
        log_softmax(row);
        row.iter_mut().for_each(|x| *x = libm::exp(*x));
    }
}

//! SplitV: splits the input into parts of given sizes along an axis. Any type. Inputs: tensor, sizes (one may be −1),
//! axis.
//! Defined by: tensorflow/core/kernels/split_v_op.cc.

use crate::kit::kernel::Node;
use crate::kit::split::{Member, Split};

/// The `FlexSplitV` op.
pub type SplitV = Node<Split<Definition>>;

/// Shape function and kernel of `FlexSplitV`.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexSplitV";
    const SIZES: bool = true;
}

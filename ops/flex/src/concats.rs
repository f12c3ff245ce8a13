//! Inputs joined along an axis.

use crate::family;
use crate::kit::concat::{self, Member};
use crate::kit::kernel::Framed;

family! { Framed<concat::Concat>:
    /// Concat: inputs joined along an axis, which is the first input. Any type.
    /// Defined by: tensorflow/core/kernels/concat_op.cc.
    Concat "FlexConcat" = Member { axis_first: true };

    /// ConcatV2: inputs joined along an axis, which is the last input. Any type.
    /// Defined by: tensorflow/core/kernels/concat_op.cc.
    ConcatV2 "FlexConcatV2" = Member { axis_first: false };
}

#[cfg(test)]
mod tests;

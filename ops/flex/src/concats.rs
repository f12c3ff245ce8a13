//! Concatenation along an axis.

use crate::family;
use crate::kit::concat::{self, Member};
use crate::kit::kernel::FamilyNode;

family! { FamilyNode<concat::Concat>:
    /// Concat: joins the inputs along an axis, which the first input names. Any type.
    /// Defined by: tensorflow/core/kernels/concat_op.cc.
    Concat "FlexConcat" = Member { axis_first: true };

    /// ConcatV2: joins the inputs along an axis, which the last input names. Any type.
    /// Defined by: tensorflow/core/kernels/concat_op.cc.
    ConcatV2 "FlexConcatV2" = Member { axis_first: false };
}

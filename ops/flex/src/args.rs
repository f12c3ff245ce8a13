//! ArgMax and ArgMin.

use arenite_abi::prelude::*;

use crate::family;
use crate::kit::arg::{self, Member};
use crate::kit::kernel::FamilyNode;

family! { FamilyNode<arg::Arg>:
    /// ArgMax: the index of the first largest element along an axis. Reals, integers, BOOL to I16, U16, I32, I64.
    /// Defined by: tensorflow/core/kernels/argmax_op.cc.
    ArgMax "FlexArgMax" = Member { largest: true, outputs: &[I16, U16, I32, I64] };

    /// ArgMin: the index of the first smallest element along an axis. Reals, integers, BOOL to I32, I64.
    /// Defined by: tensorflow/core/kernels/argmax_op.cc.
    ArgMin "FlexArgMin" = Member { largest: false, outputs: &[I32, I64] };
}

//! Gathering slices by indices.

use crate::family;
use crate::kit::gather::{self, Member};
use crate::kit::kernel::FamilyNode;

family! { FamilyNode<gather::Gather>:
    /// Gather: gathers slices along axis 0. Any type.
    /// Defined by: tensorflow/core/kernels/gather_op.cc.
    Gather "FlexGather" = Member { axis: false };

    /// GatherV2: gathers slices along an axis. Any type.
    /// Defined by: tensorflow/core/kernels/gather_op.cc.
    GatherV2 "FlexGatherV2" = Member { axis: true };
}

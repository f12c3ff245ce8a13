//! The distinct elements of a list, or the distinct slices of a tensor.

use crate::family;
use crate::kit::kernel::FamilyNode;
use crate::kit::unique::{self, Member};

family! { FamilyNode<unique::Unique>:
    /// Unique: the distinct elements of a list, and the position of each element among them. Any type.
    /// Defined by: tensorflow/core/kernels/unique_op.cc.
    Unique "FlexUnique" = Member { counts: false, axis: false };

    /// UniqueV2: the distinct slices along an axis, and the position of each slice among them. Any type.
    /// Defined by: tensorflow/core/kernels/unique_op.cc.
    UniqueV2 "FlexUniqueV2" = Member { counts: false, axis: true };

    /// UniqueWithCounts: the distinct elements of a list, the position of each element among them, and how often each
    /// occurs. Any type.
    /// Defined by: tensorflow/core/kernels/unique_op.cc.
    UniqueWithCounts "FlexUniqueWithCounts" = Member { counts: true, axis: false };

    /// UniqueWithCountsV2: the distinct slices along an axis, the position of each slice among them, and how often each
    /// occurs. Any type.
    /// Defined by: tensorflow/core/kernels/unique_op.cc.
    UniqueWithCountsV2 "FlexUniqueWithCountsV2" = Member { counts: true, axis: true };
}

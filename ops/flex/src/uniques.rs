//! The different elements of a list, the different slices of a tensor.

use crate::family;
use crate::kit::kernel::Framed;
use crate::kit::unique::{self, Member};

family! { Framed<unique::Unique>:
    /// Unique: the different elements of a list, where each went. Any type.
    /// Defined by: tensorflow/core/kernels/unique_op.cc.
    Unique "FlexUnique" = Member { counts: false, axis: false };

    /// UniqueV2: the different slices along an axis, where each went. Any type.
    /// Defined by: tensorflow/core/kernels/unique_op.cc.
    UniqueV2 "FlexUniqueV2" = Member { counts: false, axis: true };

    /// UniqueWithCounts: the different elements of a list, where each went, and how often each came. Any type.
    /// Defined by: tensorflow/core/kernels/unique_op.cc.
    UniqueWithCounts "FlexUniqueWithCounts" = Member { counts: true, axis: false };

    /// UniqueWithCountsV2: the different slices along an axis, where each went, and how often each came. Any
    /// type.
    /// Defined by: tensorflow/core/kernels/unique_op.cc.
    UniqueWithCountsV2 "FlexUniqueWithCountsV2" = Member { counts: true, axis: true };
}

#[cfg(test)]
mod tests;

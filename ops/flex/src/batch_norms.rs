//! Batch normalization.

use arenite_abi::prelude::*;

use crate::family;
use crate::kit::batch_norm::{self, Member};
use crate::kit::kernel::FamilyNode;

family! { FamilyNode<batch_norm::BatchNorm>:
    /// FusedBatchNorm: each channel normalized, scaled and shifted. F32.
    /// Defined by: tensorflow/core/kernels/fused_batch_norm_op.cc.
    FusedBatchNorm "FlexFusedBatchNorm" = Member { outputs: 5, types: &[F32] };

    /// FusedBatchNormV2: each channel normalized, scaled and shifted. F16, BF16, F32.
    /// Defined by: tensorflow/core/kernels/fused_batch_norm_op.cc.
    FusedBatchNormV2 "FlexFusedBatchNormV2" = Member { outputs: 5, types: &[F16, BF16, F32] };

    /// FusedBatchNormV3: each channel normalized, scaled and shifted. F16, BF16, F32.
    /// Defined by: tensorflow/core/kernels/fused_batch_norm_op.cc.
    FusedBatchNormV3 "FlexFusedBatchNormV3" = Member { outputs: 6, types: &[F16, BF16, F32] };
}

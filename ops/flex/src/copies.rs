//! Ops that copy their input.

use crate::family;
use crate::kit::kernel::FamilyNode;
use crate::kit::same::CopyProgram;

family! { FamilyNode<CopyProgram>:
    /// DeepCopy: copies the input. Any type.
    /// Defined by: tensorflow/core/kernels/inplace_ops.cc.
    DeepCopy "FlexDeepCopy" = ();

    /// Identity: copies the input. Any type.
    /// Defined by: tensorflow/core/kernels/identity_op.cc.
    Identity "FlexIdentity" = ();

    /// PlaceholderWithDefault: copies the input. Any type.
    /// Defined by: tensorflow/core/kernels/identity_op.cc.
    PlaceholderWithDefault "FlexPlaceholderWithDefault" = ();

    /// PreventGradient: copies the input. Any type.
    /// Defined by: tensorflow/core/kernels/identity_op.cc.
    PreventGradient "FlexPreventGradient" = ();

    /// Snapshot: copies the input. Any type.
    /// Defined by: tensorflow/core/kernels/snapshot_op.cc.
    Snapshot "FlexSnapshot" = ();

    /// StopGradient: copies the input. Any type.
    /// Defined by: tensorflow/core/kernels/identity_op.cc.
    StopGradient "FlexStopGradient" = ();
}

//! Padding ops.

use crate::family;
use crate::kit::kernel::FamilyNode;
use crate::kit::pad::{self, Kind, Member};

family! { FamilyNode<pad::Pad>:
    /// MirrorPad: pads with mirror images of the input. Any type.
    /// Defined by: tensorflow/core/kernels/mirror_pad_op.cc.
    MirrorPad "FlexMirrorPad" = Member { kind: Kind::Mirror };

    /// Pad: pads with zeros. Any type.
    /// Defined by: tensorflow/core/kernels/pad_op.cc.
    Pad "FlexPad" = Member { kind: Kind::Zeros };

    /// PadV2: pads with a given value. Any type.
    /// Defined by: tensorflow/core/kernels/pad_op.cc.
    PadV2 "FlexPadV2" = Member { kind: Kind::Value };
}

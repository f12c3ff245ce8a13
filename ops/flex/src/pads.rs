//! The input in a larger tensor.

use crate::family;
use crate::kit::kernel::Framed;
use crate::kit::pad::{self, Kind, Member};

family! { Framed<pad::Pad>:
    /// MirrorPad: the input in a larger tensor of its mirror images. Any type.
    /// Defined by: tensorflow/core/kernels/mirror_pad_op.cc.
    MirrorPad "FlexMirrorPad" = Member { kind: Kind::Mirror };

    /// Pad: the input in a larger tensor of zeros. Any type.
    /// Defined by: tensorflow/core/kernels/pad_op.cc.
    Pad "FlexPad" = Member { kind: Kind::Zeros };

    /// PadV2: the input in a larger tensor of one value. Any type.
    /// Defined by: tensorflow/core/kernels/pad_op.cc.
    PadV2 "FlexPadV2" = Member { kind: Kind::Value };
}

#[cfg(test)]
mod tests;

//! Rounding to the values that a quantized type can represent, with limits that are inputs.

use crate::family;
use crate::kit::fake_quant::{FakeQuant, Member};
use crate::kit::kernel::FamilyNode;

family! { FamilyNode<FakeQuant>:
    /// FakeQuantWithMinMaxVars: rounds to the values between two limits. F32. Inputs: x, minimum, maximum.
    /// Defined by: tensorflow/core/kernels/fake_quant_ops.cc.
    FakeQuantWithMinMaxVars "FlexFakeQuantWithMinMaxVars" = Member { per_channel: false };

    /// FakeQuantWithMinMaxVarsPerChannel: rounds to the values between the limits of each channel. F32. Inputs: x,
    /// minima, maxima.
    /// Defined by: tensorflow/core/kernels/fake_quant_ops.cc.
    FakeQuantWithMinMaxVarsPerChannel "FlexFakeQuantWithMinMaxVarsPerChannel" = Member { per_channel: true };
}

//! Adding a bias per channel.

use crate::family;
use crate::kit::bias::{self, Member};
use crate::kit::kernel::FamilyNode;

family! { FamilyNode<bias::Bias>:
    /// BiasAdd: adds one number per channel. Numbers. Inputs: x, bias.
    /// Defined by: tensorflow/core/kernels/bias_op.cc.
    BiasAdd "FlexBiasAdd" = Member { has_format: true };

    /// BiasAddV1: adds one number per channel; channels are the last axis. Numbers. Inputs: x, bias.
    /// Defined by: tensorflow/core/kernels/bias_op.cc.
    BiasAddV1 "FlexBiasAddV1" = Member { has_format: false };
}

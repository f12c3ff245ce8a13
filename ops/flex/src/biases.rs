//! A number per channel added.

use crate::family;
use crate::kit::bias::{self, Member};
use crate::kit::kernel::Framed;

family! { Framed<bias::Bias>:
    /// BiasAdd: a number per channel added. Numbers. Inputs: x, bias.
    /// Defined by: tensorflow/core/kernels/bias_op.cc.
    BiasAdd "FlexBiasAdd" = Member { has_format: true };

    /// BiasAddV1: a number per channel added, which is the last axis. Numbers. Inputs: x, bias.
    /// Defined by: tensorflow/core/kernels/bias_op.cc.
    BiasAddV1 "FlexBiasAddV1" = Member { has_format: false };
}

#[cfg(test)]
mod tests;

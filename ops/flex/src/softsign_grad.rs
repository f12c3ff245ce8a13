//! SoftsignGrad: `dx = dy / (1 + |x|)²`; inputs `dy`, `x`. Inputs broadcast. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/softsign_op.cc.

use crate::kit::binary::{Function, Functions, Binary};

/// The op.
pub type SoftsignGrad = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexSoftsignGrad";
    const FUNCTIONS: Functions = Functions {
        float: Some(|dy, x| dy / ((1.0 + x.abs()) * (1.0 + x.abs()))),
        ..Functions::NONE
    };
}

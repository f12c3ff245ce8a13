//! Sign: `y = x / |x|`, zeros as they are. Reals, integers, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_sign.cc.

use crate::kit::{complex, functions};
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Sign = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexSign";
    const FUNCTIONS: Functions = Functions {
        float: Some(functions::sign),
        int: Some(|x| x.signum()),
        complex: Some(|x| {
            let size = complex::abs(x);
            if size == 0.0 { x } else { complex::complex(x.re / size, x.im / size) }
        }),
        ..Functions::NONE
    };
}

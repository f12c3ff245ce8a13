//! What kernels do with their results before they write them.

use arenite_abi::prelude::*;
use arenite_layers::{Clamp, EpilogueOp};

use crate::builder::{Buffer, Builder};
use crate::device::Function;
use crate::layout::Layout;

/// Functions of results, and what they read.
pub struct Epilogue {
    /// In order.
    pub functions: Vec<Function>,
    /// Their operands.
    pub buffers: Vec<Buffer>,
}

/// Of a layer whose results lie so.
pub fn epilogue(
    builder: &mut Builder<'_, '_>,
    clamp: Clamp,
    layer: &[EpilogueOp],
    layout: Layout,
) -> Result<Epilogue> {
    let (mut functions, mut buffers) = (Vec::new(), Vec::new());
    if clamp != Clamp::NONE {
        functions.push(Function::Clamp(clamp));
    }
    for function in layer {
        functions.push(match *function {
            EpilogueOp::Clamp(clamp) => Function::Clamp(clamp),
            EpilogueOp::Unary(function) => Function::Unary(function),
            EpilogueOp::Scalar(function, number) => Function::Scalar(function, number),
            EpilogueOp::Binary(function, id) => {
                buffers.push(builder.view(id, layout)?.buffer);
                Function::Binary(function)
            }
            EpilogueOp::Row(function, id, channels) => {
                buffers.push(builder.view(id, Layout { rows: 1, channels })?.buffer);
                Function::Row(function)
            }
        });
    }
    Ok(Epilogue { functions, buffers })
}

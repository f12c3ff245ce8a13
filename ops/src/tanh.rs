//! TANH. f32, f16, bf16; i8, u8, i16 quantized. May run in place.
//! Defined by: tflite/kernels/activations.cc.

use arenite_abi::prelude::*;

use crate::kit::{float, lut, sigmoid::Sigmoid};

/// Prepared node.
pub struct Tanh(Sigmoid);

impl Op for Tanh {
    const CODE: OpCode = OpCode::Builtin(28);
    const VERSIONS: RangeInclusive<i32> = 1..=3;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, F16, BF16, I8, U8, I16]);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        Sigmoid::prepare(node, cx, float::tanh, 1).map(Tanh)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        self.0.eval(cx, float::tanh, lut::tanh_i16)
    }
}

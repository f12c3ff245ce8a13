//! LOGISTIC: `y = 1 / (1 + e^-x)`. f32, f16, bf16; i8, u8, i16 quantized. May run in place.
//! Defined by: tflite/kernels/activations.cc.

use arenite_abi::prelude::*;

use crate::kit::{float, lut, node, sigmoid::Sigmoid};

/// Prepared node.
pub struct Logistic(Sigmoid);

impl Op for Logistic {
    const CODE: OpCode = OpCode::Builtin(14);
    const VERSIONS: RangeInclusive<i32> = 1..=3;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, F16, BF16, I8, U8, I16]);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (_, y) = node.unary()?;
        if matches!(y.ty, I8 | U8) {
            let scale = node::quant(&y)?.scale;
            ensure!(scale == 1.0 / 256.0, "output '{}' is {} with scale {scale}; it must be 1/256", y.name, y.ty);
        }
        Sigmoid::prepare(node, cx, |x| 1.0 / (1.0 + float::exp(-x)), 0).map(Logistic)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        self.0.eval(cx, float::logistic, lut::logistic_i16)
    }
}

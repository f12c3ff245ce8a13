//! RELU_N1_TO_1: `y = clamp(x, -1, 1)`. f32; i8, u8 quantized. May run in place.
//! Defined by: tflite/kernels/activations.cc.

use arenite_abi::prelude::*;

use crate::kit::activation::Limits;
use crate::kit::relu::Clamp;

/// Prepared node.
pub struct ReluN1To1(Clamp);

impl Op for ReluN1To1 {
    const CODE: OpCode = OpCode::Builtin(20);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I8, U8]);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        Clamp::prepare(node, cx, Limits { min: -1.0, max: 1.0 }).map(ReluN1To1)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        self.0.eval(cx)
    }
}

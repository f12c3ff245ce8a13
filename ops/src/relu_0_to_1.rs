//! RELU_0_TO_1: `y = clamp(x, 0, 1)`. f32; i8, u8 quantized. May run in place.
//! Defined by: tflite/kernels/activations.cc.

use arenite_abi::prelude::*;

use crate::kit::activation::Limits;
use crate::kit::relu::Clamp;

/// Prepared node.
pub struct Relu0To1(Clamp);

impl Op for Relu0To1 {
    const CODE: OpCode = OpCode::Builtin(152);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I8, U8]);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        Clamp::prepare(node, cx, Limits { min: 0.0, max: 1.0 }).map(Relu0To1)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        self.0.eval(cx)
    }
}

//! RELU: `y = max(x, 0)`. f32; i8, u8, i16 quantized. May run in place.
//! Defined by: tflite/kernels/activations.cc.

use arenite_abi::prelude::*;

use crate::kit::activation::Limits;
use crate::kit::relu::Clamp;

/// Prepared node.
pub struct Relu(Clamp);

impl Op for Relu {
    const CODE: OpCode = OpCode::Builtin(19);
    const VERSIONS: RangeInclusive<i32> = 1..=3;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I8, U8, I16]);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        Clamp::prepare(node, cx, Limits { min: 0.0, max: f32::INFINITY }).map(Relu)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        self.0.eval(cx)
    }
}

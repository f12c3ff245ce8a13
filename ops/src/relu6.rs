//! RELU6: `y = clamp(x, 0, 6)`. f32; i8, u8, i16 quantized. May run in place.
//! Defined by: tflite/kernels/activations.cc.

use arenite_abi::prelude::*;

use crate::kit::activation::Limits;
use crate::kit::relu::Clamp;

/// Prepared node.
pub struct Relu6(Clamp);

impl Op for Relu6 {
    const CODE: OpCode = OpCode::Builtin(21);
    const VERSIONS: RangeInclusive<i32> = 1..=3;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I8, U8, I16]);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        Clamp::prepare(node, cx, Limits { min: 0.0, max: 6.0 }).map(Relu6)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        self.0.eval(cx)
    }
}

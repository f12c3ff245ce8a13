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

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    #[test]
    fn values() {
        let test = |x: Tensor, y: Spec| OpTest::<Relu0To1>::new().input(x).output(y).in_place().run().unwrap();
        let x = Tensor::f32(&[2, 3], &[-7.5, -0.5, 0.0, 0.5, 3.0, 7.5]);
        assert_eq!(test(x, Spec::f32())[0].as_f32(), [0.0, 0.0, 0.0, 0.5, 1.0, 1.0]);
        // Steps of 0.5 from -10 become steps of 0.25 from 4.
        let x = Tensor::i8(&[5], &[-25, -11, -10, -9, 20]).quantized(0.5, -10);
        assert_eq!(test(x, Spec::i8(0.25, 4))[0].as_i8(), [4, 4, 4, 6, 8]);
        let x = Tensor::u8(&[3], &[0, 100, 101]).quantized(0.5, 100);
        assert_eq!(test(x, Spec::u8(1.0, 7))[0].as_u8(), [7, 7, 8]);
    }

    #[test]
    fn refusals() {
        let x = Tensor::f32(&[1], &[0.0]);
        let error = OpTest::<Relu0To1>::new().input(x.clone()).output(Spec::i8(1.0, 0)).run().unwrap_err();
        assert_eq!(error.message(), "input 'in0' is FLOAT32, output 'out0' is INT8; they must agree");
        let error = OpTest::<Relu0To1>::new().input(x.clone()).input(x).output(Spec::f32()).run().unwrap_err();
        assert_eq!(error.message(), "it has 2 inputs, this op takes 1 to 1");
        let x = Tensor::i8(&[1], &[0]).quantized(1.0, 0);
        let error = OpTest::<Relu0To1>::new().input(x).output(Spec::i8(0.0, 0)).run().unwrap_err();
        assert_eq!(
            error.message(),
            "the scales of 'in0' and 'out0' give the factor inf; scales must be above zero"
        );
    }
}

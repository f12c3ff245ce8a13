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

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    #[test]
    fn values() {
        let test = |x: Tensor, y: Spec| OpTest::<Relu>::new().input(x).output(y).in_place().run().unwrap();
        let x = Tensor::f32(&[2, 3], &[-7.5, -0.5, 0.0, 0.5, 3.0, 7.5]);
        assert_eq!(test(x, Spec::f32())[0].as_f32(), [0.0, 0.0, 0.0, 0.5, 3.0, 7.5]);
        // Steps of 0.5 from -10 become steps of 0.25 from 4.
        let x = Tensor::i8(&[5], &[-25, -11, -10, -9, 20]).quantized(0.5, -10);
        assert_eq!(test(x, Spec::i8(0.25, 4))[0].as_i8(), [4, 4, 4, 6, 64]);
        let x = Tensor::u8(&[3], &[0, 100, 101]).quantized(0.5, 100);
        assert_eq!(test(x, Spec::u8(1.0, 7))[0].as_u8(), [7, 7, 8]);
    }

    #[test]
    fn words() {
        let test = |zero| {
            let x = Tensor::i16(&[2], &[-8, 8]).quantized(0.5, zero);
            OpTest::<Relu>::new().input(x).output(Spec::i16(0.25, 0)).run()
        };
        assert_eq!(test(0).unwrap()[0].as_i16(), [0, 16]);
        let error = test(1).unwrap_err();
        assert_eq!(error.message(), "'in0' is INT16 with zero point 1; it must be 0");
    }

    #[test]
    fn refusals() {
        let x = Tensor::f32(&[1], &[0.0]);
        let error = OpTest::<Relu>::new().input(x.clone()).output(Spec::i8(1.0, 0)).run().unwrap_err();
        assert_eq!(error.message(), "input 'in0' is FLOAT32, output 'out0' is INT8; they must agree");
        let error = OpTest::<Relu>::new().input(x.clone()).input(x).output(Spec::f32()).run().unwrap_err();
        assert_eq!(error.message(), "it has 2 inputs, this op takes 1 to 1");
        let x = Tensor::i8(&[1], &[0]).quantized(1.0, 0);
        let error = OpTest::<Relu>::new().input(x).output(Spec::i8(0.0, 0)).run().unwrap_err();
        assert_eq!(
            error.message(),
            "the scales of 'in0' and 'out0' give the factor inf; scales must be above zero"
        );
    }
}

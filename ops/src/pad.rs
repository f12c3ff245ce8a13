//! PAD: pads the input with zeros (or with the zero point, if it is quantized). f32, f16, bf16; i8, u8, i16, quantized
//! or not; i32, i64, bool and other whole elements.
//! Defined by: tflite/kernels/pad.cc.

use arenite_abi::prelude::*;

use crate::kit::pad::ConstantPad;

plain! {
    /// A prepared `PAD` node.
    pub struct Pad(ConstantPad);
}

impl Op for Pad {
    const CODE: OpCode = OpCode::Builtin(op::PAD);
    const VERSIONS: RangeInclusive<i32> = 1..=6;
    const SHARING: Sharing = Sharing::Behind;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        ConstantPad::prepare(node, cx).map(Pad)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        self.0.eval(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::assert_same;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn node(x: Tensor, y: Spec) -> OpTest<Pad> {
        OpTest::<Pad>::new().input(x).output(y)
    }

    fn run(x: Tensor, y: Spec, paddings: &[i8]) -> Result<Tensor> {
        let shape = [paddings.len() as i32 / 2, 2];
        let long: Vec<i64> = paddings.iter().map(|&p| p.into()).collect();
        let known = node(x.clone(), y.clone()).constant(Tensor::i8(&shape, paddings)).run();
        assert_same(&known, &node(x, y).input(Tensor::i64(&shape, &long)).run());
        known.map(|mut y| y.remove(0))
    }

    #[test]
    fn paddings() {
        let y = run(Tensor::f32(&[1, 2], &[1.0, 2.0]), Spec::f32(), &[1, 0, 0, 2]).unwrap();
        assert_eq!((y.shape(), y.as_f32()), (&[2, 4][..], vec![0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 0.0, 0.0]));
        let y = run(Tensor::i8(&[2], &[5, 6]).quantized(0.5, -7), Spec::i8(0.5, -7), &[1, 1]).unwrap();
        assert_eq!(y.as_i8(), [-7, 5, 6, -7]);
        let y = run(Tensor::i16(&[1], &[5]).quantized(0.5, 300), Spec::i16(0.5, 300), &[1, 1]).unwrap();
        assert_eq!(y.as_i16(), [300, 5, 300]);
        // TFLite uses the zero point of a u8 output even if the input has none, but not for other types.
        let y = run(Tensor::u8(&[1], &[5]), Spec::u8(0.5, 9), &[0, 1]).unwrap();
        assert_eq!(y.as_u8(), [5, 9]);
        assert_eq!(run(Tensor::i8(&[1], &[5]), Spec::i8(0.5, 9), &[0, 1]).unwrap().as_i8(), [5, 0]);
        assert_eq!(run(Tensor::bool(&[1], &[true]), Spec::bool(), &[1, 0]).unwrap().as_bool(), [false, true]);
        assert_eq!(run(Tensor::i32(&[0], &[]), Spec::i32(), &[1, 2]).unwrap().as_i32(), [0, 0, 0]);
        let y = run(Tensor::i64(&[1, 0], &[]), Spec::i64(), &[0, 1, 0, 0]).unwrap();
        assert_eq!(y.shape(), [2, 0]);
        assert_eq!(run(Tensor::i64(&[], &[3]), Spec::i64(), &[]).unwrap().as_i64(), [3]);
        let deep =
            run(Tensor::u16(&[1; 8], &[3]), Spec::of(U16), &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0]);
        assert_eq!(deep.unwrap().as_u16(), [0, 3]);
        let bits = node(Tensor::i32(&[1], &[7]), Spec::i32()).constant(Tensor::bool(&[1, 2], &[true, false]));
        assert_eq!(bits.run().unwrap()[0].as_i32(), [0, 7]);
    }

    #[test]
    fn an_explicit_padding_value() {
        let test = |value: Tensor| {
            let x = Tensor::u8(&[1], &[5]).quantized(0.5, 9);
            node(x, Spec::u8(0.5, 9)).constant(Tensor::i32(&[1, 2], &[1, 1])).input(value).run()
        };
        assert_eq!(test(Tensor::u8(&[], &[3]).quantized(0.5, 9)).unwrap()[0].as_u8(), [3, 5, 3]);
        assert_eq!(
            test(Tensor::u8(&[], &[3]).quantized(0.5, 8)).unwrap_err().message(),
            "'in2' has scale 0.5 and zero point 8, 'out0' has 0.5 and 9; they must agree"
        );
        assert_eq!(
            test(Tensor::i8(&[2], &[3, 3])).unwrap_err().message(),
            "the value 'in2' is INT8 [2]; it must be one UINT8"
        );
    }
}

//! PADV2: pads the input with a given value. f32, f16, bf16; i8, u8, i16, quantized or not; i32, i64, bool and other
//! whole elements.
//! Defined by: tflite/kernels/pad.cc.

use arenite_abi::prelude::*;

use crate::kit::pad::ConstantPad;

plain! {
    /// A prepared `PADV2` node.
    pub struct PadV2(ConstantPad);
}

impl Op for PadV2 {
    const CODE: OpCode = OpCode::Builtin(op::PADV2);
    const VERSIONS: RangeInclusive<i32> = 1..=6;
    const SHARING: Sharing = Sharing::Behind;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        ConstantPad::prepare(node, cx).map(PadV2)
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

    fn run(x: Tensor, paddings: &[i32], value: Tensor) -> Result<Tensor> {
        let shape = [paddings.len() as i32 / 2, 2];
        let test = OpTest::<PadV2>::new().input(x.clone()).output(Spec::of(x.ty()));
        let list = Tensor::i32(&shape, paddings);
        let known = test.clone().constant(list.clone()).constant(value.clone()).run();
        assert_same(&known, &test.input(list).input(value).run());
        known.map(|mut y| y.remove(0))
    }

    #[test]
    fn the_value_pads_the_input() {
        let y = run(Tensor::f32(&[1, 2], &[1.0, 2.0]), &[1, 0, 0, 1], Tensor::f32(&[], &[-0.5])).unwrap();
        assert_eq!((y.shape(), y.as_f32()), (&[2, 3][..], vec![-0.5, -0.5, -0.5, 1.0, 2.0, -0.5]));
        let y = run(Tensor::i64(&[1], &[7]), &[1, 1], Tensor::i64(&[1], &[i64::MIN])).unwrap();
        assert_eq!(y.as_i64(), [i64::MIN, 7, i64::MIN]);
        let y = run(Tensor::bool(&[1], &[false]), &[2, 0], Tensor::bool(&[], &[true])).unwrap();
        assert_eq!(y.as_bool(), [true, true, false]);
        let y = run(Tensor::i16(&[0], &[]), &[1, 1], Tensor::i16(&[1, 1], &[3])).unwrap();
        assert_eq!(y.as_i16(), [3, 3]);
    }

    #[test]
    fn a_quantized_value_must_have_the_output_scale() {
        let test = |scale| {
            let x = Tensor::i8(&[1], &[5]).quantized(0.5, 1);
            let test = OpTest::<PadV2>::new().input(x).constant(Tensor::i32(&[1, 2], &[1, 0]));
            test.input(Tensor::i8(&[], &[9]).quantized(scale, 1)).output(Spec::i8(0.5, 1)).run()
        };
        assert_eq!(test(0.5).unwrap()[0].as_i8(), [9, 5]);
        assert_eq!(
            test(0.25).unwrap_err().message(),
            "'in2' has scale 0.25 and zero point 1, 'out0' has 0.5 and 1; they must agree"
        );
    }

    #[test]
    fn without_a_value_it_pads_with_zeros() {
        let test =
            OpTest::<PadV2>::new().input(Tensor::i32(&[1], &[5])).constant(Tensor::i32(&[1, 2], &[1, 0]));
        assert_eq!(test.output(Spec::i32()).run().unwrap()[0].as_i32(), [0, 5]);
    }
}

//! TANH. f32, f16, bf16; i8, u8, i16 quantized. Supports in-place operation.
//! Defined by: tflite/kernels/activations.cc.

use arenite_abi::prelude::*;

use crate::kit::{
    fixed_point_i16, float, lut,
    sigmoid::{Functions, Sigmoid},
    single,
};

plain! {
    /// A prepared `TANH` node.
    pub struct Tanh(Sigmoid);
}

const FUNCTIONS: Functions =
    Functions { real: single::tanh, interpolated: lut::tanh_i16, fixed: fixed_point_i16::tanh };

impl Op for Tanh {
    const CODE: OpCode = OpCode::Builtin(op::TANH);
    const VERSIONS: RangeInclusive<i32> = 1..=3;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, F16, BF16, I8, U8, I16]);
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        Sigmoid::prepare(node, cx, float::tanh, 1).map(Tanh)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        self.0.eval(cx, &FUNCTIONS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn case(x: Tensor, y: Spec) -> OpTest<Tanh> {
        OpTest::new().input(x).output(y)
    }

    #[test]
    fn values() {
        let x = Tensor::f32(&[3], &[-100.0, 0.0, 1.0]);
        assert_eq!(case(x, Spec::f32()).in_place().run().unwrap()[0].as_f32(), [-1.0, 0.0, 0.761_594_2]);
        let one = half::bf16::ONE;
        let y = case(Tensor::bf16(&[1], &[one]), Spec::of(BF16)).run().unwrap();
        assert_eq!(y[0].as_bf16(), [half::bf16::from_f32(0.761_594_2)]);
        // 0.7616 × 128 = 97.5.
        let x = Tensor::i8(&[3], &[-128, 0, 16]).quantized(0.0625, 0);
        assert_eq!(case(x, Spec::i8(1.0 / 128.0, 0)).run().unwrap()[0].as_i8(), [-128, 0, 97]);
        let x = Tensor::u8(&[2], &[128, 144]).quantized(0.0625, 128);
        assert_eq!(case(x, Spec::u8(1.0 / 128.0, 128)).run().unwrap()[0].as_u8(), [128, 225]);
    }

    #[test]
    fn sixteen_bit_results_stay_near_the_formula() {
        for scale in [1.0 / 4096.0, 1.0 / 2048.0, 0.0003f32] {
            let q: Vec<i16> = (i16::MIN..=i16::MAX).step_by(97).collect();
            let x = Tensor::i16(&[q.len() as i32], &q).quantized(scale, 0);
            let y = case(x, Spec::i16(1.0 / 32768.0, 0)).run().unwrap()[0].as_i16();
            for (q, y) in q.iter().zip(y) {
                let real = 32768.0 * (f64::from(*q) * f64::from(scale)).tanh();
                assert!((f64::from(y) - real).abs() <= 24.0, "{q} at {scale}: {y}, not {real}");
            }
        }
    }
}

//! LOGISTIC: `y = 1 / (1 + e^-x)`. f32, f16, bf16; i8, u8, i16 quantized. Supports in-place operation.
//! Defined by: tflite/kernels/activations.cc.

use arenite_abi::prelude::*;

use crate::kit::{
    fixed_point_i16, float, lut, node,
    sigmoid::{Functions, Sigmoid},
    single,
};

plain! {
    /// A prepared `LOGISTIC` node.
    pub struct Logistic(Sigmoid);
}

const FUNCTIONS: Functions =
    Functions { real: single::logistic, interpolated: lut::logistic_i16, fixed: fixed_point_i16::logistic };

impl Op for Logistic {
    const CODE: OpCode = OpCode::Builtin(op::LOGISTIC);
    const VERSIONS: RangeInclusive<i32> = 1..=3;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, F16, BF16, I8, U8, I16]);
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (_, y) = node.unary()?;
        if matches!(y.ty, I8 | U8) {
            let scale = node::quant(&y)?.scale;
            ensure!(scale == 1.0 / 256.0, "output {y} is {} with scale {scale}; it must be 1/256", y.ty);
        }
        Sigmoid::prepare(node, cx, |x| 1.0 / (1.0 + float::exp(-x)), 0).map(Logistic)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        self.0.eval(cx, &FUNCTIONS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn case(x: Tensor, y: Spec) -> OpTest<Logistic> {
        OpTest::new().input(x).output(y)
    }

    #[test]
    fn values() {
        let x = Tensor::f32(&[4], &[-100.0, 0.0, 1.0, 100.0]);
        let y = case(x, Spec::f32()).in_place().run().unwrap()[0].as_f32();
        assert_eq!(y[1..], [0.5, 0.731_058_6, 1.0]);
        assert!(y[0] > 0.0 && y[0] < 1e-40);
        let y = case(Tensor::f16(&[1], &[half::f16::ONE]), Spec::of(F16)).run().unwrap();
        assert_eq!(y[0].as_f16(), [half::f16::from_f32(0.731_058_6)]);
        // 0.7311 × 256 = 187.2.
        let x = Tensor::u8(&[3], &[0, 128, 144]).quantized(0.0625, 128);
        assert_eq!(case(x, Spec::u8(1.0 / 256.0, 0)).run().unwrap()[0].as_u8(), [0, 128, 187]);
        let x = Tensor::i8(&[2], &[0, 16]).quantized(0.0625, 0);
        assert_eq!(case(x, Spec::i8(1.0 / 256.0, -128)).run().unwrap()[0].as_i8(), [0, 59]);
    }

    #[test]
    fn sixteen_bit_results_stay_near_the_formula() {
        for scale in [1.0 / 4096.0, 0.0003f32] {
            let q: Vec<i16> = (i16::MIN..=i16::MAX).step_by(97).collect();
            let x = Tensor::i16(&[q.len() as i32], &q).quantized(scale, 0);
            let y = case(x, Spec::i16(1.0 / 32768.0, 0)).run().unwrap()[0].as_i16();
            for (q, y) in q.iter().zip(y) {
                let real = 32768.0 / (1.0 + (-f64::from(*q) * f64::from(scale)).exp());
                assert!((f64::from(y) - real).abs() <= 24.0, "{q} at {scale}: {y}, not {real}");
            }
        }
    }
}

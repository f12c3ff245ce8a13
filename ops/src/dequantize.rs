//! DEQUANTIZE: `y = scale × (q - zero_point)`, per tensor or per channel. i2, i4, u4, i8, u8, i16; f16 to f32.
//! Defined by: tflite/kernels/dequantize.{cc,h}, internal/optimized/optimized_ops.h (`Dequantize`). With a single
//! scale, the latter computes groups of eight elements as `scale × q + (−zero_point × scale)`.

use arenite_abi::prelude::*;
use half::f16;

use crate::kit::channel_quant::ChannelQuant;
use crate::kit::packed;
use crate::kit::{node, unary};

plain! {
    /// A prepared `DEQUANTIZE` node; f16 has no quantization.
    pub struct Dequantize(Maybe<ChannelQuant>);
}

impl Op for Dequantize {
    const CODE: OpCode = OpCode::Builtin(op::DEQUANTIZE);
    const VERSIONS: RangeInclusive<i32> = 1..=9;
    const TYPES: ElementTypes = ElementTypes::of(&[I2, I4, U4, I8, U8, I16, F16, F32]);
    const OUTPUT_TYPE: OutputType = OutputType::Fixed(F32);
    const SHARING: Sharing = Sharing::Behind;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, y) = unary::prepare_types(node, cx)?;
        unary::allow_behind(cx, &x, &y)?;
        ensure!(y.ty == F32, "output {y} is {}; it must be FLOAT32", y.ty);
        match x.ty {
            F16 => Ok(Dequantize(Maybe::Absent)),
            I2 | I4 | U4 | I8 | U8 | I16 => {
                if x.ty == I16 {
                    node::symmetric(&x)?;
                }
                ChannelQuant::new(&x, x.shape).map(|channels| Dequantize(Maybe::Present(channels)))
            }
            ty => Err(Error::unsupported("DEQUANTIZE", ty)),
        }
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let x = cx.node().input(0)?;
        let (Some(channels), Some(q)) = (self.0.as_ref(), x.quantization()) else {
            return unary::map(cx, |x: f16| x.to_f32());
        };
        let count = x.len();
        let real = |i, x: i32| match q.is_per_channel() {
            true => channels.quant(&q, i).dequantize(x),
            false => channels.quant(&q, 0).dequantize_in_eights(x, i, count),
        };
        match x.ty {
            I8 => unary::map_indexed(cx, |i, x: i8| real(i, x.into())),
            U8 => unary::map_indexed(cx, |i, x: u8| real(i, x.into())),
            I16 => unary::map_indexed(cx, |i, x: i16| real(i, x.into())),
            ty => {
                let bytes = cx.input(0)?.bytes();
                for (i, y) in cx.output_slice::<f32>(0)?.iter_mut().enumerate() {
                    *y = real(i, packed::read(ty, bytes, i));
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Quantized as Q, Spec, Tensor};

    fn case(x: Tensor) -> OpTest<Dequantize> {
        OpTest::new().input(x).output(Spec::f32())
    }

    #[test]
    fn one_scale() {
        let run = |x: Tensor| case(x).run().unwrap()[0].as_f32();
        assert_eq!(run(Tensor::i8(&[3], &[-128, 3, 127]).quantized(0.5, 3)), [-65.5, 0.0, 62.0]);
        assert_eq!(run(Tensor::u8(&[2], &[0, 255]).quantized(0.5, 255)), [-127.5, 0.0]);
        assert_eq!(run(Tensor::i16(&[2], &[-32768, 5]).quantized(2.0, 0)), [-65536.0, 10.0]);
        assert_eq!(run(Tensor::i4(&[3], &[-8, 7, 1]).quantized(0.5, 1)), [-4.5, 3.0, 0.0]);
        assert_eq!(run(Tensor::raw(U4, &[3], &[0xf1, 0x07]).quantized(1.0, 0)), [1.0, 15.0, 7.0]);
        assert_eq!(run(Tensor::raw(I2, &[3], &[0b11_01_10]).quantized(2.0, 0)), [-4.0, 2.0, -2.0]);
        assert_eq!(run(Tensor::f16(&[2], &[f16::ONE, f16::INFINITY])), [1.0, f32::INFINITY]);
    }

    /// Results of 0.1f32 × (q + 128), rounded once or twice: the last of nine elements is outside the group of eight.
    #[test]
    fn whole_groups_are_rounded_twice() {
        let (scale, q) = (0.1f32, -125);
        let (once, twice) = ((f64::from(scale) * 3.0) as f32, f32::from(-125i8) * scale + 128.0 * scale);
        assert_ne!(once, twice);
        let run = |x: Tensor| case(x).run().unwrap()[0].as_f32();
        let mut want = vec![twice; 8];
        want.push(once);
        assert_eq!(run(Tensor::i8(&[9], &[q; 9]).quantized(scale, -128)), want);
        assert_eq!(run(Tensor::u8(&[3, 3], &[3; 9]).quantized(scale, 0)), [once; 9]);
        assert_eq!(run(Tensor::i8(&[9], &[q; 9]).per_channel(&[scale; 9], &[-128], 0)), [once; 9]);
        assert_eq!(run(Tensor::i8(&[7], &[q; 7]).quantized(scale, -128)), [once; 7]);
        // −8 and 7 in i4 with zero point 3: 0.1 × −11.
        let (once, twice) =
            ((f64::from(scale) * -11.0) as f32, -8.0 * scale + (f64::from(scale) * -3.0) as f32);
        let i4 = run(Tensor::i4(&[9], &[-8; 9]).quantized(scale, 3));
        assert_eq!((i4[0], i4[8]), (twice, once));
    }

    #[test]
    fn scales_per_channel() {
        let x = Tensor::i8(&[2, 2, 2], &[1, 2, 3, 4, 5, 6, 7, 8]);
        let run = |x: Tensor| case(x).run().unwrap()[0].as_f32();
        assert_eq!(
            run(x.clone().per_channel(&[1.0, 0.5], &[0, 2], 1)),
            [1.0, 2.0, 0.5, 1.0, 5.0, 6.0, 2.5, 3.0]
        );
        assert_eq!(run(x.per_channel(&[1.0, 0.5], &[1], 0)), [0.0, 1.0, 2.0, 3.0, 2.0, 2.5, 3.0, 3.5]);
        assert_eq!(run(Tensor::i4(&[1, 2], &[-1, 3]).per_channel(&[1.0, 2.0], &[0, 1], 1)), [-1.0, 4.0]);
    }

    #[test]
    fn refusals() {
        let message = |x: Tensor| case(x).run().unwrap_err().message().to_owned();
        let x = Tensor::i8(&[2, 2], &[0; 4]);
        assert_eq!(message(x.clone()), "'in0' is INT8 without quantization");
        assert_eq!(
            message(x.clone().per_channel(&[1.0; 3], &[0; 3], 1)),
            "'in0' [2, 2] has 3 scales along dimension 1; the numbers must agree"
        );
        assert_eq!(
            message(x.clone().per_channel(&[1.0; 2], &[0; 2], 7)),
            "'in0' [2, 2] has 2 scales along dimension 7; the numbers must agree"
        );
        assert_eq!(
            message(x.clone().per_channel(&[1.0; 2], &[0; 3], 1)),
            "'in0' has 2 scales and 3 zero points; there must be one zero point, or as many as scales"
        );
        let blocks = Q { scales: vec![1.0; 2], zero_points: vec![0], dimension: 1, block_size: 1 };
        let error = case(x.with_quantization(blocks)).run().unwrap_err();
        assert_eq!(error.status(), Status::Unsupported);
    }
}

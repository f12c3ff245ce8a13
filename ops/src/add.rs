//! ADD: `y = activation(a + b)`, with broadcasting. f32, f16, i32, i64, i16; i8, u8, i16 quantized. Supports in-place
//! operation.
//! Defined by: tflite/kernels/add.cc.

use arenite_abi::prelude::*;
use arenite_abi::schema::AddOptions;
use half::f16;

use crate::kit::activation::Activation;
use crate::kit::binary::{self, Operands};
use crate::kit::broadcast::Broadcast;
use crate::kit::node;
use crate::kit::scaled_pair::{Groups, InputRounding, QuantizedSum, Run};

plain! {
    /// A prepared `ADD` node.
    pub struct Add {
        broadcast: Broadcast<2>,
        arithmetic: Arithmetic,
    }
}

plain! {
    enum Arithmetic {
        Plain(Activation),
        Quantized(QuantizedSum),
    }
}

impl Op for Add {
    const CODE: OpCode = OpCode::Builtin(op::ADD);
    const VERSIONS: RangeInclusive<i32> = 1..=6;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, F16, I32, I64, I8, U8, I16]);
    const OUTPUT_TYPE: OutputType = OutputType::Input(0);
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let options = node.options()?;
        let activation = node::range_activation(options.get(AddOptions::FUSED_ACTIVATION_FUNCTION)?)?;
        let by_powers = options.get(AddOptions::POT_SCALE_INT16)?;
        let operands = binary::prepare(node, cx);
        let operands = operands.as_ref().map_err(|&error| error)?;
        let arithmetic = Arithmetic::new(operands, by_powers, activation)?;
        Ok(Add { broadcast: operands.broadcast()?, arithmetic })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (ty, loops) = (cx.node().output(0)?.ty, &self.broadcast);
        match &self.arithmetic {
            Arithmetic::Plain(activation) => plain(cx, ty, loops, *activation),
            Arithmetic::Quantized(sum) => sum.map(cx, ty, loops, i32::wrapping_add),
        }
    }
}

impl Arithmetic {
    #[inline(never)] // so that its values are on the stack only while it runs
    fn new(operands: &Operands<'_>, by_powers: bool, activation: Activation) -> Result<Arithmetic> {
        binary::same_type(operands)?;
        let y = &operands.y;
        Ok(match y.ty {
            F32 | F16 | I32 | I64 => Arithmetic::Plain(activation),
            I16 if y.quantization().is_none() => Arithmetic::Plain(activation),
            I8 | U8 | I16 => {
                Arithmetic::Quantized(QuantizedSum::new(operands, by_powers, activation, groups(operands)?)?)
            }
            ty => return Err(Error::unsupported("ADD", ty)),
        })
    }
}

/// Where TFLite runs its SIMD kernels: optimized/integer_ops/add.h and, for u8, optimized/optimized_ops.h.
fn groups(operands: &Operands<'_>) -> Result<Groups> {
    let run = Run::new(&node::dims(&operands.a)?, &node::dims(&operands.b)?);
    Ok(match (operands.y.ty, run) {
        (I8, Run::Whole(run) | Run::Elementwise(run)) | (I16, Run::Whole(run)) => {
            Groups::new(run, 16, InputRounding::Once)
        }
        (U8, Run::Whole(run) | Run::Elementwise(run)) | (I8 | U8, Run::AgainstScalar(run)) => {
            Groups::new(run, 8, InputRounding::OnceThenDown)
        }
        _ => Groups::NONE,
    })
}

fn plain(cx: &EvalContext<'_>, ty: ElementType, loops: &Broadcast<2>, activation: Activation) -> Result<()> {
    match ty {
        F32 => binary::map(cx, loops, |a: f32, b: f32| activation.f32_range().clamp(a + b)),
        F16 => binary::map(cx, loops, |a: f16, b: f16| {
            activation.f16_range().clamp(f16::from_f32(a.to_f32() + b.to_f32()))
        }),
        I32 => binary::map(cx, loops, |a: i32, b: i32| activation.i32_range().clamp(a.wrapping_add(b))),
        I64 => binary::map(cx, loops, |a: i64, b: i64| activation.i64_range().clamp(a.wrapping_add(b))),
        I16 => binary::map(cx, loops, |a: i16, b: i16| {
            activation.i32_range().clamp(a.wrapping_add(b).into()) as i16
        }),
        ty => Err(Error::unsupported("ADD", ty)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::schema::activation;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn case(a: Tensor, b: Tensor, y: Spec) -> OpTest<Add> {
        OpTest::new().input(a).input(b).output(y)
    }

    #[test]
    fn floats_broadcast_and_activate() {
        let a = Tensor::f32(&[2, 1], &[1.0, -4.0]);
        let b = Tensor::f32(&[3], &[0.5, 2.0, 10.0]);
        let y = case(a.clone(), b.clone(), Spec::f32()).run().unwrap();
        assert_eq!((y[0].shape(), y[0].as_f32()), (&[2, 3][..], vec![1.5, 3.0, 11.0, -3.5, -2.0, 6.0]));
        let y = case(a, b, Spec::f32())
            .options(|o| o.set(AddOptions::FUSED_ACTIVATION_FUNCTION, activation::RELU6))
            .run()
            .unwrap();
        assert_eq!(y[0].as_f32(), [1.5, 3.0, 6.0, 0.0, 0.0, 6.0]);
        let x = Tensor::f32(&[], &[1.25]);
        let y = OpTest::<Add>::new().input(x).same_input(0).output(Spec::f32()).in_place().run().unwrap();
        assert_eq!((y[0].shape(), y[0].as_f32()), (&[][..], vec![2.5]));
    }

    #[test]
    fn integers_wrap() {
        let (a, b) = (Tensor::i32(&[2], &[i32::MAX, 5]), Tensor::i32(&[2], &[1, -7]));
        assert_eq!(case(a, b, Spec::i32()).in_place().run().unwrap()[0].as_i32(), [i32::MIN, -2]);
        let (a, b) = (Tensor::i64(&[0, 2], &[]), Tensor::i64(&[1, 2], &[1, 2]));
        assert_eq!(case(a, b, Spec::i64()).run().unwrap()[0].shape(), [0, 2]);
        let (a, b) = (Tensor::i16(&[1], &[i16::MAX]), Tensor::i16(&[1], &[1]));
        assert_eq!(case(a, b, Spec::of(I16)).run().unwrap()[0].as_i16(), [i16::MIN]);
    }

    #[test]
    fn bytes_are_rescaled() {
        // 0.5 (10 - 2) + 0.25 (-20 + 4) = 0; 0.5 (100 - 2) + 0.25 (100 + 4) = 75 saturates.
        let a = Tensor::i8(&[2], &[10, 100]).quantized(0.5, 2);
        let b = Tensor::i8(&[2], &[-20, 100]).quantized(0.25, -4);
        let y = case(a.clone(), b.clone(), Spec::i8(0.5, -1)).in_place().run().unwrap();
        assert_eq!(y[0].as_i8(), [-1, 127]);
        let y = case(a, b, Spec::i8(0.5, -1))
            .options(|o| o.set(AddOptions::FUSED_ACTIVATION_FUNCTION, activation::RELU6))
            .run()
            .unwrap();
        assert_eq!(y[0].as_i8(), [-1, 11]);
        // 1 (200 - 128) + 1 (100 - 128) = 44.
        let (a, b) = (Tensor::u8(&[1], &[200]), Tensor::u8(&[1], &[100]));
        let y = case(a.quantized(1.0, 128), b.quantized(1.0, 128), Spec::u8(2.0, 10)).run().unwrap();
        assert_eq!(y[0].as_u8(), [32]);
    }

    #[test]
    fn sixteen_bit_kernels() {
        let operands = |scale| {
            let a = Tensor::i16(&[3], &[1000, 30_000, -3]).quantized(scale, 0);
            let b = Tensor::i16(&[3], &[3, 32_767, -5]).quantized(0.25, 0);
            case(a, b, Spec::i16(0.5, 0))
        };
        // Powers of two: b is halved, ties away from zero: 1.5 -> 2, 16383.5 -> 16384, -2.5 -> -3; the sum saturates.
        assert_eq!(operands(0.5).run().unwrap()[0].as_i16(), [1002, 32_767, -6]);
        // General scales round once, at the end: 1001.5 -> 1002, -5.5 -> -6.
        let general = operands(0.5).options(|o| o.set(AddOptions::POT_SCALE_INT16, false)).run().unwrap();
        assert_eq!(general[0].as_i16(), [1002, 32_767, -6]);
        // 0.75 × 1000 + 0.25 × 3 = 750.75 = 1501.5 × 0.5.
        assert_eq!(operands(0.75).run().unwrap()[0].as_i16()[0], 1502);
        let error = operands(2.0).run().unwrap_err();
        assert!(error.message().contains("one input must have the output's scale"), "{error}");
    }
}

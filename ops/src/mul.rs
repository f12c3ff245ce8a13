//! MUL: `y = activation(a × b)`, with broadcasting. f32, f16, i32, u32, i64, i16, complex; i8, u8, i16 quantized, and
//! i16 inputs with an 8-bit output. Supports in-place operation.
//! Defined by: tflite/kernels/mul.cc and reference/{,integer_ops/}mul.h.

use arenite_abi::prelude::*;
use arenite_abi::schema::MulOptions;
use half::f16;

use crate::kit::activation::{Activation, Limits};
use crate::kit::binary::{self, Operands};
use crate::kit::broadcast::Broadcast;
use crate::kit::node;
use crate::kit::quantized::Quantized;
use crate::kit::requantize::{
    Multiplier, Quant, rounding_divide_by_pot, saturating_rounding_doubling_high_mul_i16,
};

plain! {
    /// A prepared `MUL` node.
    pub struct Mul {
        broadcast: Broadcast<2>,
        arithmetic: Arithmetic,
    }
}

plain! {
    enum Arithmetic {
        Plain(Activation),
        Scaled(Product),
        /// i16 inputs in Q0.15 with an 8-bit output in Q0.7 that has this zero point.
        Fraction { zero_point: i32, limits: Limits<i32> },
    }
}

plain! {
    /// `y = clamp((a - za)(b - zb) × factor + zy)`.
    struct Product {
        zero_points: [i32; 2],
        factor: Multiplier,
        output_zero_point: i32,
        limits: Limits<i32>,
    }
}

impl Op for Mul {
    const CODE: OpCode = OpCode::Builtin(op::MUL);
    const VERSIONS: RangeInclusive<i32> = 1..=8;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, F16, I32, U32, I64, C64, I8, U8, I16]);
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let activation = node::range_activation(node.options()?.get(MulOptions::FUSED_ACTIVATION_FUNCTION)?)?;
        let operands = binary::prepare(node, cx)?;
        let Operands { a, y, .. } = &operands;
        let arithmetic = match (a.ty, y.ty) {
            (I16, I8 | U8) => Arithmetic::Fraction {
                zero_point: node::quant(y)?.zero_point,
                limits: node::quantized_range(activation, y)?,
            },
            (x, y) if x != y => return Err(unsupported!("no kernel for inputs of {x} and an output of {y}")),
            (F32 | F16 | I32 | U32 | I64, _) => Arithmetic::Plain(activation),
            (C64, _) => {
                ensure!(activation == Activation::None, "{activation:?} is not defined for complex numbers");
                Arithmetic::Plain(activation)
            }
            (I16, _) if y.quantization().is_none() => Arithmetic::Plain(activation),
            (I8 | U8 | I16, _) => Arithmetic::Scaled(Product::new(&operands, activation)?),
            (ty, _) => return Err(Error::unsupported("MUL", ty)),
        };
        Ok(Mul { broadcast: operands.broadcast()?, arithmetic })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (ty, loops) = (cx.node().output(0)?.ty, &self.broadcast);
        match (&self.arithmetic, ty) {
            (Arithmetic::Plain(activation), _) => plain(cx, ty, loops, *activation),
            (Arithmetic::Scaled(product), I8) => product.map::<i8>(cx, loops),
            (Arithmetic::Scaled(product), U8) => product.map::<u8>(cx, loops),
            (Arithmetic::Scaled(product), _) => product.map::<i16>(cx, loops),
            (Arithmetic::Fraction { zero_point, limits }, I8) => {
                fraction::<i8>(cx, loops, *zero_point, *limits)
            }
            (Arithmetic::Fraction { zero_point, limits }, _) => {
                fraction::<u8>(cx, loops, *zero_point, *limits)
            }
        }
    }
}

impl Product {
    fn new(operands: &Operands<'_>, activation: Activation) -> Result<Self> {
        let Operands { a, b, y, .. } = operands;
        if y.ty == I16 {
            [a, b, y].into_iter().try_for_each(node::symmetric)?;
        }
        let (qa, qb, qy) = (node::quant(a)?, node::quant(b)?, node::quant(y)?);
        Ok(Product {
            zero_points: [qa, qb].map(|Quant { zero_point, .. }| zero_point),
            // Computed in f32, as in TFLite: a product in f64 gives other multipliers.
            factor: node::multiplier(f64::from(qa.scale * qb.scale / qy.scale), a, y)?,
            output_zero_point: qy.zero_point,
            limits: node::quantized_range(activation, y)?,
        })
    }

    fn map<T: Quantized>(&self, cx: &EvalContext<'_>, loops: &Broadcast<2>) -> Result<()> {
        let [za, zb] = self.zero_points;
        binary::map(cx, loops, |a: T, b: T| {
            let (a, b): (i32, i32) = (a.into(), b.into());
            let product = a.wrapping_sub(za).wrapping_mul(b.wrapping_sub(zb));
            let scaled = self.factor.apply(product).wrapping_add(self.output_zero_point);
            T::saturate(self.limits.clamp(scaled))
        })
    }
}

fn fraction<Y: Quantized>(
    cx: &EvalContext<'_>,
    loops: &Broadcast<2>,
    zero_point: i32,
    limits: Limits<i32>,
) -> Result<()> {
    binary::map(cx, loops, |a: i16, b: i16| {
        let product = saturating_rounding_doubling_high_mul_i16(a, b);
        let rescaled = rounding_divide_by_pot(product.into(), 8);
        Y::saturate(limits.clamp(rescaled.wrapping_add(zero_point)))
    })
}

fn plain(cx: &EvalContext<'_>, ty: ElementType, loops: &Broadcast<2>, activation: Activation) -> Result<()> {
    match ty {
        F32 => binary::map(cx, loops, |a: f32, b: f32| activation.f32_range().clamp(a * b)),
        F16 => binary::map(cx, loops, |a: f16, b: f16| {
            activation.f16_range().clamp(f16::from_f32(a.to_f32() * b.to_f32()))
        }),
        I32 => binary::map(cx, loops, |a: i32, b: i32| activation.i32_range().clamp(a.wrapping_mul(b))),
        U32 => binary::map(cx, loops, |a: u32, b: u32| {
            activation.i64_range().clamp(a.wrapping_mul(b).into()) as u32
        }),
        I64 => binary::map(cx, loops, |a: i64, b: i64| activation.i64_range().clamp(a.wrapping_mul(b))),
        I16 => binary::map(cx, loops, |a: i16, b: i16| {
            activation.i32_range().clamp(a.wrapping_mul(b).into()) as i16
        }),
        C64 => binary::map(cx, loops, |a: Complex32, b: Complex32| Complex32 {
            re: a.re * b.re - a.im * b.im,
            im: a.re * b.im + a.im * b.re,
        }),
        ty => Err(Error::unsupported("MUL", ty)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::schema::activation;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn case(a: Tensor, b: Tensor, y: Spec) -> OpTest<Mul> {
        OpTest::new().input(a).input(b).output(y)
    }

    #[test]
    fn plain() {
        let (a, b) = (Tensor::f32(&[2, 1], &[1.5, -4.0]), Tensor::f32(&[1, 2], &[2.0, -1.0]));
        let y = case(a.clone(), b.clone(), Spec::f32()).run().unwrap();
        assert_eq!((y[0].shape(), y[0].as_f32()), (&[2, 2][..], vec![3.0, -1.5, -8.0, 4.0]));
        let y = case(a, b, Spec::f32())
            .options(|o| o.set(MulOptions::FUSED_ACTIVATION_FUNCTION, activation::RELU_N1_TO_1))
            .run()
            .unwrap();
        assert_eq!(y[0].as_f32(), [1.0, -1.0, -1.0, 1.0]);
        let (a, b) = (Tensor::i32(&[2], &[1 << 30, -3]), Tensor::i32(&[2], &[4, 5]));
        assert_eq!(case(a, b, Spec::i32()).in_place().run().unwrap()[0].as_i32(), [0, -15]);
        let (a, b) = (Tensor::u32(&[1], &[1 << 31]), Tensor::u32(&[1], &[1]));
        assert_eq!(case(a, b, Spec::of(U32)).run().unwrap()[0].as_u32(), [1 << 31]);
        let z = |re, im| Tensor::complex64(&[1], &[Complex32 { re, im }]);
        let y = case(z(1.0, 2.0), z(3.0, -1.0), Spec::of(C64)).run().unwrap();
        assert_eq!(y[0].as_complex64(), [Complex32 { re: 5.0, im: 5.0 }]);
        let h = |x| Tensor::f16(&[1], &[f16::from_f32(x)]);
        assert_eq!(case(h(300.0), h(300.0), Spec::of(F16)).run().unwrap()[0].as_f16(), [f16::MAX]);
    }

    #[test]
    fn quantized() {
        // 0.5 (10 - 2) × 0.25 (-20 + 4) = -16, 0.5 (-1 - 2) × 0.25 (1 + 4) = -1.875 -> -3.75 steps of 0.5.
        let a = Tensor::i8(&[2], &[10, -1]).quantized(0.5, 2);
        let b = Tensor::i8(&[2], &[-20, 1]).quantized(0.25, -4);
        assert_eq!(case(a, b, Spec::i8(0.5, 1)).in_place().run().unwrap()[0].as_i8(), [-31, -3]);
        let w = |q| Tensor::i16(&[1], &[q]).quantized(0.5, 0);
        assert_eq!(case(w(100), w(-7), Spec::i16(0.125, 0)).run().unwrap()[0].as_i16(), [-1400]);
        // Without quantization, 16-bit products wrap.
        let (a, b) = (Tensor::i16(&[1], &[300]), Tensor::i16(&[1], &[300]));
        assert_eq!(case(a, b, Spec::of(I16)).run().unwrap()[0].as_i16(), [300i16.wrapping_mul(300)]);
        // Q0.15: 0.5 × 0.5 = 0.25 = 32 / 128.
        let a = Tensor::i16(&[1], &[1 << 14]).quantized(1.0 / 32768.0, 0);
        assert_eq!(case(a.clone(), a, Spec::i8(1.0 / 128.0, -3)).run().unwrap()[0].as_i8(), [29]);
    }

    #[test]
    fn refusals() {
        let message = |test: OpTest<Mul>| test.run().unwrap_err().message().to_owned();
        let z = Tensor::complex64(&[1], &[Complex32 { re: 0.0, im: 0.0 }]);
        let relu = case(z.clone(), z, Spec::of(C64))
            .options(|o| o.set(MulOptions::FUSED_ACTIVATION_FUNCTION, activation::RELU));
        assert_eq!(message(relu), "Relu is not defined for complex numbers");
        let f = Tensor::f32(&[1], &[0.0]);
        let tanh = case(f.clone(), f, Spec::f32())
            .options(|o| o.set(MulOptions::FUSED_ACTIVATION_FUNCTION, activation::TANH));
        assert_eq!(
            message(tanh),
            "no kernel for the fused activation Tanh; only clamping activations are supported"
        );
    }
}

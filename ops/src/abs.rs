//! ABS: `y = |x|`. f32, i32, i16; i8, i16 quantized. Supports in-place operation.
//! Defined by: tflite/kernels/elementwise.cc.

use arenite_abi::prelude::*;

use crate::kit::quantized::Quantized;
use crate::kit::requantize::Multiplier;
use crate::kit::{node, unary};

plain! {
    /// A prepared `ABS` node: the zero points and the ratio of the scales if the numbers are quantized.
    pub struct Abs(Maybe<QuantizedAbs>);
}

plain! {
    struct QuantizedAbs {
        input_zero_point: i32,
        output_zero_point: i32,
        /// `None` if the scales are equal.
        factor: Maybe<Multiplier>,
    }
}

impl Op for Abs {
    const CODE: OpCode = OpCode::Builtin(op::ABS);
    const VERSIONS: RangeInclusive<i32> = 1..=5;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I8, I16, I32]);
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, y) = unary::prepare(node, cx)?;
        match x.ty {
            F32 | I32 => Ok(Abs(Maybe::Absent)),
            I16 if x.quantization().is_none() => Ok(Abs(Maybe::Absent)),
            I8 | I16 => QuantizedAbs::new(&x, &y).map(|scaled| Abs(Maybe::Present(scaled))),
            ty => Err(Error::unsupported("ABS", ty)),
        }
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        match (cx.node().output(0)?.ty, self.0.as_ref()) {
            (I8, Some(scaled)) => scaled.map::<i8>(cx),
            (I16, Some(scaled)) => scaled.map::<i16>(cx),
            (I16, None) => unary::map(cx, i16::wrapping_abs),
            (I32, _) => unary::map(cx, i32::wrapping_abs),
            _ => unary::map(cx, f32::abs),
        }
    }
}

impl QuantizedAbs {
    fn new(x: &TensorView<'_>, y: &TensorView<'_>) -> Result<Self> {
        if x.ty == I16 {
            [x, y].into_iter().try_for_each(node::symmetric)?;
        }
        let (from, to) = (node::quant(x)?, node::quant(y)?);
        let factor = match from.scale == to.scale {
            true => None,
            false => Some(node::multiplier(f64::from(from.scale / to.scale), x, y)?),
        };
        Ok(QuantizedAbs {
            input_zero_point: from.zero_point,
            output_zero_point: to.zero_point,
            factor: factor.into(),
        })
    }

    fn map<T: Quantized>(&self, cx: &EvalContext<'_>) -> Result<()> {
        unary::map(cx, |q: T| {
            let steps = q.into().wrapping_sub(self.input_zero_point).wrapping_abs();
            let scaled = self.factor.get().map_or(steps, |factor| factor.apply(steps));
            T::saturate(scaled.wrapping_add(self.output_zero_point))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(x: Tensor, y: Spec) -> Tensor {
        OpTest::<Abs>::new().input(x).output(y).in_place().run().unwrap().remove(0)
    }

    #[test]
    fn plain() {
        let y = run(Tensor::f32(&[4], &[-1.5, -0.0, 2.0, f32::NEG_INFINITY]), Spec::f32()).as_f32();
        assert_eq!(
            y.iter().map(|y| y.to_bits()).collect::<Vec<_>>(),
            [0x3fc0_0000, 0, 0x4000_0000, 0x7f80_0000]
        );
        assert_eq!(run(Tensor::i32(&[3], &[-7, 7, i32::MIN]), Spec::i32()).as_i32(), [7, 7, i32::MIN]);
        assert_eq!(run(Tensor::i16(&[2], &[-7, i16::MIN]), Spec::of(I16)).as_i16(), [7, i16::MIN]);
        assert_eq!(run(Tensor::f32(&[0], &[]), Spec::f32()).shape(), [0]);
    }

    #[test]
    fn quantized() {
        // 0.5 (q - 3) gives -2, 0, 2, -65.5. The output has steps of 0.25 from -10, then of 0.5, where no rescaling is
        // needed.
        let x = Tensor::i8(&[4], &[-1, 3, 7, -128]).quantized(0.5, 3);
        assert_eq!(run(x.clone(), Spec::i8(0.25, -10)).as_i8(), [-2, -10, -2, 127]);
        assert_eq!(run(x, Spec::i8(0.5, -10)).as_i8(), [-6, -10, -6, 121]);
        let x = Tensor::i16(&[2], &[-300, i16::MIN]).quantized(0.5, 0);
        assert_eq!(run(x, Spec::i16(1.5, 0)).as_i16(), [100, 10_923]);
    }
}

//! The ReLU family: `y = clamp(x, lower, upper)` for f32, or quantized with any scales.
//!
//! Defined by: tflite/kernels/activations.cc (`ReluPrepare`, `QuantizedReluX`).

use core::marker::PhantomData;

use arenite_abi::prelude::*;

use super::activation::Limits;
use super::node;
use super::quantized::Quantized;
use super::requantize::Requantize;
use super::unary;

/// The parameters of one member of the family, which its op file provides.
pub trait Member: Send + Sync + 'static {
    /// The code of the op.
    const CODE: OpCode;
    /// The versions that are supported.
    const VERSIONS: RangeInclusive<i32>;
    /// The types of input and output that are supported.
    const TYPES: ElementTypes;
    /// The range of real outputs; the upper bound may be infinite.
    const RANGE: Limits<f32>;
}

plain! {
    /// A prepared node of the family.
    pub struct Clamp<marker M> {
        /// The requantization; `None` for f32.
        quantized: Maybe<Requantize>,
        member: PhantomData<M>,
    }
}

impl<M: Member> Op for Clamp<M> {
    const CODE: OpCode = M::CODE;
    const VERSIONS: RangeInclusive<i32> = M::VERSIONS;
    const TYPES: ElementTypes = M::TYPES;
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, y) = unary::prepare(node, cx)?;
        let quantized = match x.ty {
            F32 => None,
            _ => Some(requantize(&x, &y, M::RANGE)?),
        };
        Ok(Clamp { quantized: quantized.into(), member: PhantomData })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        match (cx.node().output(0)?.ty, self.quantized.as_ref()) {
            (I8, Some(q)) => map::<i8>(cx, q),
            (U8, Some(q)) => map::<u8>(cx, q),
            (I16, Some(q)) => map::<i16>(cx, q),
            _ => unary::map(cx, |x: f32| M::RANGE.clamp(x)),
        }
    }
}

/// Converts `x` to the steps of `y`, within the range.
fn requantize(x: &TensorView<'_>, y: &TensorView<'_>, real: Limits<f32>) -> Result<Requantize> {
    let ty = node::type_limits(x.ty).ok_or_else(|| unsupported!("no kernel for {}", x.ty))?;
    if x.ty == I16 {
        [x, y].into_iter().try_for_each(node::symmetric)?;
    }
    let (from, to) = (node::quant(x)?, node::quant(y)?);
    let multiplier = node::multiplier(f64::from(from.scale / to.scale), x, y)?;
    let bound = |real: f32| to.quantize(real, Limits { min: i32::MIN, max: i32::MAX });
    let limits = Limits {
        min: ty.min.max(bound(real.min)),
        max: if real.max == f32::INFINITY { ty.max } else { ty.max.min(bound(real.max)) },
    };
    let (input_zero_point, output_zero_point) = (from.zero_point, to.zero_point);
    Ok(Requantize { input_zero_point, output_zero_point, multiplier, limits })
}

fn map<T: Quantized>(cx: &EvalContext<'_>, requantize: &Requantize) -> Result<()> {
    unary::map(cx, |q: T| T::saturate(requantize.apply(q.into())))
}

/// Helpers for the tests of each member.
#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    /// Checks the outputs for six real inputs, five of i8 and three of u8.
    pub(crate) fn expect<O: Op>(reals: [f32; 6], signed: [i8; 5], unsigned: [u8; 3]) {
        let test = |x: Tensor, y: Spec| OpTest::<O>::new().input(x).output(y).in_place().run().unwrap();
        let x = Tensor::f32(&[2, 3], &[-7.5, -0.5, 0.0, 0.5, 3.0, 7.5]);
        assert_eq!(test(x, Spec::f32())[0].as_f32(), reals);
        // Steps of 0.5 from -10 become steps of 0.25 from 4.
        let x = Tensor::i8(&[5], &[-25, -11, -10, -9, 20]).quantized(0.5, -10);
        assert_eq!(test(x, Spec::i8(0.25, 4))[0].as_i8(), signed);
        let x = Tensor::u8(&[3], &[0, 100, 101]).quantized(0.5, 100);
        assert_eq!(test(x, Spec::u8(1.0, 7))[0].as_u8(), unsigned);
    }

    /// Checks the members that support i16.
    pub(crate) fn expect_words<O: Op>() {
        let test = |zero| {
            let x = Tensor::i16(&[2], &[-8, 8]).quantized(0.5, zero);
            OpTest::<O>::new().input(x).output(Spec::i16(0.25, 0)).run()
        };
        assert_eq!(test(0).unwrap()[0].as_i16(), [0, 16]);
        let error = test(1).unwrap_err();
        assert_eq!(error.message(), "'in0' is INT16 with zero point 1; it must be 0");
    }
}

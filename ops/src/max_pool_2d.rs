//! MAX_POOL_2D: the largest element of each channel under a window, then the activation. f32, i8, u8, i16.
//! Defined by: tflite/kernels/pooling.cc.

use arenite_abi::prelude::*;

use crate::kit::integer::Quantized;
use crate::kit::pool::Pool;

/// Prepared node.
pub struct MaxPool2d(Pool);

impl Op for MaxPool2d {
    const CODE: OpCode = OpCode::Builtin(17);
    const VERSIONS: RangeInclusive<i32> = 1..=3;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I8, U8, I16]);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        Pool::prepare(node, cx).map(MaxPool2d)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (float, limits) = (self.0.float_limits, self.0.limits);
        match cx.input(0)?.ty {
            F32 => self.run(cx, f32::MIN, |x| float.clamp(x)),
            I8 => self.run(cx, i8::MIN, |x| i8::saturate(limits.clamp(x.into()))),
            U8 => self.run(cx, u8::MIN, |x| u8::saturate(limits.clamp(x.into()))),
            I16 => self.run(cx, i16::MIN, |x| i16::saturate(limits.clamp(x.into()))),
            ty => Err(Error::unsupported("MAX_POOL_2D", ty)),
        }
    }
}

impl MaxPool2d {
    fn run<T: Element + PartialOrd>(
        &self,
        cx: &EvalContext<'_>,
        lowest: T,
        finish: impl Fn(T) -> T,
    ) -> Result<()> {
        let (x, y) = (cx.input(0)?.as_slice::<T>()?, cx.output(0)?.into_slice::<T>()?);
        self.0.for_each(cx, x, y, |patch, out| {
            out.fill(lowest);
            for pixel in patch.pixels() {
                for (out, &x) in out.iter_mut().zip(pixel) {
                    *out = if x > *out { x } else { *out };
                }
            }
            out.iter_mut().for_each(|out| *out = finish(*out));
        })
    }
}

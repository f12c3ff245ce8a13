//! MAX_POOL_2D: the largest element of each channel in a window, then the activation. f32, i8, u8, i16.
//! Defined by: tflite/kernels/pooling.cc.

use arenite_abi::prelude::*;

use crate::kit::pool::Pool;
use crate::kit::quantized::Quantized;

plain! {
    /// A prepared `MAX_POOL_2D` node.
    pub struct MaxPool2d(Pool);
}

impl Op for MaxPool2d {
    const CODE: OpCode = OpCode::Builtin(op::MAX_POOL_2D);
    const VERSIONS: RangeInclusive<i32> = 1..=3;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I8, U8, I16]);
    const SHARING: Sharing = Sharing::Behind;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        Pool::prepare(node, cx).map(MaxPool2d)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (float, limits) = (self.0.float_limits, self.0.limits);
        match cx.node().input(0)?.ty {
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
        self.0.for_each(cx, |patch, out| {
            out.iter().for_each(|out| out.set(lowest));
            patch.for_each_pixel(|pixel| {
                for (out, x) in out.iter().zip(pixel.iter()) {
                    out.set(if x > out.get() { x } else { out.get() });
                }
            });
            out.iter().for_each(|out| out.set(finish(out.get())));
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::schema::Pool2DOptions;
    use arenite_abi::schema::activation::{NONE, RELU, RELU6};
    use arenite_abi::schema::padding::{SAME, VALID};
    use arenite_abi::testing::{OpTest, OptionsBuilder, Spec, Tensor};

    fn options(
        padding: i8,
        stride: i32,
        filter: i32,
        activation: i8,
    ) -> impl Fn(OptionsBuilder<Pool2DOptions>) -> OptionsBuilder<Pool2DOptions> {
        move |o| {
            o.set(Pool2DOptions::PADDING, padding)
                .set(Pool2DOptions::STRIDE_W, stride)
                .set(Pool2DOptions::STRIDE_H, stride)
                .set(Pool2DOptions::FILTER_WIDTH, filter)
                .set(Pool2DOptions::FILTER_HEIGHT, filter)
                .set(Pool2DOptions::FUSED_ACTIVATION_FUNCTION, activation)
        }
    }

    #[test]
    fn float() {
        let x = Tensor::f32(&[1, 3, 3, 1], &[-1.0, 8.0, 2.0, 3.0, -5.0, 4.0, 7.0, -6.0, -9.0]);
        // (padding, stride, filter, activation) -> output
        type Case = ((i8, i32, i32, i8), &'static [f32]);
        let cases: [Case; 4] = [
            ((VALID, 1, 2, NONE), &[8.0, 8.0, 7.0, 4.0]),
            ((SAME, 2, 2, NONE), &[8.0, 4.0, 7.0, -9.0]),
            ((SAME, 2, 2, RELU6), &[6.0, 4.0, 6.0, 0.0]),
            ((VALID, 1, 3, NONE), &[8.0]),
        ];
        for ((padding, stride, filter, activation), want) in cases {
            let test = OpTest::<MaxPool2d>::new().input(x.clone()).output(Spec::f32());
            let out = test.options(options(padding, stride, filter, activation)).run().unwrap();
            assert_eq!(out[0].as_f32(), want);
        }
    }

    #[test]
    fn integers() {
        // Channels are pooled separately; RELU clamps at the zero point.
        let shape = [1, 1, 2, 2];
        let test = OpTest::<MaxPool2d>::new();
        let out = test.clone().input(Tensor::i8(&shape, &[-9, -7, -8, -128])).output(Spec::of(I8));
        assert_eq!(out.options(options(SAME, 2, 2, NONE)).run().unwrap()[0].as_i8(), [-8, -7]);
        let out = test
            .clone()
            .input(Tensor::u8(&shape, &[1, 200, 3, 4]).quantized(1.0, 5))
            .output(Spec::u8(1.0, 5));
        assert_eq!(out.options(options(SAME, 2, 2, RELU)).run().unwrap()[0].as_u8(), [5, 200]);
        let out = test.input(Tensor::i16(&shape, &[-300, 5, -400, 6])).output(Spec::of(I16));
        assert_eq!(out.options(options(SAME, 2, 2, NONE)).run().unwrap()[0].as_i16(), [-300, 6]);
    }
}

//! DEPTHWISE_CONV_2D: convolves every input channel with its own filters.
//!
//! f32; u8; i8 with i8 or i4 filters, per tensor or per channel; i16 with i8 filters; f32 with i8 filters, where the
//! input is quantized at run time. Strides and dilations. f16 filters come through DEQUANTIZE.
//!
//! Defined by: tflite/kernels/depthwise_conv.cc; rounding follows its SIMD kernels.
//!
//! ```text
//! input [N, H, W, C]   filter [1, h, w, C × m]   bias [C × m]   output [N, H', W', C × m]
//! output[n, y, x, c × m + k] = finish(Σ taps input[.., c] × filter[0, tap y, tap x, c × m + k])
//! ```

use arenite_abi::prelude::*;
use arenite_abi::schema::DepthwiseConv2DOptions;
use arenite_abi::tensor::cells_of;
use core::cell::Cell;

use crate::kit::activation::Limits;
use crate::kit::bias::{Bias, float_bias};
use crate::kit::conv::{Hybrid, Layer, Requantization, Weights};
use crate::kit::dot::Weight;
use crate::kit::hybrid::Symmetry;
use crate::kit::node::{other_form, range_activation};
use crate::kit::pace::Pace;
use crate::kit::quantized::{IntegerType, Quantized};
use crate::kit::requantize::Multiplier;
use crate::kit::window::{Position, WindowOptions, Windows};

/// The filter axis that enumerates the output channels.
const CHANNEL_AXIS: usize = 3;

plain! {
    /// A prepared `DEPTHWISE_CONV_2D` node.
    pub struct DepthwiseConv2d {
        shape: Shape,
        kernel: Kernel,
        weights: Weights,
    }
}

plain! {
    /// The kernel for each combination of types; `sums` holds one output pixel before it is finished.
    enum Kernel {
        Float { sums: Scratch<f32>, limits: Limits<f32> },
        Quantized { input: IntegerType, sums: Scratch<i32>, requantization: Requantization },
        Wide { sums: Scratch<i64>, requantization: Requantization },
        Hybrid { sums: Scratch<i32>, hybrid: Hybrid },
    }
}

plain! {
    struct Shape {
        windows: Windows,
        /// The number of output channels.
        channels: usize,
        /// The number of output channels per input channel.
        multiplier: usize,
    }
}

/// The three steps that compute an output element: the initial sum of a channel, adding one product to a sum, and
/// finishing the sum of an output channel.
struct Steps<B, M, F> {
    start: B,
    multiply_add: M,
    finish: F,
}

impl Op for DepthwiseConv2d {
    const CODE: OpCode = OpCode::Builtin(op::DEPTHWISE_CONV_2D);
    const VERSIONS: RangeInclusive<i32> = 1..=7;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, U8, I8, I16, I4, I32, I64]);
    const SHARING: Sharing = Sharing::Behind;
    const EMBED: Option<Embed<Self>> = Some(Embed::with(|op, cx| cx.put(op.form(), op)));

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let layer = Layer::read(node, CHANNEL_AXIS)?;
        let options = node.options()?;
        let shape = Shape::new(&layer, &WindowOptions::read(&options)?)?;
        cx.set_output_shape(0, &shape.windows.output_shape(layer.filter.shape[CHANNEL_AXIS]))?;
        let kernel = Kernel::new(cx, &layer, &options, &shape)?;
        if !matches!(kernel, Kernel::Hybrid { .. }) {
            let bytes = layer.input.ty.bits() as usize / 8;
            shape.windows.allow_behind(cx, bytes, shape.channels)?;
        }
        let weights = Weights::declare(cx, &layer.filter)?;
        Ok(DepthwiseConv2d { shape, kernel, weights })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        match &self.kernel {
            Kernel::Float { sums, limits } => self.float(cx, cx.scratch(sums)?, *limits),
            Kernel::Quantized { input, sums, requantization } => {
                let sums = cx.scratch(sums)?;
                match input {
                    IntegerType::U8 => {
                        let filter = cx.input_slice(1)?;
                        self.quantized::<u8, u8>(cx, filter, sums, requantization, |_, m, sum| m.apply(sum))
                    }
                    _ => self.signed(cx, sums, requantization),
                }
            }
            Kernel::Wide { sums, requantization } => self.wide(cx, cx.scratch(sums)?, requantization),
            Kernel::Hybrid { sums, hybrid } => self.hybrid(cx, cx.scratch(sums)?, hybrid),
        }
    }

    fn form(&self) -> &'static str {
        match self.kernel {
            Kernel::Float { .. } => "ar_embed_depthwise_conv_2d_f32",
            Kernel::Hybrid { .. } => "ar_embed_depthwise_conv_2d_hybrid",
            Kernel::Quantized { input: IntegerType::I8, .. } => "ar_embed_depthwise_conv_2d_i8",
            _ => "",
        }
    }
}

impl Kernel {
    fn new(
        cx: &mut PrepareContext<'_>,
        layer: &Layer<'_>,
        options: &Options<'_, DepthwiseConv2DOptions>,
        shape: &Shape,
    ) -> Result<Kernel> {
        let activation = range_activation(options.get(DepthwiseConv2DOptions::FUSED_ACTIVATION_FUNCTION)?)?;
        let bias = layer.bias.map(|bias| bias.ty);
        Ok(match (layer.input.ty, layer.filter.ty) {
            (F32, F32) => Kernel::Float { sums: cx.scratch(shape.channels)?, limits: activation.f32_range() },
            (U8, U8) | (I8, I8 | I4) => Kernel::Quantized {
                input: IntegerType::of(layer.input.ty),
                sums: cx.scratch(shape.channels)?,
                requantization: Requantization::new(cx, layer, CHANNEL_AXIS, activation)?,
            },
            (I16, I8) if bias != Some(I32) => Kernel::Wide {
                sums: cx.scratch(shape.channels)?,
                requantization: Requantization::new(cx, layer, CHANNEL_AXIS, activation)?,
            },
            (F32, I8) => Kernel::Hybrid {
                sums: cx.scratch(shape.channels)?,
                hybrid: {
                    let image = shape.windows.image();
                    Hybrid::new(cx, layer, CHANNEL_AXIS, image, Symmetry::Asymmetric, activation)?
                },
            },
            _ => return Err(layer.unsupported()),
        })
    }
}

impl DepthwiseConv2d {
    /// `eval` for f32 alone.
    ///
    /// # Errors
    /// As for `eval`, or the node has another form.
    pub fn eval_f32(&self, cx: &EvalContext<'_>) -> Result<()> {
        match &self.kernel {
            Kernel::Float { sums, limits } => self.float(cx, cx.scratch(sums)?, *limits),
            _ => Err(other_form()),
        }
    }

    /// `eval` for f32 with quantized weights alone.
    ///
    /// # Errors
    /// As for `eval`, or the node has another form.
    pub fn eval_hybrid(&self, cx: &EvalContext<'_>) -> Result<()> {
        match &self.kernel {
            Kernel::Hybrid { sums, hybrid } => self.hybrid(cx, cx.scratch(sums)?, hybrid),
            _ => Err(other_form()),
        }
    }

    /// `eval` for i8 alone.
    ///
    /// # Errors
    /// As for `eval`, or the node has another form.
    pub fn eval_i8(&self, cx: &EvalContext<'_>) -> Result<()> {
        match &self.kernel {
            Kernel::Quantized { sums, requantization, .. } => {
                self.signed(cx, cx.scratch(sums)?, requantization)
            }
            _ => Err(other_form()),
        }
    }

    fn float(&self, cx: &EvalContext<'_>, sums: &mut [f32], limits: Limits<f32>) -> Result<()> {
        let (x, w) = (cx.input_cells::<f32>(0)?, cx.input_slice::<f32>(1)?);
        let bias = float_bias(cx, 2)?;
        let steps = Steps {
            start: |c: usize| bias.get(c).copied().unwrap_or(0.0),
            multiply_add: |sum: f32, x: f32, w: f32| sum + x * w,
            finish: |sum: f32, _| limits.clamp(sum),
        };
        self.shape.convolve(cx, (x, w), sums, cx.output_cells(0)?, steps)
    }

    fn signed(&self, cx: &EvalContext<'_>, sums: &mut [i32], requantization: &Requantization) -> Result<()> {
        let eights = self.shape.channels & !7;
        self.quantized::<i8, i8>(cx, self.weights.read(cx)?, sums, requantization, |c, m, sum| {
            if c < eights { m.apply_ties_up(sum) } else { m.apply(sum) }
        })
    }

    /// `scale` applies the multiplier of a channel. SIMD kernels process eight channels at a time and round ties up;
    /// the remaining channels are rounded away from zero.
    fn quantized<X: Quantized, W: Weight>(
        &self,
        cx: &EvalContext<'_>,
        filter: &[W],
        sums: &mut [i32],
        requantization: &Requantization,
        scale: impl Fn(usize, Multiplier, i32) -> i32,
    ) -> Result<()> {
        let multipliers = requantization.multipliers.read(cx)?;
        let bias = Bias::read(cx, 2)?;
        let steps = Steps {
            start: |c: usize| bias.at(c) as i32,
            multiply_add: |sum: i32, x: X, w: W| {
                let w = w.centered(requantization.filter_zero);
                sum.wrapping_add(i32::from(requantization.centered(x)) * i32::from(w))
            },
            finish: |sum: i32, c: usize| requantization.output::<X>(scale(c, multipliers.of(c), sum)),
        };
        self.shape.convolve(cx, (cx.input_cells(0)?, filter), sums, cx.output_cells(0)?, steps)
    }

    /// i16 with 64-bit sums.
    fn wide(&self, cx: &EvalContext<'_>, sums: &mut [i64], requantization: &Requantization) -> Result<()> {
        let multipliers = requantization.multipliers.read(cx)?;
        let bias = Bias::read(cx, 2)?;
        let steps = Steps {
            start: |c: usize| bias.at(c),
            multiply_add: |sum: i64, x: i16, w: i8| sum.wrapping_add(i64::from(i32::from(x) * i32::from(w))),
            finish: |sum: i64, c: usize| requantization.output::<i16>(multipliers.of(c).apply_i64(sum)),
        };
        let (x, w) = (cx.input_cells::<i16>(0)?, cx.input_slice::<i8>(1)?);
        self.shape.convolve(cx, (x, w), sums, cx.output_cells(0)?, steps)
    }

    fn hybrid(&self, cx: &EvalContext<'_>, sums: &mut [i32], hybrid: &Hybrid) -> Result<()> {
        let filter = cx.input_slice::<i8>(1)?;
        let output_image = self.shape.windows.output_image(self.shape.channels);
        hybrid.for_each_image(cx, output_image, |image, meaning, y| {
            let steps = Steps {
                start: |_| 0,
                multiply_add: |sum: i32, q: i8, w: i8| {
                    let q = i16::from(q).wrapping_sub(meaning.zero_point);
                    sum.wrapping_add(i32::from(q) * i32::from(w))
                },
                finish: |sum: i32, c: usize| meaning.output(sum, c),
            };
            self.shape.convolve(cx, (image.into(), filter), sums, cells_of(y), steps)
        })
    }
}

impl Shape {
    fn new(layer: &Layer<'_>, options: &WindowOptions) -> Result<Shape> {
        let Layer { input: x, filter: w, .. } = layer;
        let &[1, height, width, channels] = w.shape else {
            return Err(invalid!(
                "filter {w} is {:?}; a depthwise filter is [1, height, width, channels]",
                w.shape
            ));
        };
        let windows = Windows::new(x, [height, width], options)?;
        let channels = channels as usize;
        ensure!(
            channels.is_multiple_of(windows.channels),
            "filter {w} is {:?}, input {x} has {} channels; {channels} must be a multiple of that",
            w.shape,
            windows.channels
        );
        Ok(Shape { windows, channels, multiplier: channels / windows.channels })
    }

    /// Runs `steps` for every output element of all images.
    fn convolve<S: Copy, W: Copy, A: Copy, Y>(
        &self,
        cx: &EvalContext<'_>,
        (input, filter): (ReadCells<'_, S>, &[W]),
        sums: &mut [A],
        output: &[Cell<Y>],
        steps: Steps<impl Fn(usize) -> A, impl Fn(A, S, W) -> A, impl Fn(A, usize) -> Y>,
    ) -> Result<()> {
        let mut pace = Pace::new(cx);
        self.windows.for_each_pixel(input, output, self.channels, |image, at, pixel| {
            pace.ahead(filter.len())?;
            for (c, sum) in sums.iter_mut().enumerate() {
                *sum = (steps.start)(c);
            }
            self.accumulate((image, filter), at, sums, &steps.multiply_add);
            for (c, (out, &sum)) in pixel.iter().zip(&*sums).enumerate() {
                out.set((steps.finish)(sum, c));
            }
            Ok(())
        })
    }

    /// Adds the products of all taps that are inside the image.
    #[inline]
    fn accumulate<S: Copy, W: Copy, A: Copy>(
        &self,
        (image, filter): (ReadCells<'_, S>, &[W]),
        Position { y, x }: Position,
        sums: &mut [A],
        multiply_add: &impl Fn(A, S, W) -> A,
    ) {
        let Windows { rows, columns, .. } = &self.windows;
        for (tap_y, in_y) in rows.inside(y) {
            for (tap_x, in_x) in columns.inside(x) {
                let pixel = self.windows.pixel(image, in_y, in_x);
                let tap = tap_y * columns.filter + tap_x;
                let weights = &filter[tap * self.channels..][..self.channels];
                if self.multiplier == 1 {
                    for ((sum, x), &w) in sums.iter_mut().zip(pixel.iter()).zip(weights) {
                        *sum = multiply_add(*sum, x, w);
                    }
                    continue;
                }
                let groups =
                    sums.chunks_exact_mut(self.multiplier).zip(weights.chunks_exact(self.multiplier));
                for (x, (sums, weights)) in pixel.iter().zip(groups) {
                    for (sum, &w) in sums.iter_mut().zip(weights) {
                        *sum = multiply_add(*sum, x, w);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::schema::padding::{SAME, VALID};
    use arenite_abi::testing::{OpTest, OptionsBuilder, Spec, Tensor};

    fn test(x: Tensor, w: Tensor, bias: Tensor, out: Spec) -> OpTest<DepthwiseConv2d> {
        OpTest::new().input(x).constant(w).constant(bias).output(out)
    }

    fn options(
        padding: i8,
        stride: i32,
    ) -> impl Fn(OptionsBuilder<DepthwiseConv2DOptions>) -> OptionsBuilder<DepthwiseConv2DOptions> {
        move |o| {
            o.set(DepthwiseConv2DOptions::PADDING, padding)
                .set(DepthwiseConv2DOptions::STRIDE_W, stride)
                .set(DepthwiseConv2DOptions::STRIDE_H, stride)
        }
    }

    #[test]
    fn float() {
        // Two channels: 1..4 and 10..40.
        let x = Tensor::f32(&[1, 2, 2, 2], &[1.0, 10.0, 2.0, 20.0, 3.0, 30.0, 4.0, 40.0]);
        let bias = |n: usize| Tensor::f32(&[n as i32], &vec![0.5; n]);
        // Row 0 of the filter reads one row up.
        let two_rows = Tensor::f32(&[1, 2, 1, 2], &[1.0, 1.0, 2.0, 3.0]);
        let out = test(x.clone(), two_rows.clone(), bias(2), Spec::f32()).options(options(VALID, 1)).run();
        assert_eq!(out.unwrap()[0].as_f32(), [1.0 + 6.0 + 0.5, 100.5, 2.0 + 8.0 + 0.5, 140.5]);
        // SAME adds zeros below; with a stride of two only the first position remains.
        let out = test(x.clone(), two_rows.clone(), bias(2), Spec::f32()).options(options(SAME, 2)).run();
        assert_eq!(out.unwrap()[0].as_f32(), [7.5, 100.5]);
        // With a dilation of 2, the taps are one row up and one row down.
        let out = test(x.clone(), two_rows, bias(2), Spec::f32())
            .options(|o| options(SAME, 1)(o).set(DepthwiseConv2DOptions::DILATION_H_FACTOR, 2))
            .run()
            .unwrap();
        assert_eq!(out[0].as_f32(), [6.5, 90.5, 8.5, 120.5, 1.5, 10.5, 2.5, 20.5]);
        // Depth multiplier 2: outputs c0 × 1, c0 × 2, c1 × 3, c1 × 4.
        let w = Tensor::f32(&[1, 1, 1, 4], &[1.0, 2.0, 3.0, 4.0]);
        let out = test(x, w, bias(4), Spec::f32()).options(options(VALID, 2)).run().unwrap();
        assert_eq!((out[0].shape(), out[0].as_f32()), (&[1, 1, 1, 4][..], vec![1.5, 2.5, 30.5, 40.5]));
    }

    #[test]
    fn signed_ties() {
        // -6 / 4 = -1.5 is rounded up in the first eight channels, away from zero in the ninth.
        let x = Tensor::i8(&[1, 1, 1, 9], &[-6; 9]).quantized(0.25, 0);
        let scales = [1.0; 9];
        for w in [Tensor::i8(&[1, 1, 1, 9], &[1; 9]), Tensor::i4(&[1, 1, 1, 9], &[1; 9])] {
            let w = w.per_channel(&scales, &[0; 9], 3);
            let bias = Tensor::i32(&[9], &[0; 9]);
            let out = test(x.clone(), w, bias, Spec::i8(1.0, 10)).options(options(VALID, 1)).run().unwrap();
            assert_eq!(out[0].as_i8(), [9, 9, 9, 9, 9, 9, 9, 9, 8]);
        }
    }

    #[test]
    fn unsigned() {
        // (10 - 8) × (0 - 3) = -6; × 0.25 = -1.5 → -2: away from zero in all channels.
        let x = Tensor::u8(&[1, 1, 1, 8], &[10; 8]).quantized(0.25, 8);
        let w = Tensor::u8(&[1, 1, 1, 8], &[0; 8]).quantized(1.0, 3);
        let bias = Tensor::i32(&[8], &[0; 8]).quantized(0.25, 0);
        let out = test(x, w, bias, Spec::u8(1.0, 100)).options(options(VALID, 1)).run().unwrap();
        assert_eq!(out[0].as_u8(), [98; 8]);
    }

    #[test]
    fn sixteen_bits() {
        let x = Tensor::i16(&[1, 1, 1, 2], &[3, -3]).quantized(1.0, 0);
        let w = Tensor::i8(&[1, 1, 1, 2], &[2, 2]).per_channel(&[1.0, 0.5], &[0, 0], 3);
        let bias = Tensor::i64(&[2], &[2, 1 << 31]);
        let out = test(x, w, bias, Spec::i16(1.0, 0)).options(options(VALID, 1)).run().unwrap();
        assert_eq!(out[0].as_i16(), [8, 32767]);
    }

    #[test]
    fn dynamic_range() {
        // Both ends of the ranges [0, 255] and [-51, 0] are exact; padding adds nothing.
        let x = Tensor::f32(&[2, 1, 1, 2], &[255.0, 0.0, -51.0, 0.0]);
        let w = Tensor::i8(&[1, 3, 1, 2], &[7, 7, 3, 9, 7, 7]).per_channel(&[0.5, 0.25], &[0, 0], 3);
        let bias = Tensor::f32(&[2], &[1.0, 2.0]);
        let out = test(x, w, bias, Spec::f32()).options(options(SAME, 1)).run().unwrap();
        for (got, want) in out[0].as_f32().iter().zip([383.5, 2.0, -75.5, 2.0]) {
            assert!((got - want).abs() < 1e-4, "{got} {want}");
        }
    }

    #[test]
    fn bias_may_be_absent() {
        let x = Tensor::i8(&[1, 1, 1, 1], &[3]).quantized(1.0, 0);
        let w = Tensor::i8(&[1, 1, 1, 1], &[2]).quantized(1.0, 0);
        let test = OpTest::<DepthwiseConv2d>::new().input(x).constant(w);
        for test in [test.clone().absent(), test] {
            let out = test.output(Spec::i8(1.0, 0)).options(options(VALID, 1)).run().unwrap();
            assert_eq!(out[0].as_i8(), [6]);
        }
    }
}

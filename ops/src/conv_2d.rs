//! CONV_2D: the sum of input × filter over a window and all channels of its group, plus bias, then the activation.
//!
//! f32; u8; i8 and i16 with i8 or i4 filters, per tensor or per channel; f32 with i8 or i4 filters, where the input is
//! quantized at run time. Strides, dilations and groups. f16 filters come through DEQUANTIZE.
//!
//! Defined by: tflite/kernels/conv.cc; rounding follows its SIMD kernels, or with groups
//! tflite/kernels/internal/reference/conv.h.
//!
//! ```text
//! input [N, H, W, C]   filter [O, h, w, C / groups]   bias [O]   output [N, H', W', O]
//! patch = the window's elements of a group, 0 outside:  h × w × C / groups
//! output[n, y, x, o] = finish(patch(n, y, x, group of o) · filter[o])
//! ```

use arenite_abi::prelude::*;
use arenite_abi::schema::Conv2DOptions;
use arenite_abi::tensor::cells_of;
use core::cell::Cell;

use crate::kit::activation::{Activation, Limits};
use crate::kit::bias::{Bias, float_bias};
use crate::kit::channel_multipliers::{Multipliers, filter_scales};
use crate::kit::conv::{Hybrid, Layer, Requantization, Weights};
use crate::kit::dot::{Weight, dot_centered, dot_centered_i64, dot_f32};
use crate::kit::hybrid::Symmetry;
use crate::kit::node::{only_form, other_form, range_activation};
use crate::kit::pace::Pace;
use crate::kit::quantized::{IntegerType, Quantized};
use crate::kit::window::{Position, WindowOptions, Windows};

/// The filter axis that enumerates the output channels.
const CHANNEL_AXIS: usize = 0;

plain! {
    /// A prepared `CONV_2D` node.
    pub struct Conv2d {
        shape: Shape,
        kernel: Kernel,
        weights: Weights,
    }
}

plain! {
    enum Kernel {
        Float { patch: Scratch<f32>, limits: Limits<f32> },
        Quantized { input: IntegerType, patch: Scratch<i16>, requantization: Requantization },
        Hybrid { patch: Scratch<i16>, hybrid: Hybrid },
    }
}

plain! {
    struct Shape {
        windows: Windows,
        groups: usize,
        /// The number of input channels of a group.
        depth: usize,
        /// The number of output channels.
        filters: usize,
        /// The number of elements of one filter: height × width × depth.
        patch: usize,
    }
}

/// The three steps that compute an output element: convert an input element, multiply a patch with a filter, and finish
/// the sum for its output channel.
struct Steps<C, D, F> {
    convert: C,
    dot: D,
    finish: F,
}

impl Op for Conv2d {
    const CODE: OpCode = OpCode::Builtin(op::CONV_2D);
    const VERSIONS: RangeInclusive<i32> = 1..=8;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, U8, I8, I16, I4, I32, I64]);
    const SHARING: Sharing = Sharing::Behind;
    const EMBED: Option<Embed<Self>> = Some(Embed::with(|op, cx| cx.put(op.form(), op)));

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        Conv2d::prepare_with(node, cx, |types, cx, layer, fused, shape| match types {
            (F32, F32) => Ok(Kernel::Float { patch: cx.scratch(shape.patch)?, limits: fused.f32_range() }),
            (U8, U8) | (I8 | I16, I8 | I4) => Kernel::quantized(cx, layer, fused, shape),
            (F32, I8 | I4) => Kernel::hybrid(cx, layer, fused, shape),
            _ => Err(layer.unsupported()),
        })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        match &self.kernel {
            Kernel::Float { patch, limits } => self.float(cx, cx.scratch(patch)?, *limits),
            Kernel::Quantized { input, patch, requantization } => {
                let patch = cx.scratch(patch)?;
                match input {
                    IntegerType::U8 => {
                        self.quantized::<u8, u8>(cx, cx.input_slice(1)?, patch, requantization)
                    }
                    IntegerType::I8 => {
                        self.quantized::<i8, i8>(cx, self.weights.read(cx)?, patch, requantization)
                    }
                    _ if has_wide_bias(cx)? => self.wide(cx, patch, requantization),
                    _ => self.quantized::<i16, i8>(cx, self.weights.read(cx)?, patch, requantization),
                }
            }
            Kernel::Hybrid { patch, hybrid } => self.hybrid(cx, cx.scratch(patch)?, hybrid),
        }
    }

    fn form(&self) -> &'static str {
        match self.kernel {
            Kernel::Float { .. } => "ar_embed_conv_2d_f32",
            Kernel::Hybrid { .. } => "ar_embed_conv_2d_hybrid",
            Kernel::Quantized { input: IntegerType::I8, .. } => "ar_embed_conv_2d_i8",
            _ => "",
        }
    }
}

impl Kernel {
    fn quantized(
        cx: &mut PrepareContext<'_>,
        layer: &Layer<'_>,
        activation: Activation,
        shape: &Shape,
    ) -> Result<Kernel> {
        Ok(Kernel::Quantized {
            input: IntegerType::of(layer.input.ty),
            patch: cx.scratch(shape.patch)?,
            requantization: Requantization::new(cx, layer, CHANNEL_AXIS, activation)?,
        })
    }

    fn hybrid(
        cx: &mut PrepareContext<'_>,
        layer: &Layer<'_>,
        activation: Activation,
        shape: &Shape,
    ) -> Result<Kernel> {
        let patch = cx.scratch(shape.patch)?;
        let symmetry = hybrid_symmetry(layer, shape)?;
        let hybrid = Hybrid::new(cx, layer, CHANNEL_AXIS, shape.windows.image(), symmetry, activation)?;
        Ok(Kernel::Hybrid { patch, hybrid })
    }
}

/// Checks options and sizes, and sets the shape of the output.
#[inline(never)] // so that its values are not on the stack while a kernel is prepared
fn begin(layer: &Layer<'_>, node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<(Shape, Activation)> {
    let options = node.options()?;
    let shape = Shape::new(layer, &WindowOptions::read(&options)?)?;
    cx.set_output_shape(0, &shape.windows.output_shape(layer.filter.shape[CHANNEL_AXIS]))?;
    check_bias_type(layer, &options)?;
    let activation = range_activation(options.get(Conv2DOptions::FUSED_ACTIVATION_FUNCTION)?)?;
    Ok((shape, activation))
}

/// A filter with a single scale uses symmetric activations; other filters and groups use asymmetric ones.
fn hybrid_symmetry(layer: &Layer<'_>, shape: &Shape) -> Result<Symmetry> {
    let q = filter_scales(&layer.filter, shape.filters, CHANNEL_AXIS)?;
    let differ = q.scales.iter().any(|&s| s != q.scales[0]);
    Ok(if differ || shape.groups != 1 { Symmetry::Asymmetric } else { Symmetry::Symmetric })
}

/// Since version 8 the options may name the type of the bias and the sum.
fn check_bias_type(layer: &Layer<'_>, options: &Options<'_, Conv2DOptions>) -> Result<()> {
    let number = options.get(Conv2DOptions::QUANTIZED_BIAS_TYPE)?;
    let (I16, Some(bias)) = (layer.input.ty, &layer.bias) else { return Ok(()) };
    ensure!(
        number == F32 as i8 || number == bias.ty as i8,
        "bias {bias} is {}, the options say type {number}; they must agree",
        bias.ty
    );
    Ok(())
}

/// Whether the sums of i16 products have 64 bits: they have the type of the bias, and 64 bits without one. (Where the
/// options do not name the type, TFLite reads 64-bit numbers even from a 32-bit bias, beyond its end.)
fn has_wide_bias(cx: &EvalContext<'_>) -> Result<bool> {
    Ok(cx.input_type(2).is_none_or(|ty| ty == I64))
}

/// The types of input and filter.
type Types = (ElementType, ElementType);

impl Conv2d {
    fn prepare_with(
        node: &NodeView<'_>,
        cx: &mut PrepareContext<'_>,
        kernel: impl FnOnce(Types, &mut PrepareContext<'_>, &Layer<'_>, Activation, &Shape) -> Result<Kernel>,
    ) -> Result<Self> {
        let layer = Layer::read(node, CHANNEL_AXIS);
        let layer = layer.as_ref().map_err(|&error| error)?;
        let (shape, activation) = begin(layer, node, cx)?;
        let kernel = kernel((layer.input.ty, layer.filter.ty), cx, layer, activation, &shape)?;
        if !matches!(kernel, Kernel::Hybrid { .. }) {
            let bytes = layer.input.ty.bits() as usize / 8;
            shape.windows.allow_behind(cx, bytes, shape.filters)?;
        }
        let weights = Weights::declare(cx, &layer.filter)?;
        Ok(Conv2d { shape, kernel, weights })
    }

    /// `prepare` for f32 alone.
    ///
    /// # Errors
    /// As for `prepare`, or the node has another form.
    pub fn prepare_f32(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        Conv2d::prepare_with(node, cx, |types, cx, _, fused, shape| match types {
            (F32, F32) => Ok(Kernel::Float { patch: cx.scratch(shape.patch)?, limits: fused.f32_range() }),
            _ => Err(only_form("f32")),
        })
    }

    /// `prepare` for i8 alone.
    ///
    /// # Errors
    /// As for `prepare`, or the node has another form.
    pub fn prepare_i8(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        Conv2d::prepare_with(node, cx, |types, cx, layer, fused, shape| match types {
            (I8, I8 | I4) => Kernel::quantized(cx, layer, fused, shape),
            _ => Err(only_form("i8")),
        })
    }

    /// `eval` for f32 alone.
    ///
    /// # Errors
    /// As for `eval`, or the node has another form.
    pub fn eval_f32(&self, cx: &EvalContext<'_>) -> Result<()> {
        match &self.kernel {
            Kernel::Float { patch, limits } => self.float(cx, cx.scratch(patch)?, *limits),
            _ => Err(other_form()),
        }
    }

    /// `eval` for f32 with quantized weights alone.
    ///
    /// # Errors
    /// As for `eval`, or the node has another form.
    pub fn eval_hybrid(&self, cx: &EvalContext<'_>) -> Result<()> {
        match &self.kernel {
            Kernel::Hybrid { patch, hybrid } => self.hybrid(cx, cx.scratch(patch)?, hybrid),
            _ => Err(other_form()),
        }
    }

    /// `eval` for i8 alone.
    ///
    /// # Errors
    /// As for `eval`, or the node has another form.
    pub fn eval_i8(&self, cx: &EvalContext<'_>) -> Result<()> {
        match &self.kernel {
            Kernel::Quantized { patch, requantization, .. } => {
                let (patch, weights) = (cx.scratch(patch)?, self.weights.read(cx)?);
                self.quantized::<i8, i8>(cx, weights, patch, requantization)
            }
            _ => Err(other_form()),
        }
    }

    fn float(&self, cx: &EvalContext<'_>, patch: &mut [f32], limits: Limits<f32>) -> Result<()> {
        let (x, w) = (cx.input_cells::<f32>(0)?, cx.input_slice::<f32>(1)?);
        let bias = float_bias(cx, 2)?;
        let steps = Steps {
            convert: |x: f32| x,
            dot: dot_f32,
            finish: |sum: f32, c: usize| limits.clamp(sum + bias.get(c).copied().unwrap_or(0.0)),
        };
        self.shape.convolve(cx, x, w, patch, cx.output_cells(0)?, steps)
    }

    fn quantized<X: Quantized, W: Weight>(
        &self,
        cx: &EvalContext<'_>,
        filter: &[W],
        patch: &mut [i16],
        requantization: &Requantization,
    ) -> Result<()> {
        let multipliers = requantization.multipliers.read(cx)?;
        let bias = Bias::read(cx, 2)?;
        let scale = match self.shape.groups {
            1 => |m: Multipliers<'_>, c, sum| m.of(c).apply_ties_up(sum),
            _ => |m: Multipliers<'_>, c, sum| m.of(c).apply(sum),
        };
        let steps = Steps {
            convert: |x: X| requantization.centered(x),
            dot: |patch: &[i16], filter: &[W]| dot_centered(patch, filter, requantization.filter_zero),
            finish: |sum: i32, c: usize| {
                requantization.output::<X>(scale(multipliers, c, sum.wrapping_add(bias.at(c) as i32)))
            },
        };
        self.shape.convolve(cx, cx.input_cells(0)?, filter, patch, cx.output_cells(0)?, steps)
    }

    /// i16 with 64-bit sums.
    fn wide(&self, cx: &EvalContext<'_>, patch: &mut [i16], requantization: &Requantization) -> Result<()> {
        let multipliers = requantization.multipliers.read(cx)?;
        let bias = Bias::read(cx, 2)?;
        let steps = Steps {
            convert: |x: i16| x,
            dot: dot_centered_i64,
            finish: |sum: i64, c: usize| {
                requantization.output::<i16>(multipliers.of(c).apply_i64(sum.wrapping_add(bias.at(c))))
            },
        };
        let (x, filter) = (cx.input_cells(0)?, self.weights.read(cx)?);
        self.shape.convolve(cx, x, filter, patch, cx.output_cells(0)?, steps)
    }

    fn hybrid(&self, cx: &EvalContext<'_>, patch: &mut [i16], hybrid: &Hybrid) -> Result<()> {
        let filter = self.weights.read(cx)?;
        let output_image = self.shape.windows.output_image(self.shape.filters);
        hybrid.for_each_image(cx, output_image, |image, meaning, y| {
            let steps = Steps {
                convert: |q: i8| i16::from(q).wrapping_sub(meaning.zero_point),
                dot: |patch: &[i16], filter: &[i8]| dot_centered(patch, filter, 0),
                finish: |sum: i32, c: usize| meaning.output(sum, c),
            };
            self.shape.convolve(cx, image.into(), filter, patch, cells_of(y), steps)
        })
    }
}

impl Shape {
    fn new(layer: &Layer<'_>, options: &WindowOptions) -> Result<Shape> {
        let Layer { input: x, filter: w, .. } = layer;
        let &[filters, height, width, depth] = w.shape else { return Err(layer.unsupported()) };
        let windows = Windows::new(x, [height, width], options)?;
        let (filters, depth) = (filters as usize, depth as usize);
        ensure!(
            windows.channels.is_multiple_of(depth),
            "filter {w} is {:?}, input {x} has {} channels; they must be a multiple of {depth}",
            w.shape,
            windows.channels
        );
        let groups = windows.channels / depth;
        ensure!(
            filters.is_multiple_of(groups),
            "filter {w} is {:?}, input {x} has {} channels: {filters} filters do not make {groups} groups",
            w.shape,
            windows.channels
        );
        Ok(Shape { windows, groups, depth, filters, patch: w.len() / filters })
    }

    /// Runs `steps` for every output element of all images.
    fn convolve<S: Copy, P: Copy + Default, W, A, Y>(
        &self,
        cx: &EvalContext<'_>,
        input: ReadCells<'_, S>,
        filter: &[W],
        patch: &mut [P],
        output: &[Cell<Y>],
        steps: Steps<impl Fn(S) -> P, impl Fn(&[P], &[W]) -> A, impl Fn(A, usize) -> Y>,
    ) -> Result<()> {
        let mut pace = Pace::new(cx);
        let group = self.filters / self.groups;
        self.windows.for_each_pixel(input, output, self.filters, |image, at, pixel| {
            pace.ahead(self.patch.saturating_mul(self.filters))?;
            let filters = filter.chunks_exact(self.patch * group);
            for (g, (out, filters)) in pixel.chunks_exact(group).zip(filters).enumerate() {
                self.gather(image, at, g, patch, &steps.convert);
                for (i, (out, filter)) in out.iter().zip(filters.chunks_exact(self.patch)).enumerate() {
                    out.set((steps.finish)((steps.dot)(patch, filter), g * group + i));
                }
            }
            Ok(())
        })
    }

    /// Copies the elements of a window that belong to a group; elements outside the image are zero.
    #[inline]
    fn gather<S: Copy, P: Copy + Default>(
        &self,
        image: ReadCells<'_, S>,
        Position { y, x }: Position,
        group: usize,
        patch: &mut [P],
        convert: &impl Fn(S) -> P,
    ) {
        let Windows { rows, columns, .. } = &self.windows;
        if !rows.is_inside(y) || !columns.is_inside(x) {
            patch.fill(P::default());
        }
        for (tap_y, in_y) in rows.inside(y) {
            for (tap_x, in_x) in columns.inside(x) {
                let pixel = self.windows.pixel(image, in_y, in_x);
                let from = pixel.range(group * self.depth..(group + 1) * self.depth);
                let to = &mut patch[(tap_y * columns.filter + tap_x) * self.depth..][..self.depth];
                for (to, from) in to.iter_mut().zip(from.iter()) {
                    *to = convert(from);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::schema::padding::{SAME, VALID};
    use arenite_abi::schema::{DepthwiseConv2DOptions, OptionsTable, activation};
    use arenite_abi::testing::{OpTest, OptionsBuilder, Spec, Tensor};

    fn test(x: Tensor, w: Tensor, bias: Tensor, out: Spec) -> OpTest<Conv2d> {
        OpTest::new().input(x).constant(w).constant(bias).output(out)
    }

    fn options(
        padding: i8,
        stride: i32,
    ) -> impl Fn(OptionsBuilder<Conv2DOptions>) -> OptionsBuilder<Conv2DOptions> {
        move |o| {
            o.set(Conv2DOptions::PADDING, padding)
                .set(Conv2DOptions::STRIDE_W, stride)
                .set(Conv2DOptions::STRIDE_H, stride)
        }
    }

    fn one_to_nine() -> Tensor {
        Tensor::f32(&[1, 3, 3, 1], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0])
    }

    #[test]
    fn float_windows() {
        // The filter adds the top left and the bottom right element of a window.
        let diagonal = || Tensor::f32(&[1, 2, 2, 1], &[1.0, 0.0, 0.0, 1.0]);
        let half = || Tensor::f32(&[1], &[0.5]);
        let with = |o: OptionsBuilder<Conv2DOptions>, activation: i8, dilation: i32| {
            o.set(Conv2DOptions::FUSED_ACTIVATION_FUNCTION, activation)
                .set(Conv2DOptions::DILATION_W_FACTOR, dilation)
                .set(Conv2DOptions::DILATION_H_FACTOR, dilation)
        };
        type Case = (i8, i32, i8, i32, &'static [i32], &'static [f32]);
        let cases: [Case; 5] = [
            (VALID, 1, activation::NONE, 1, &[1, 2, 2, 1], &[6.5, 8.5, 12.5, 14.5]),
            (VALID, 1, activation::RELU6, 1, &[1, 2, 2, 1], &[6.0, 6.0, 6.0, 6.0]),
            // The padding comes last, so the last row and column add nothing.
            (SAME, 1, activation::NONE, 1, &[1, 3, 3, 1], &[6.5, 8.5, 3.5, 12.5, 14.5, 6.5, 7.5, 8.5, 9.5]),
            (SAME, 2, activation::NONE, 1, &[1, 2, 2, 1], &[6.5, 3.5, 7.5, 9.5]),
            (VALID, 1, activation::NONE, 2, &[1, 1, 1, 1], &[10.5]),
        ];
        for (padding, stride, activation, dilation, shape, want) in cases {
            let out = test(one_to_nine(), diagonal(), half(), Spec::f32())
                .options(|o| with(options(padding, stride)(o), activation, dilation))
                .run()
                .unwrap();
            assert_eq!((out[0].shape(), out[0].as_f32().as_slice()), (shape, want));
        }
    }

    #[test]
    fn float_channels_groups_and_batches() {
        // Two images; two groups of two channels.
        let x = Tensor::f32(&[2, 1, 1, 4], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
        let grouped = Tensor::f32(&[2, 1, 1, 2], &[1.0, 10.0, 100.0, 1000.0]);
        let full = Tensor::f32(&[1, 1, 1, 4], &[1.0, 10.0, 100.0, 1000.0]);
        for (w, want) in [(grouped, vec![21.0, 4300.0, 65.0, 8700.0]), (full, vec![4321.0, 8765.0])] {
            let bias = Tensor::f32(&[w.shape()[0]], &vec![0.0; w.shape()[0] as usize]);
            let out = test(x.clone(), w, bias, Spec::f32()).options(options(VALID, 1)).run().unwrap();
            assert_eq!(out[0].as_f32(), want);
        }
    }

    #[test]
    fn signed_per_channel() {
        // Real values: x = [1, 2], filters [2, 3] and [-2, 4], bias 1 and 1 give 9 and 7.
        let x = Tensor::i8(&[1, 1, 1, 2], &[3, 5]).quantized(0.5, 1);
        let w = Tensor::i8(&[2, 1, 1, 2], &[2, 3, -4, 8]).per_channel(&[1.0, 0.5], &[0, 0], 0);
        let bias = Tensor::i32(&[2], &[2, 4]).per_channel(&[0.5, 0.25], &[0, 0], 0);
        let run = |x, w, out| test(x, w, bias.clone(), out).options(options(SAME, 1)).run().unwrap();
        assert_eq!(run(x.clone(), w, Spec::i8(1.0, -3))[0].as_i8(), [6, 4]);
        // The same with 4-bit weights: [-2, 4] is [-4, 8] at half the scale, but 8 saturates at 7.
        let w = Tensor::i4(&[2, 1, 1, 2], &[2, 3, -4, 7]).per_channel(&[1.0, 0.5], &[0, 0], 0);
        // (2 × -4 + 4 × 7 + 4) / 4 = 6.
        assert_eq!(run(x, w, Spec::i8(1.0, -3))[0].as_i8(), [6, 3]);
    }

    #[test]
    fn padding_is_the_zero_point() {
        let x = Tensor::i8(&[1, 1, 1, 1], &[7]).quantized(1.0, 5);
        let w = Tensor::i8(&[1, 3, 3, 1], &[1, 1, 1, 1, 2, 1, 1, 1, 1]).quantized(1.0, 0);
        let bias = Tensor::i32(&[1], &[0]).quantized(1.0, 0);
        let out = test(x, w, bias, Spec::i8(1.0, 0)).options(options(SAME, 1)).run().unwrap();
        assert_eq!(out[0].as_i8(), [4]);
    }

    #[test]
    fn ties_round_up_and_with_groups_away_from_zero() {
        // -6 / 4 = -1.5.
        let x = Tensor::i8(&[1, 1, 1, 2], &[-6, -6]).quantized(0.25, 0);
        let bias = Tensor::i32(&[2], &[0, 0]);
        let one = Tensor::i8(&[2, 1, 1, 2], &[1, 0, 0, 1]).quantized(1.0, 0);
        let grouped = Tensor::i8(&[2, 1, 1, 1], &[1, 1]).quantized(1.0, 0);
        for (w, want) in [(one, [-1, -1]), (grouped, [-2, -2])] {
            let out = test(x.clone(), w, bias.clone(), Spec::i8(1.0, 0)).options(options(VALID, 1)).run();
            assert_eq!(out.unwrap()[0].as_i8(), want);
        }
    }

    #[test]
    fn unsigned() {
        // Real values: (10 - 8) × 0.5 = 1, (4 - 8) × 0.5 = -2; weights (3 - 2) × 1, (0 - 2) × 1; the sum is 1 + 4 = 5,
        // and activation::RELU6 at scale 0.05 ends at 120 + 100.
        let x = Tensor::u8(&[1, 1, 1, 2], &[10, 4]).quantized(0.5, 8);
        let w = Tensor::u8(&[1, 1, 1, 2], &[3, 0]).quantized(1.0, 2);
        for (bias, want) in [(0, 100 + 100), (4, 100 + 120)] {
            let bias = Tensor::i32(&[1], &[bias]).quantized(0.5, 0);
            let out = test(x.clone(), w.clone(), bias, Spec::u8(0.05, 100))
                .options(|o| {
                    options(VALID, 1)(o).set(Conv2DOptions::FUSED_ACTIVATION_FUNCTION, activation::RELU6)
                })
                .run()
                .unwrap();
            assert_eq!(i32::from(out[0].as_u8()[0]), want.min(220));
        }
    }

    #[test]
    fn sixteen_bits() {
        // The bias alone is 2^33 × 2^-24 = 512 and needs 64 bits. Otherwise the sum is 3 × 2 + 2 = 8 steps of the same
        // size.
        let x = Tensor::i16(&[1, 1, 1, 1], &[3]).quantized(1.0, 0);
        let w = Tensor::i8(&[1, 1, 1, 1], &[2]).quantized(1.0, 0);
        let run = |bias, scale| {
            test(x.clone(), w.clone(), bias, Spec::i16(scale, 0)).options(options(VALID, 1)).run().unwrap()[0]
                .as_i16()
        };
        assert_eq!(run(Tensor::i64(&[1], &[1 << 33]), 16_777_216.0), [512]);
        assert_eq!(run(Tensor::i64(&[1], &[2]), 1.0), [8]);
        assert_eq!(run(Tensor::i32(&[1], &[2]), 1.0), [8]);
    }

    #[test]
    fn dynamic_range() {
        // Symmetric: scale 2 / 127, q = [127, -64]: 127 × 10 - 64 × 5 = 950; 950 × 2 / 127 × 0.1 + 1.
        let x = Tensor::f32(&[1, 1, 1, 2], &[2.0, -1.0]);
        let w = Tensor::i8(&[1, 1, 1, 2], &[10, 5]).quantized(0.1, 0);
        let bias = Tensor::f32(&[1], &[1.0]);
        let out = test(x, w, bias, Spec::f32()).options(options(VALID, 1)).run().unwrap();
        assert!((out[0].as_f32()[0] - (950.0 * 0.2 / 127.0 + 1.0)).abs() < 1e-6);
        // Asymmetric, one row per image: both ends of the ranges [0, 255] and [-51, 0] are exact.
        let x = Tensor::f32(&[2, 1, 1, 2], &[255.0, 0.0, -51.0, 0.0]);
        let w = Tensor::i8(&[2, 1, 1, 2], &[3, 9, -2, 9]).per_channel(&[0.5, 0.25], &[0, 0], 0);
        let bias = Tensor::f32(&[2], &[0.0, 0.0]);
        let out = test(x, w, bias, Spec::f32()).options(options(VALID, 1)).run().unwrap();
        for (got, want) in out[0].as_f32().iter().zip([382.5, -127.5, -76.5, 25.5]) {
            assert!((got - want).abs() < 1e-4, "{got} {want}");
        }
    }

    #[test]
    fn empty_batch() {
        let x = Tensor::f32(&[0, 3, 3, 1], &[]);
        let w = Tensor::f32(&[2, 1, 1, 1], &[1.0, 1.0]);
        let out = test(x, w, Tensor::f32(&[2], &[0.0; 2]), Spec::f32()).options(options(SAME, 2)).run();
        assert_eq!(out.unwrap()[0].shape(), [0, 2, 2, 2]);
    }

    #[test]
    fn refusals() {
        let f32s = |shape: &[i32]| {
            let count = shape.iter().fold(1i32, |n, &d| n.wrapping_mul(d)) as usize;
            Tensor::f32(shape, &vec![0.0; count])
        };
        let float = |x: &[i32], w: &[i32], bias: i32| test(f32s(x), f32s(w), f32s(&[bias]), Spec::f32());
        let signed = |x: Tensor, w: Tensor, out: Spec| test(x, w, Tensor::i32(&[1], &[0]), out);
        let x8 = |zero: i64| Tensor::i8(&[1, 1, 1, 1], &[0]).quantized(1.0, zero);
        let w8 = || Tensor::i8(&[1, 1, 1, 1], &[0]);
        let i8s = || Spec::i8(1.0, 0);
        let plain = options(VALID, 1);
        let cases = [
            (
                float(&[1, 1, 1, 16], &[2, 1, 1, 3], 2),
                "input 'in0' has 16 channels; they must be a multiple of 3",
            ),
            (float(&[1, 1, 1, 4], &[3, 1, 1, 2], 3), "3 filters do not make 2 groups"),
            (
                float(&[1, 1, 1, 1], &[2, 1, 1, 1], 3),
                "bias 'in2' has 3 elements, filter 'in1' gives 2 channels",
            ),
            (float(&[1, 1, 1, 1], &[2, 0, 1, 1], 2), "no dimension may be zero"),
            (float(&[1, 0, 1, 1], &[2, 1, 1, 1], 2), "must be above zero"),
            (float(&[1, 1, 1], &[2, 1, 1, 1], 2), "must have 4 dimensions"),
            (float(&[1, 1, 1, 1], &[2, 1, 1], 2), "must have 4 dimensions"),
            (float(&[1, 2, 2, 1], &[1, 5, 1, 1], 1), "do not fit the input's height 2"),
            (float(&[0, i32::MAX, i32::MAX, i32::MAX], &[1, 1, 1, 1], 1), "does not fit the address space"),
            (signed(x8(0), w8().quantized(1.0, 3), i8s()), "signed filters must be symmetric"),
            (
                signed(x8(300), w8().quantized(1.0, 0), i8s()),
                "'in0' has zero point 300, which INT8 does not hold",
            ),
            (signed(x8(0), w8().per_channel(&[1.0; 3], &[0; 3], 0), i8s()), "has 3 scales"),
            (signed(x8(0), w8().quantized(f32::NAN, 0), i8s()), "no finite multiplier"),
            (signed(x8(0), w8().quantized(1.0, 0), Spec::i8(0.0, 0)), "no finite multiplier"),
            (signed(x8(0), w8().quantized(1.0, 0), Spec::u8(1.0, 0)), "they must agree"),
            (
                signed(
                    Tensor::i16(&[1, 1, 1, 1], &[0]).quantized(1.0, 1),
                    w8().quantized(1.0, 0),
                    Spec::i16(1.0, 0),
                ),
                "zero points of INT16 must be 0",
            ),
        ];
        for (test, message) in cases {
            let error = test.options(&plain).run().unwrap_err();
            assert!(error.message().contains(message), "{error}, not {message}");
        }
        let good = float(&[1, 1, 1, 1], &[1, 1, 1, 1], 1);
        let cases: [(OpTest<Conv2d>, &str); 6] = [
            (good.clone(), "stride along the height is 0"),
            (
                good.clone().options(|o| plain(o).set(Conv2DOptions::DILATION_W_FACTOR, 0)),
                "dilation along the width is 0",
            ),
            (
                good.clone().options(|o| plain(o).set(Conv2DOptions::FUSED_ACTIVATION_FUNCTION, 9)),
                "activation is number 9",
            ),
            (
                good.clone()
                    .options(|o| plain(o).set(Conv2DOptions::FUSED_ACTIVATION_FUNCTION, activation::TANH)),
                "Tanh",
            ),
            (good.clone().options(options(7, 1)), "padding is number 7"),
            (good.options_table(DepthwiseConv2DOptions::INFO.tag, &[], 0), "union type 2"),
        ];
        for (test, message) in cases {
            let error = test.run().unwrap_err();
            assert!(error.message().contains(message), "{error}, not {message}");
        }
    }
}

//! Code that CONV_2D and DEPTHWISE_CONV_2D share: checks of their tensors, and requantization.
//!
//! Defined by: tflite/kernels/conv.cc, tflite/kernels/depthwise_conv.cc, tflite/kernels/kernel_util.cc.

use super::activation::{Activation, Limits};
use super::bias::float_bias;
use super::channel_multipliers::{ChannelMultipliers, filter_scales};
use super::hybrid::{Symmetry, quantize_row};
use super::node;
use super::node::{quant, quantized_range, type_limits};
use super::packed;
use super::quantized::Quantized;
use super::ratio::agree;
use arenite_abi::prelude::*;

/// The tensors of a convolution.
pub struct Layer<'a> {
    /// The input, `[batches, height, width, channels]`.
    pub input: TensorView<'a>,
    /// The weights; the op determines the meaning of their axes.
    pub filter: TensorView<'a>,
    /// The bias, one number per output channel.
    pub bias: Option<TensorView<'a>>,
    /// The output, which has the input's type.
    pub output: TensorView<'a>,
}

plain! {
    /// Converts sums of products to a quantized output.
    pub struct Requantization {
        /// The multipliers of the output channels.
        pub multipliers: ChannelMultipliers,
        /// The zero point of the input.
        pub input_zero: i16,
        /// The zero point of the filter.
        pub filter_zero: i16,
        /// The zero point of the output.
        pub output_zero: i32,
        /// The range of the output.
        pub limits: Limits<i32>,
    }
}

plain! {
    /// The source of a layer's signed weights.
    pub struct Weights {
        /// 4-bit weights, unpacked to one per byte.
        unpacked: Maybe<Scratch<i8>>,
    }
}

plain! {
    /// A float layer with quantized weights. Its images are quantized one at a time.
    pub struct Hybrid {
        image: Scratch<i8>,
        symmetry: Symmetry,
        limits: Limits<f32>,
        channels: usize,
        /// The filter axis that enumerates the output channels.
        axis: usize,
    }
}

/// The quantization of one image, which gives its sums their meaning.
pub struct Meaning<'a> {
    /// The zero point of the image.
    pub zero_point: i16,
    scale: f32,
    filter: &'a Quantization<'a>,
    bias: &'a [f32],
    limits: Limits<f32>,
}

impl<'a> Layer<'a> {
    /// Reads the inputs and the output of the node.
    ///
    /// # Errors
    /// The filter does not have rank 4 or is empty, the output does not have the input's type, or the bias does not
    /// have `channels(filter shape)` elements of a type that matches the input.
    pub fn read(node: &NodeView<'a>, channel_axis: usize) -> Result<Layer<'a>> {
        node.expect(2..=3, 1..=1)?;
        // The layer is checked where it stays, because each copy takes stack from small machines.
        let layer = Layer::tensors(node);
        if let Ok(layer) = &layer {
            layer.check(channel_axis)?;
        }
        layer
    }

    #[inline(always)] // builds the result in place
    fn tensors(node: &NodeView<'a>) -> Result<Layer<'a>> {
        Ok(Layer {
            input: node.input(0)?,
            filter: node.input(1)?,
            bias: node.optional_input(2)?,
            output: node.output(0)?,
        })
    }

    fn check(&self, channel_axis: usize) -> Result<()> {
        let Layer { input: x, filter: w, output: y, .. } = self;
        node::same_type(y, x)?;
        ensure!(w.rank() == 4, "filter {w} has shape {:?}; it must have 4 dimensions", w.shape);
        ensure!(w.shape.iter().all(|&d| d > 0), "filter {w} is {:?}; no dimension may be zero", w.shape);
        self.check_bias(w.shape[channel_axis])
    }

    /// The error for a combination of types that no kernel supports.
    pub fn unsupported(&self) -> Error {
        match &self.bias {
            Some(bias) => unsupported!(
                "no kernel for input {}, filter {} and bias {}",
                self.input.ty,
                self.filter.ty,
                bias.ty
            ),
            None => unsupported!("no kernel for input {} and filter {}", self.input.ty, self.filter.ty),
        }
    }

    fn check_bias(&self, channels: i32) -> Result<()> {
        let Some(bias) = &self.bias else { return Ok(()) };
        ensure!(
            bias.len() == channels as usize,
            "bias {bias} has {} elements, filter '{}' gives {channels} channels; they must agree",
            bias.len(),
            self.filter.name()
        );
        let served = match self.input.ty {
            F32 => bias.ty == F32,
            I16 => matches!(bias.ty, I32 | I64),
            _ => bias.ty == I32,
        };
        if !served {
            return Err(self.unsupported());
        }
        if let Some(q) = bias.quantization() {
            ensure!(
                q.zero_points.iter().all(|&z| z == 0),
                "bias {bias} has zero point {}; it must be 0",
                q.zero_points[0]
            );
        }
        Ok(())
    }
}

impl Requantization {
    /// For u8, i8 and i16 inputs. `axis` is the filter axis that enumerates the output channels.
    ///
    /// # Errors
    /// A tensor is not quantized, a zero point is out of range, or a multiplier is not finite.
    pub fn new(
        cx: &mut PrepareContext<'_>,
        layer: &Layer<'_>,
        axis: usize,
        activation: Activation,
    ) -> Result<Requantization> {
        let Layer { input: x, filter: w, output: y, .. } = layer;
        let (input_zero, filter_zero) = (zero_point(x)?, filter_zero_point(x, w)?);
        let output_zero = zero_point(y)?;
        if x.ty == I16 {
            ensure!(
                input_zero == 0 && output_zero == 0,
                "zero points of INT16 must be 0: input {x} has {input_zero}, output {y} has {output_zero}"
            );
        }
        let tensors = [x, w, y];
        let multipliers = if x.ty == U8 {
            check_bias_scale(layer)?;
            ChannelMultipliers::per_tensor(cx, tensors)?
        } else {
            ChannelMultipliers::per_channel(cx, tensors, w.shape[axis] as usize, axis)?
        };
        let limits = quantized_range(activation, y)?;
        Ok(Requantization { multipliers, input_zero, filter_zero, output_zero: output_zero.into(), limits })
    }

    /// An element of the input minus the zero point.
    #[inline]
    pub fn centered<X: Quantized>(&self, x: X) -> i16 {
        (x.into() as i16).wrapping_sub(self.input_zero)
    }

    /// The output element for a scaled sum.
    #[inline]
    pub fn output<Y: Quantized>(&self, scaled: i32) -> Y {
        Y::saturate(self.limits.clamp(scaled.wrapping_add(self.output_zero)))
    }
}

impl Weights {
    /// Declares scratch memory for the weights if they are packed.
    ///
    /// # Errors
    /// The host refuses the scratch memory.
    pub fn declare(cx: &mut PrepareContext<'_>, filter: &TensorView<'_>) -> Result<Weights> {
        let unpacked = match filter.ty {
            I4 => Maybe::Present(cx.scratch(filter.len())?),
            _ => Maybe::Absent,
        };
        Ok(Weights { unpacked })
    }

    /// The weights, which are input 1 of the node, one per byte.
    ///
    /// # Errors
    /// The filter does not have the prepared type.
    pub fn read<'a>(&self, cx: &EvalContext<'a>) -> Result<&'a [i8]> {
        let filter = cx.input(1)?;
        let Some(unpacked) = self.unpacked.as_ref() else { return filter.as_slice() };
        let weights = cx.scratch(unpacked)?;
        packed::unpack(filter.ty, filter.bytes(), 0, weights);
        Ok(weights)
    }
}

impl Hybrid {
    /// For images of `image` elements.
    ///
    /// # Errors
    /// The filter's scales do not match its axis `axis`.
    pub fn new(
        cx: &mut PrepareContext<'_>,
        layer: &Layer<'_>,
        axis: usize,
        image: usize,
        symmetry: Symmetry,
        activation: Activation,
    ) -> Result<Hybrid> {
        let channels = layer.filter.shape[axis] as usize;
        filter_scales(&layer.filter, channels, axis)?;
        Ok(Hybrid { image: cx.scratch(image)?, symmetry, limits: activation.f32_range(), channels, axis })
    }

    /// Calls `f(quantized image, meaning, output image)` for each image until it fails. An output image has
    /// `output_image` elements.
    ///
    /// # Errors
    /// The error of `f`, or the invocation is cancelled.
    pub fn for_each_image(
        &self,
        cx: &EvalContext<'_>,
        output_image: usize,
        mut f: impl FnMut(&[i8], &Meaning<'_>, &mut [f32]) -> Result<()>,
    ) -> Result<()> {
        let filter = self.filter(cx)?;
        let (bias, image) = (float_bias(cx, 2)?, cx.scratch(&self.image)?);
        let (x, y) = (cx.input_slice::<f32>(0)?, cx.output_slice::<f32>(0)?);
        let outputs = y.chunks_exact_mut(output_image.max(1));
        for (x, y) in x.chunks_exact(image.len().max(1)).zip(outputs) {
            let (scale, zero_point) = quantize_row(x, self.symmetry, image);
            let zero_point = zero_point as i16;
            f(image, &Meaning { zero_point, scale, filter: &filter, bias, limits: self.limits }, y)?;
        }
        Ok(())
    }

    /// The scales of the filter.
    #[inline(never)] // keeps the tensor's description off the caller's stack
    fn filter<'a>(&self, cx: &EvalContext<'a>) -> Result<Quantization<'a>> {
        filter_scales(&cx.input(1)?, self.channels, self.axis)
    }
}

impl Meaning<'_> {
    /// The output element for a sum.
    #[inline]
    pub fn output(&self, sum: i32, channel: usize) -> f32 {
        let real = sum as f32 * (self.filter.scale_of(channel) * self.scale);
        self.limits.clamp(real + self.bias.get(channel).copied().unwrap_or(0.0))
    }
}

/// The zero point, which must be a value of the tensor's type.
fn zero_point(x: &TensorView<'_>) -> Result<i16> {
    let z = quant(x)?.zero_point;
    let fits = type_limits(x.ty).is_none_or(|limits| limits.clamp(z) == z);
    i16::try_from(z)
        .ok()
        .filter(|_| fits)
        .ok_or_else(|| invalid!("{x} has zero point {z}, which {} does not hold", x.ty))
}

/// The zero point of the filter; signed filters must be symmetric.
fn filter_zero_point(x: &TensorView<'_>, w: &TensorView<'_>) -> Result<i16> {
    if x.ty == U8 {
        return zero_point(w);
    }
    if let Some(q) = w.quantization() {
        ensure!(
            q.zero_points.iter().all(|&z| z == 0),
            "filter {w} is {} with a zero point other than 0; signed filters must be symmetric",
            w.ty
        );
    }
    Ok(0)
}

/// The bias counts in steps of `input scale × filter scale`, up to 2 % of an output step.
fn check_bias_scale(layer: &Layer<'_>) -> Result<()> {
    let Some(bias) = &layer.bias else { return Ok(()) };
    let Some(scale) = bias.quantization().map(|q| q.scales[0]) else { return Ok(()) };
    let (input, filter) = (quant(&layer.input)?.scale, quant(&layer.filter)?.scale);
    ensure!(
        agree(input, filter, scale, quant(&layer.output)?.scale),
        "bias {bias} has scale {scale}, input × filter is {}; they must agree to 2 % of the output's scale",
        f64::from(input) * f64::from(filter)
    );
    Ok(())
}

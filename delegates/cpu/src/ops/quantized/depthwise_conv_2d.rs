//! DEPTHWISE_CONV_2D of bytes with constant weights of 8 or 4 bits.
//!
//! Defined by: tflite/kernels/depthwise_conv.cc; rounding as of its SIMD kernels, which take eight signed channels at a time and round
//! ties up; what is left over, and unsigned channels, round them away from zero.

use arenite_abi::prelude::*;
use arenite_abi::schema::DepthwiseConv2DOptions;

use super::product::{bias, check, multipliers};
use super::{Quantized, Weights, range, unsigned};
use crate::fixed_point::{Multiplier, Ties};
use crate::net::{Net, Node};
use crate::ops::conv_2d::expect_shape;
use crate::ops::{Build, Layer, Source};
use crate::requantize::Channel;
use crate::steps::dwconv_u8::{DwConvU8, Parts};
use crate::steps::planes_u8;
use crate::window::Window;

/// A convolution of each channel with its own filters, which are constant.
pub struct DepthwiseProduct<'a> {
    /// Where it reads.
    pub window: Window,
    /// Results per channel of the input.
    multiplier: usize,
    /// `[taps][channels · multiplier]`.
    weights: Weights<'a>,
    /// One per channel of the output.
    multipliers: Vec<Multiplier>,
    bias: Option<&'a [i32]>,
    activation: i8,
    /// Channels that round ties up; the others round them away from zero.
    up: usize,
}

/// Lowers DEPTHWISE_CONV_2D.
pub fn lower<'a>(x: &Source<'_, 'a>) -> Result<Node<'a>> {
    let ((input, image), (_, filter), (output, result)) = (x.input(0)?, x.input(1)?, x.output(0)?);
    check(image, result)?;
    let &[1, height, width, filters] = &filter.shape[..] else {
        return Err(unsupported!("the filter has shape {:?}", filter.shape));
    };
    let options = x.node.options()?;
    let window = Window::read(&options, &image.shape, [height, width])?;
    let multiplier = filters / window.channels;
    ensure!(
        multiplier > 0 && multiplier * window.channels == filters,
        "the filter has shape {:?}, the input {:?}",
        filter.shape,
        image.shape
    );
    let (weights, scales) = Weights::read(x, 3)?;
    if !planes_u8::takes(&window, weights.terms()) {
        return Err(unsupported!(
            "the filter has {height} × {width} taps, which are too many, or too far apart"
        ));
    }
    expect_shape(&result.shape, &window, filters)?;
    let layer = DepthwiseProduct {
        window,
        multiplier,
        weights,
        multipliers: multipliers(image, &scales, result, filters, image.ty == U8)?,
        bias: bias(x, 2, filters)?,
        activation: options.get(DepthwiseConv2DOptions::FUSED_ACTIVATION_FUNCTION)?,
        up: if image.ty == U8 { 0 } else { filters & !7 },
    };
    Ok(Node::new(Layer::Quantized(Quantized::Depthwise(layer)), vec![input], vec![output]))
}

impl DepthwiseProduct<'_> {
    /// Whether each channel of the input has one of the output.
    pub fn is_plain(&self) -> bool {
        self.multiplier == 1
    }

    /// Packs the weights.
    pub fn build(&self, node: &Node<'_>, net: &Net<'_>, build: &Build) -> Result<DwConvU8> {
        let (input, output) = (node.inputs[0], node.outputs[0]);
        let (from, to) = (unsigned(net, input)?, unsigned(net, output)?);
        let taps = self.window.rows.taps * self.window.columns.taps;
        let channels = self.multipliers.iter().enumerate().map(|(c, &multiplier)| Channel {
            bias: self.bias.map_or(0, |bias| bias[c]),
            factor: multiplier.factor(if c < self.up { Ties::Up } else { Ties::Away }),
        });
        let zero = self.weights.zero_point as i16;
        let weights: Vec<i16> =
            (0..taps * self.multipliers.len()).map(|i| i16::from(self.weights.at(i)) - zero).collect();
        DwConvU8::new(
            build.bytes.dwconv,
            &build.store,
            Parts {
                name: &format!("{:?}", node.packed),
                window: self.window,
                multiplier: self.multiplier,
                weights: &weights,
                channels: &channels.collect::<Vec<_>>(),
                zero_point: from.zero_point as u8,
                bytes: range(self.activation, to)?,
                input,
                output,
            },
        )
    }
}

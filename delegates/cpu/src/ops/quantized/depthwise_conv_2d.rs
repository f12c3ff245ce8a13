//! DEPTHWISE_CONV_2D of bytes with constant weights of 8 or 4 bits.
//!
//! Defined by: tflite/kernels/depthwise_conv.cc. It rounds as its SIMD kernels do: these take eight signed channels
//! at a time and round ties up. The remaining channels, and unsigned ones, round ties away from zero.

use arenite_abi::prelude::*;
use arenite_layers::lower::depthwise_conv_2d;
use arenite_layers::{EpilogueOp, Node, Source, Window};

use super::product::{check, multipliers};
use super::quantization::{raised, range, unsigned};
use crate::fixed_point::{Multiplier, Ties};
use crate::ops::build::{Build, ByRows, Offers};
use crate::ops::values::{NetValues, NodeValues};
use crate::reach::planes_u8;
use crate::reach::weights_u8::Weights;
use crate::requantize::{Bytes, Channel};
use crate::steps::cascade::RowStep;
use crate::steps::dwconv_u8::{DwConvU8, DwConvU8Parameters};

/// A convolution of each channel with its own filters, which are constant.
pub(crate) struct DepthwiseProduct<'a> {
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
pub(super) fn lower<'a>(x: &Source<'_, 'a>) -> Result<Node<DepthwiseProduct<'a>>> {
    let ((input, image), (output, result)) = (x.input(0)?, x.output(0)?);
    check(image, result)?;
    let geometry = depthwise_conv_2d::Geometry::read(x)?;
    let filters = geometry.filters();
    let (weights, scales) = Weights::read(x, 3)?;
    expect_planes(&geometry.window, weights.terms())?;
    let layer = DepthwiseProduct {
        window: geometry.window,
        multiplier: geometry.multiplier,
        weights,
        multipliers: multipliers(image, &scales, result, filters, image.ty == U8)?,
        bias: x.bias(2, filters)?,
        activation: geometry.activation,
        up: if image.ty == U8 { 0 } else { filters & !7 },
    };
    Ok(Node::new(layer, vec![input], vec![output]))
}

/// # Errors
/// If the kernels for bytes do not support the window with `terms` terms per weight.
pub(crate) fn expect_planes(window: &Window, terms: usize) -> Result<()> {
    let [height, width] = [window.rows.taps, window.columns.taps];
    match planes_u8::takes(window, terms) {
        true => Ok(()),
        false => Err(unsupported!(
            "the filter has {height} × {width} taps; fewer taps, or a smaller dilation, are supported"
        )),
    }
}

impl ByRows for DepthwiseProduct<'_> {
    fn window(&self) -> (&Window, usize) {
        (&self.window, self.window.channels)
    }

    fn epilogue(&self) -> &[EpilogueOp] {
        &[]
    }

    /// Small compared with the weights of products.
    fn weights(&self) -> usize {
        0
    }

    fn is_faster_whole(&self, _: &Build) -> bool {
        false
    }

    fn rows(
        &self,
        node: &NodeValues<'_>,
        net: &NetValues<'_, '_>,
        build: &Build,
    ) -> Result<Box<dyn RowStep>> {
        Ok(Box::new(self.build(node, net, build)?))
    }
}

impl DepthwiseProduct<'_> {
    /// How passes may rewrite it. It needs no border: its planes include one.
    pub(crate) fn offers(&self) -> Offers<'_> {
        Offers { rows: (self.multiplier == 1).then_some(self as &dyn ByRows), border: None }
    }

    /// Packs the weights.
    pub(crate) fn build(
        &self,
        node: &NodeValues<'_>,
        net: &NetValues<'_, '_>,
        build: &Build,
    ) -> Result<DwConvU8> {
        let (input, output) = (node.inputs[0], node.outputs[0]);
        let (from, (to, flip)) = (unsigned(net, input)?, raised(net, output)?);
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
            DwConvU8Parameters {
                name: &format!("{} less {zero}", build.name(node, net)?),
                window: self.window,
                multiplier: self.multiplier,
                weights: &weights,
                channels: &channels.collect::<Vec<_>>(),
                zero_point: from.zero_point as u8,
                bytes: Bytes { flip, ..range(self.activation, to)? },
                input,
                output,
            },
        )
    }
}

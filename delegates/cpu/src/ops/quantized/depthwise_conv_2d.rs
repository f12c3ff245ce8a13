//! DEPTHWISE_CONV_2D of bytes with constant weights of 8 or 4 bits.
//!
//! Defined by: tflite/kernels/depthwise_conv.cc; rounding as of its SIMD kernels, which take eight signed channels at a time and round
//! ties up; what is left over, and unsigned channels, round them away from zero.

use arenite_abi::prelude::*;
use arenite_layers::ops::depthwise_conv_2d;
use arenite_layers::{EpilogueOp, Node, Source, Window};

use super::product::{check, multipliers};
use super::{Lowered, Quantized, Weights, range, unsigned};
use crate::fixed_point::{Multiplier, Ties};
use crate::net::{self, Net};
use crate::ops::{Build, ByRows, Offers};
use crate::requantize::Channel;
use crate::steps::cascade::Rows;
use crate::steps::dwconv_u8::{DwConvU8, Parts};
use crate::steps::planes_u8;

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
pub fn lower<'a>(x: &Source<'_, 'a>) -> Result<Lowered<'a>> {
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
    Ok(Node::new(Quantized::Depthwise(layer), vec![input], vec![output]))
}

/// An error unless the kernels of bytes take such a window, with so many terms for each weight.
pub fn expect_planes(window: &Window, terms: usize) -> Result<()> {
    let [height, width] = [window.rows.taps, window.columns.taps];
    match planes_u8::takes(window, terms) {
        true => Ok(()),
        false => {
            Err(unsupported!("the filter has {height} × {width} taps, which are too many, or too far apart"))
        }
    }
}

impl ByRows for DepthwiseProduct<'_> {
    fn window(&self) -> (&Window, usize) {
        (&self.window, self.window.channels)
    }

    fn epilogue(&self) -> &[EpilogueOp] {
        &[]
    }

    /// Few beside those of products.
    fn weights(&self) -> usize {
        0
    }

    fn is_faster_whole(&self, _: &Build) -> bool {
        false
    }

    fn rows(&self, node: &net::Node<'_>, net: &Net<'_>, build: &Build) -> Result<Box<dyn Rows>> {
        Ok(Box::new(self.build(node, net, build)?))
    }
}

impl DepthwiseProduct<'_> {
    /// What passes may make of it. It has borders of its own, in planes.
    pub fn offers(&self) -> Offers<'_> {
        Offers { rows: (self.multiplier == 1).then_some(self as &dyn ByRows), border: None }
    }

    /// Packs the weights.
    pub fn build(&self, node: &net::Node<'_>, net: &Net<'_>, build: &Build) -> Result<DwConvU8> {
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
                name: &format!("{} less {zero}", build.name(node, net)?),
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

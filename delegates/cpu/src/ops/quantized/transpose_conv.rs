//! TRANSPOSE_CONV of signed bytes with constant weights.
//!
//! Defined by: tflite/kernels/transpose_conv.cc, optimized/integer_ops/transpose_conv.h, whose vectors take eight channels at a time and
//! round ties up.

use arenite_abi::prelude::*;
use arenite_layers::ops::transpose_conv::Geometry;
use arenite_layers::{Node, Source, Window};

use super::product::{check, multipliers};
use super::{Lowered, Quantized, Weights, range, unsigned};
use crate::fixed_point::{Multiplier, Ties};
use crate::net::{self, Net};
use crate::ops::Build;
use crate::program::Step;
use crate::requantize::Channel;
use crate::steps::transpose_conv_u8::{Parts, TransposeConvU8};

/// The gradient of a convolution, with constant weights.
pub struct TransposeProduct<'a> {
    /// Of the convolution: its input is the output here.
    window: Window,
    /// Channels of the input.
    depth: usize,
    /// `[channels of the output][taps][channels of the input]`.
    weights: Weights<'a>,
    multipliers: Vec<Multiplier>,
    bias: Option<&'a [i32]>,
    activation: i8,
}

/// Lowers TRANSPOSE_CONV.
pub fn lower<'a>(x: &Source<'_, 'a>) -> Result<Lowered<'a>> {
    let ((input, image), (output, result)) = (x.input(2)?, x.output(0)?);
    check(image, result)?;
    let Geometry { window, depth, activation } = Geometry::read(x)?;
    let (weights, scales) = Weights::read(x, 0)?;
    if weights.zero_point != 0 {
        return Err(unsupported!("weights with zero point {} are not supported", weights.zero_point));
    }
    let layer = TransposeProduct {
        window,
        depth,
        weights,
        multipliers: multipliers(image, &scales, result, window.channels, false)?,
        bias: x.bias(3, window.channels)?,
        activation,
    };
    Ok(Node::new(Quantized::Transpose(layer), vec![input], vec![output]))
}

impl TransposeProduct<'_> {
    /// Packs the weights.
    pub fn build(&self, node: &net::Node<'_>, net: &Net<'_>, build: &Build) -> Result<Box<dyn Step>> {
        let (input, output) = (node.inputs[0], node.outputs[0]);
        let (from, to) = (unsigned(net, input)?, unsigned(net, output)?);
        let up = self.multipliers.len() & !7;
        let channels = self.multipliers.iter().enumerate().map(|(c, &multiplier)| Channel {
            bias: self.bias.map_or(0, |bias| bias[c]),
            factor: multiplier.factor(if c < up { Ties::Up } else { Ties::Away }),
        });
        Ok(Box::new(TransposeConvU8::new(
            build.bytes.gemm,
            &build.store,
            Parts {
                window: self.window,
                depth: self.depth,
                name: &build.name(node, net)?,
                weights: &self.weights,
                channels: &channels.collect::<Vec<_>>(),
                zero_point: from.zero_point as u8,
                bytes: range(self.activation, to)?,
                input,
                output,
            },
        )?))
    }
}

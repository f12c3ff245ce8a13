//! TRANSPOSE_CONV of signed bytes with constant weights.
//!
//! Defined by: tflite/kernels/transpose_conv.cc, optimized/integer_ops/transpose_conv.h, whose vectors take eight
//! channels at a time and round ties up.

use arenite_abi::prelude::*;
use arenite_layers::lower::transpose_conv::Geometry;
use arenite_layers::{Node, Source, Window};

use super::product::{check, multipliers};
use super::quantization::{range, unsigned};
use crate::fixed_point::{Multiplier, Ties};
use crate::ops::build::Build;
use crate::ops::values::{NetValues, NodeValues};
use crate::reach::weights_u8::Weights;
use crate::requantize::Channel;
use crate::step::Step;
use crate::steps::transpose_conv_u8::{TransposeConvU8, TransposeConvU8Parameters};

/// The gradient of a convolution, with constant weights.
pub(crate) struct TransposeProduct<'a> {
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
pub(super) fn lower<'a>(x: &Source<'_, 'a>) -> Result<Node<TransposeProduct<'a>>> {
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
    Ok(Node::new(layer, vec![input], vec![output]))
}

impl TransposeProduct<'_> {
    /// Packs the weights.
    pub(crate) fn build(
        &self,
        node: &NodeValues<'_>,
        net: &NetValues<'_, '_>,
        build: &Build,
    ) -> Result<Box<dyn Step>> {
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
            TransposeConvU8Parameters {
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

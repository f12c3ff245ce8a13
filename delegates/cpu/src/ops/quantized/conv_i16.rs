//! CONV_2D of 16-bit numbers with constant weights of 8 bits, and sums of 64 bits.
//!
//! Defined by: tflite/kernels/conv.cc, tflite/kernels/internal/reference/integer_ops/conv.h.

use arenite_abi::prelude::*;
use arenite_layers::lower::conv_2d;
use arenite_layers::{Node, Source, Window};

use super::shorts::{range, scale_of};
use crate::fixed_point::Multiplier;
use crate::kernels::i16i8_dot::Dots;
use crate::ops::build::Build;
use crate::ops::values::{NetValues, NodeValues};
use crate::reach::weights_u8::Weights;
use crate::step::Step;
use crate::steps;
use crate::steps::conv_i16::{ConvI16Parameters, Scale};

/// A convolution, or a product, with constant weights.
pub(crate) struct ConvI16<'a> {
    pub(super) window: Window,
    /// `[filters][taps][channels]`, without a zero point.
    pub(super) weights: Weights<'a>,
    /// One per filter.
    pub(super) scales: Vec<Scale>,
    /// The smallest and the largest result.
    pub(super) limits: [i32; 2],
}

/// Lowers CONV_2D.
pub(super) fn lower<'a>(x: &Source<'_, 'a>) -> Result<Node<ConvI16<'a>>> {
    let ((input, image), (output, result)) = (x.input(0)?, x.output(0)?);
    let conv_2d::Geometry { window, groups, filters, activation } = conv_2d::Geometry::read(x)?;
    if groups != 1 {
        return Err(unsupported!("{groups} groups of channels of INT16 are not supported"));
    }
    let (weights, filter) = Weights::read(x, 0)?;
    let is_symmetric = weights.bytes().is_some_and(|(_, flip)| flip == 0) && weights.zero_point == 0;
    if !is_symmetric {
        return Err(unsupported!("the weights are not INT8 with zero point 0"));
    }
    if let Some((_, bias)) = x.optional_input(2)
        && bias.ty != I64
    {
        return Err(unsupported!("the bias {bias} is {}; only INT64 is supported", bias.ty));
    }
    let bias = x.bias::<i64>(2, filters)?;
    let (from, to) = (scale_of(image)?, scale_of(result)?);
    let scale = |c: usize| {
        let scale = filter.scale_of(c);
        let multiplier = Multiplier::from_scales(from, scale, to);
        multiplier
            .and_then(|multiplier| Scale::wide(bias.map_or(0, |bias| bias[c]), multiplier))
            .ok_or_else(|| unsupported!("scales {from} × {scale} / {to} give no multiplier"))
    };
    let scales = (0..filters).map(scale).collect::<Result<Vec<Scale>>>()?;
    let layer = ConvI16 { window, weights, scales, limits: range(activation, to)? };
    Ok(Node::new(layer, vec![input], vec![output]))
}

impl ConvI16<'_> {
    /// The step.
    pub(crate) fn build(
        &self,
        node: &NodeValues<'_>,
        net: &NetValues<'_, '_>,
        build: &Build,
    ) -> Result<Box<dyn Step>> {
        let parts = ConvI16Parameters {
            name: build.name(node, net)?,
            window: self.window,
            weights: self.weights,
            scales: self.scales.clone(),
            limits: self.limits,
        };
        let step = steps::conv_i16::ConvI16::new(Dots::select(build.isa), &build.store, parts, node.ends())?;
        Ok(Box::new(step))
    }
}

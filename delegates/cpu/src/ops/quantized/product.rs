//! CONV_2D and FULLY_CONNECTED of bytes with constant weights of 8, 4 or 2 bits.
//!
//! With weights `w` and their zero point `z` as signed bytes, activations `a` and theirs as unsigned ones:
//!
//! ```text
//! Σ (a − za)(w − z) = Σ a·w − za·Σ w + K·za·z − z·Σ a
//!                             └──── bias ────┘  └ row ┘
//! ```
//! Defined by: tflite/kernels/conv.cc, tflite/kernels/fully_connected.cc; rounding as of their SIMD kernels, with
//! groups as of tflite/kernels/internal/reference/conv.h.

use arenite_abi::prelude::*;
use arenite_base::Quant;
use arenite_layers::lower::{conv_2d, fully_connected};
use arenite_layers::{EpilogueOp, Node, Source, Value, Window};

use super::quantization::{quant_of, raised, range, unsigned};
use crate::fixed_point::{Multiplier, Ties};
use crate::ops::build::{Border, Build, ByRows, Offers, Winograd};
use crate::ops::values::{NetValues, NodeValues};
use crate::reach::bordered;
use crate::reach::patches_u8::{FilterSizes, Patches};
use crate::reach::weights_u8::Weights;
use crate::requantize::{Bytes, Channel};
use crate::step::Step;
use crate::steps::cascade::RowStep;
use crate::steps::conv_u8::{ConvU8, ConvU8Parameters};
use crate::steps::winograd_u8::{self, WinogradU8};

/// A convolution, or a product, with constant weights.
pub(crate) struct Product<'a> {
    /// Where it reads.
    pub window: Window,
    /// Groups of channels.
    pub groups: usize,
    filters: usize,
    /// `[filters][taps][channels / groups]`.
    weights: Weights<'a>,
    /// One per filter.
    multipliers: Vec<Multiplier>,
    bias: Option<&'a [i32]>,
    activation: i8,
    ties: Ties,
    /// Of the last output, if it has one.
    border: Option<bordered::Border>,
}

/// Lowers CONV_2D.
pub(super) fn convolution<'a>(x: &Source<'_, 'a>) -> Result<Node<Product<'a>>> {
    let ((input, image), (output, result)) = (x.input(0)?, x.output(0)?);
    check(image, result)?;
    let conv_2d::Geometry { window, groups, filters, activation } = conv_2d::Geometry::read(x)?;
    let (weights, scales) = Weights::read(x, 0)?;
    let layer = Product {
        window,
        groups,
        filters,
        weights,
        multipliers: multipliers(image, &scales, result, filters, image.ty == U8)?,
        bias: x.bias(2, filters)?,
        activation,
        ties: if groups == 1 { Ties::Up } else { Ties::Away },
        border: None,
    };
    Ok(Node::new(layer, vec![input], vec![output]))
}

/// Lowers FULLY_CONNECTED.
pub(super) fn fully_connected<'a>(x: &Source<'_, 'a>) -> Result<Node<Product<'a>>> {
    let ((input, a), (output, y)) = (x.input(0)?, x.output(0)?);
    check(a, y)?;
    let geometry = fully_connected::Geometry::read(x)?;
    let (weights, scales) = Weights::read(x, 0)?;
    let layer = Product {
        window: geometry.window(),
        groups: 1,
        filters: geometry.units,
        weights,
        multipliers: multipliers(a, &scales, y, geometry.units, scales.scales.len() == 1)?,
        bias: x.bias(2, geometry.units)?,
        activation: geometry.activation,
        ties: Ties::Up,
        border: None,
    };
    Ok(Node::new(layer, vec![input], vec![output]))
}

/// Input and output are quantized alike, with bytes of one kind.
pub(super) fn check(input: &Value<'_>, output: &Value<'_>) -> Result<()> {
    if input.ty != output.ty {
        return Err(unsupported!("input is {}, output is {}", input.ty, output.ty));
    }
    quant_of(input)?;
    quant_of(output)?;
    Ok(())
}

/// `input · filter / output` per channel; `rounded` where the product of the scales is one of `f32`.
pub(super) fn multipliers(
    input: &Value<'_>,
    filter: &Quantization<'_>,
    output: &Value<'_>,
    channels: usize,
    rounded: bool,
) -> Result<Vec<Multiplier>> {
    multipliers_of(quant_of(input)?.scale, filter, quant_of(output)?.scale, channels, rounded)
}

/// The same with the scales of input and output.
pub(super) fn multipliers_of(
    input: f32,
    filter: &Quantization<'_>,
    output: f32,
    channels: usize,
    rounded: bool,
) -> Result<Vec<Multiplier>> {
    let of = |scale: f32| {
        let multiplier = match rounded {
            true => Multiplier::from_real(f64::from(input * scale) / f64::from(output)),
            false => Multiplier::from_scales(input, scale, output),
        };
        multiplier.ok_or_else(|| unsupported!("scales {input} × {scale} / {output} give no multiplier"))
    };
    (0..channels).map(|c| of(filter.scale_of(c))).collect()
}

/// Channels of an image that are few: without a border, each tap is rounded up to four bytes.
const FEW: usize = 16;

impl ByRows for Product<'_> {
    fn window(&self) -> (&Window, usize) {
        (&self.window, self.filters)
    }

    fn epilogue(&self) -> &[EpilogueOp] {
        &[]
    }

    fn weights(&self) -> usize {
        self.filters * self.lines()
    }

    fn is_faster_whole(&self, build: &Build) -> bool {
        self.takes_winograd(build)
    }

    fn rows(
        &self,
        node: &NodeValues<'_>,
        net: &NetValues<'_, '_>,
        build: &Build,
    ) -> Result<Box<dyn RowStep>> {
        self.with_parts((node, net), build, |parts| {
            let step: Box<dyn RowStep> = Box::new(self.plain(build, parts)?);
            Ok(step)
        })
    }
}

impl Product<'_> {
    /// The parts that passes may use.
    pub(crate) fn offers(&self) -> Offers<'_> {
        Offers { rows: Some(self), border: Some(Border { width: 1, few: FEW, groups: self.groups }) }
    }

    /// Packs the weights.
    pub(crate) fn build(
        &self,
        node: &NodeValues<'_>,
        net: &NetValues<'_, '_>,
        build: &Build,
    ) -> Result<Box<dyn Step>> {
        self.with_parts((node, net), build, |parts| {
            let step: Box<dyn Step> = match self.takes_winograd(build) {
                true => Box::new(WinogradU8::new(build.isa, build.bytes.reals, &build.store, parts)?),
                false => Box::new(self.plain(build, parts)?),
            };
            Ok(step)
        })
    }

    fn plain(&self, build: &Build, parts: ConvU8Parameters<'_>) -> Result<ConvU8> {
        ConvU8::new(build.bytes.gemm.isa, &build.store, parts)
    }

    fn with_parts<T>(
        &self,
        (node, net): (&NodeValues<'_>, &NetValues<'_, '_>),
        build: &Build,
        then: impl FnOnce(ConvU8Parameters<'_>) -> Result<T>,
    ) -> Result<T> {
        let (input, output) = (node.inputs[0], node.outputs[0]);
        let (from, (to, flip)) = (unsigned(net, input)?, raised(net, output)?);
        let name = build.name(node, net)?;
        let sums = self.weights.sums(&build.store, self.filters, self.lines(), &name)?;
        then(ConvU8Parameters {
            window: self.window,
            groups: self.groups,
            filters: self.filters,
            name: &name,
            weights: &self.weights,
            channels: &self.channels(from, &sums),
            zero_point: from.zero_point as u8,
            bytes: Bytes { flip, ..range(self.activation, to)? },
            input,
            output,
            bordered: node.bordered(self.border, net),
        })
    }

    /// Whether Winograd's algorithm computes the same sums faster. It is not used if the option turns it off.
    fn takes_winograd(&self, build: &Build) -> bool {
        build.winograd == Winograd::Allowed
            && self.weights.zero_point == 0
            && winograd_u8::is_faster(build.bytes.gemm, &self.window, self.groups, self.filters)
    }

    /// The place of the border of a copy, if the step can write one.
    pub(crate) fn border_mut(&mut self, build: &Build) -> Option<&mut Option<bordered::Border>> {
        let is_direct = !self.takes_winograd(build);
        is_direct.then_some(&mut self.border)
    }

    /// Whether its step can write its results into a border, without a plain image.
    pub(crate) fn writes_border(&self, build: &Build) -> bool {
        let sizes = FilterSizes { filters: self.filters, groups: self.groups };
        Patches::is_by_lines(build.bytes.gemm.isa, &self.window, sizes)
    }

    /// Weights per filter.
    fn lines(&self) -> usize {
        self.window.rows.taps * self.window.columns.taps * self.window.channels / self.groups
    }

    fn channels(&self, from: Quant, sums: &[i32]) -> Vec<Channel> {
        let z = self.weights.zero_point.wrapping_mul(self.lines() as i32);
        let channel = |((j, &multiplier), &sum): ((usize, &Multiplier), &i32)| {
            let bias = self.bias.map_or(0, |bias| bias[j]);
            let centre = z.wrapping_sub(sum).wrapping_mul(from.zero_point);
            Channel { bias: bias.wrapping_add(centre), factor: multiplier.factor(self.ties) }
        };
        self.multipliers.iter().enumerate().zip(sums).map(channel).collect()
    }
}

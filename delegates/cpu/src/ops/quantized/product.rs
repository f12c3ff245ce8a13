//! CONV_2D and FULLY_CONNECTED of bytes with constant weights of 8, 4 or 2 bits.
//!
//! With weights `w` and their zero point `z` as signed bytes, activations `a` and theirs as unsigned ones:
//!
//! ```text
//! Σ (a − za)(w − z) = Σ a·w − za·Σ w + K·za·z − z·Σ a
//!                             └──── bias ────┘  └ row ┘
//! ```
//! Defined by: tflite/kernels/conv.cc, tflite/kernels/fully_connected.cc; rounding as of their SIMD kernels, with groups as of
//! tflite/kernels/internal/reference/conv.h.

use arenite_abi::prelude::*;
use arenite_layers::ops::{conv_2d, fully_connected};
use arenite_layers::{EpilogueOp, Node, Quant, Source, Value, Window};

use super::{Lowered, Quantized, quant_of, range, unsigned};
use crate::fixed_point::{Multiplier, Ties};
use crate::net::{self, Net};
use crate::ops::{Border, Build, ByRows, Offers, Winograd};
use crate::program::Step;
use crate::requantize::Channel;
use crate::steps::cascade::Rows;
use crate::steps::conv_u8::{ConvU8, Parts};
use crate::steps::terms::terms;
use crate::steps::winograd_u8::{self, WinogradU8};
use crate::store::{Block, Store};

/// A convolution, or a product, with constant weights.
pub struct Product<'a> {
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
}

/// Weights as signed bytes.
#[derive(Clone, Copy)]
pub struct Weights<'a> {
    ty: ElementType,
    bytes: &'a [u8],
    /// Of the signed bytes.
    pub zero_point: i32,
}

impl<'a> Weights<'a> {
    /// The constant input 1, whose scales run along `axis` if there are several.
    pub fn read(x: &Source<'_, 'a>, axis: usize) -> Result<(Weights<'a>, Quantization<'a>)> {
        let (_, value) = x.input(1)?;
        let Some(constant) = &value.constant else {
            return Err(unsupported!("the weights '{}' are not constant", value.name));
        };
        let q = constant
            .quantization()
            .filter(|q| q.block_size == 0 && q.scales.iter().all(|s| *s > 0.0 && s.is_finite()))
            .ok_or_else(|| unsupported!("'{}' has not one positive scale per channel", value.name))?;
        ensure!(
            q.scales.len() == 1 || q.scales.len() == value.shape[axis] && q.dimension == axis,
            "'{}' has {} scales along dimension {}",
            value.name,
            q.scales.len(),
            q.dimension
        );
        ensure!(
            value.ty.bytes_of(value.len()) == Some(constant.bytes().len()),
            "'{}' has {} bytes",
            value.name,
            constant.bytes().len()
        );
        let zero_point = match (value.ty, q.scales.len()) {
            (U8, 1) => q.zero_points[0] - 128,
            (I8, 1) => q.zero_points[0],
            (I8 | I4 | I2, _) if q.zero_points.iter().all(|&z| z == 0) => 0,
            _ => {
                return Err(unsupported!(
                    "'{}' is {} with a zero point for each channel",
                    value.name,
                    value.ty
                ));
            }
        };
        if !(-128..=127).contains(&zero_point) {
            return Err(unsupported!("'{}' has zero point {}", value.name, q.zero_points[0]));
        }
        Ok((Weights { ty: value.ty, bytes: constant.bytes(), zero_point: zero_point as i32 }, q))
    }

    /// All elements, if they are bytes, which become signed by flipping these bits.
    pub fn bytes(&self) -> Option<(&'a [u8], u8)> {
        match self.ty {
            I8 => Some((self.bytes, 0)),
            U8 => Some((self.bytes, 0x80)),
            _ => None,
        }
    }

    /// How many signed bytes any element less the zero point is the sum of, at most.
    pub fn terms(&self) -> usize {
        let zero = self.zero_point as i16;
        terms(-128 - zero).max(terms(127 - zero))
    }

    /// Element `i`.
    pub fn at(&self, i: usize) -> i8 {
        match self.ty {
            I8 => self.bytes[i] as i8,
            I4 => (self.bytes[i / 2] << (4 - 4 * (i % 2)) as u32) as i8 >> 4,
            I2 => (self.bytes[i / 4] << (6 - 2 * (i % 4)) as u32) as i8 >> 6,
            _ => (self.bytes[i] ^ 0x80) as i8,
        }
    }

    /// The sum of each filter's weights, of which there are `lines`.
    pub fn sums(&self, store: &Store, filters: usize, lines: usize, name: &str) -> Result<Block<i32>> {
        store.block(&format!("sums {filters} × {lines} {name}"), filters, |sums: &mut [i32]| {
            for (j, sum) in sums.iter_mut().enumerate() {
                *sum = match self.bytes() {
                    Some((bytes, flip)) => {
                        wrapping_sum(bytes[j * lines..][..lines].iter().map(|&byte| (byte ^ flip) as i8))
                    }
                    None => wrapping_sum((j * lines..(j + 1) * lines).map(|i| self.at(i))),
                };
            }
        })
    }
}

/// The sum, modulo 2³²: as products are summed, which it is subtracted from.
pub fn wrapping_sum(weights: impl Iterator<Item = i8>) -> i32 {
    weights.fold(0, |sum, weight| sum.wrapping_add(weight.into()))
}

/// Lowers CONV_2D.
pub fn convolution<'a>(x: &Source<'_, 'a>) -> Result<Lowered<'a>> {
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
    };
    Ok(Node::new(Quantized::Product(layer), vec![input], vec![output]))
}

/// Lowers FULLY_CONNECTED.
pub fn fully_connected<'a>(x: &Source<'_, 'a>) -> Result<Lowered<'a>> {
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
    };
    Ok(Node::new(Quantized::Product(layer), vec![input], vec![output]))
}

/// Input and output are quantized alike, with bytes of one kind.
pub fn check(input: &Value<'_>, output: &Value<'_>) -> Result<()> {
    if input.ty != output.ty {
        return Err(unsupported!("input is {}, output is {}", input.ty, output.ty));
    }
    quant_of(input)?;
    quant_of(output)?;
    Ok(())
}

/// `input · filter / output` per channel; `rounded` where the product of the scales is one of `f32`.
pub fn multipliers(
    input: &Value<'_>,
    filter: &Quantization<'_>,
    output: &Value<'_>,
    channels: usize,
    rounded: bool,
) -> Result<Vec<Multiplier>> {
    let (input, output) = (quant_of(input)?.scale, quant_of(output)?.scale);
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

    fn rows(&self, node: &net::Node<'_>, net: &Net<'_>, build: &Build) -> Result<Box<dyn Rows>> {
        self.with_parts((node, net), build, |parts| {
            let step: Box<dyn Rows> = Box::new(self.plain(build, parts)?);
            Ok(step)
        })
    }
}

impl Product<'_> {
    /// What passes may make of it.
    pub fn offers(&self) -> Offers<'_> {
        Offers { rows: Some(self), border: Some(Border { width: 1, few: FEW, groups: self.groups }) }
    }

    /// Packs the weights.
    pub fn build(&self, node: &net::Node<'_>, net: &Net<'_>, build: &Build) -> Result<Box<dyn Step>> {
        self.with_parts((node, net), build, |parts| {
            let step: Box<dyn Step> = match self.takes_winograd(build) {
                true => Box::new(WinogradU8::new(build.isa, build.bytes.reals, &build.store, parts)?),
                false => Box::new(self.plain(build, parts)?),
            };
            Ok(step)
        })
    }

    fn plain(&self, build: &Build, parts: Parts<'_>) -> Result<ConvU8> {
        ConvU8::new(build.bytes.gemm.isa, &build.store, parts)
    }

    fn with_parts<T>(
        &self,
        (node, net): (&net::Node<'_>, &Net<'_>),
        build: &Build,
        then: impl FnOnce(Parts<'_>) -> Result<T>,
    ) -> Result<T> {
        let (input, output) = (node.inputs[0], node.outputs[0]);
        let (from, to) = (unsigned(net, input)?, unsigned(net, output)?);
        let name = build.name(node, net)?;
        let sums = self.weights.sums(&build.store, self.filters, self.lines(), &name)?;
        then(Parts {
            window: self.window,
            groups: self.groups,
            filters: self.filters,
            name: &name,
            weights: &self.weights,
            channels: &self.channels(from, &sums),
            zero_point: from.zero_point as u8,
            bytes: range(self.activation, to)?,
            input,
            output,
        })
    }

    /// Whether Winograd's tiles give the same sums sooner. Plain sums are what is asked for without them.
    fn takes_winograd(&self, build: &Build) -> bool {
        build.winograd == Winograd::Allowed
            && self.weights.zero_point == 0
            && winograd_u8::is_faster(build.bytes.gemm, &self.window, self.groups, self.filters)
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

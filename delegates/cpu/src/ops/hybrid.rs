//! CONV_2D, DEPTHWISE_CONV_2D, TRANSPOSE_CONV and FULLY_CONNECTED of `f32` with constant weights of 8, 4 or 2 bits (dynamic range):
//! the input is quantized while the model runs, each image, or each row of a product, with a scale of its own.
//!
//! Defined by: tflite/kernels/conv.cc (`EvalHybrid`, `EvalHybridPerChannel`), tflite/kernels/depthwise_conv.cc (`EvalHybridPerChannel`),
//! tflite/kernels/transpose_conv.cc, tflite/kernels/fully_connected.cc (`EvalHybridDense`, `EvalHybridDense4Bit`).

use arenite_abi::prelude::*;
use arenite_abi::schema::{
    Conv2DOptions, DepthwiseConv2DOptions, FullyConnectedOptions, TransposeConvOptions, weights_format,
};

use super::conv_2d::expect_shape;
use super::quantized::Weights;
use super::{Build, Layer, Source, expect_elements, transpose_conv};
use crate::net::Node;
use crate::program::Step;
use crate::rescale::{Limits, RealChannel, RealChannels};
use crate::steps::conv_f32::MAX_TAPS;
use crate::steps::conv_hybrid::{ConvHybrid, Finish};
use crate::steps::dwconv_hybrid::DwConvHybrid;
use crate::steps::patches_u8::Patches;
use crate::steps::phases_u8::{Column, Phases};
use crate::steps::planes_u8::{self, Planes};
use crate::steps::post::Post;
use crate::steps::rows_u8::{Rows, Symmetry};
use crate::steps::transpose_conv_hybrid::TransposeConvHybrid;
use crate::window::{Window, limits};

/// A convolution, or a product, of `f32` with weights of bytes.
pub struct Hybrid<'a> {
    window: Window,
    kind: Kind,
    filters: usize,
    weights: Weights<'a>,
    /// One per filter.
    scales: Vec<f32>,
    bias: Option<&'a [f32]>,
    symmetry: Symmetry,
    limits: (f32, f32),
    /// What is done to results while they are in the cache.
    pub posts: Vec<Post>,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Weights are `[filters][taps][channels / groups]`; each image has a scale.
    Convolution { groups: usize },
    /// Weights are `[filters][channels]`; each position has a scale.
    Product,
    /// Weights are `[taps][channels · multiplier]`; each image has a scale.
    Depthwise { multiplier: usize },
    /// The gradient of a convolution whose output had `depth` channels. Weights are `[filters][taps][depth]`; each image has a scale.
    Transposed { depth: usize },
}

/// Lowers the node if it is such a one; `None` leaves it to others.
pub fn lower<'a>(x: &Source<'_, 'a>) -> Option<Result<Node<'a>>> {
    let ty = |i: usize| x.input(i).ok().map(|(_, value)| value.ty);
    let code = x.node.builtin_code();
    let main = if code == op::TRANSPOSE_CONV { 2 } else { 0 };
    let is_hybrid = ty(main)? == F32 && matches!(ty(1)?, I8 | I4 | I2) && x.output(0).ok()?.1.ty == F32;
    let has_weights =
        matches!(code, op::CONV_2D | op::DEPTHWISE_CONV_2D | op::FULLY_CONNECTED | op::TRANSPOSE_CONV);
    (is_hybrid && has_weights).then(|| {
        let ((input, a), (output, y)) = (x.input(main)?, x.output(0)?);
        expect_elements(a)?;
        expect_elements(y)?;
        let layer = match code {
            op::CONV_2D => convolution(x)?,
            op::DEPTHWISE_CONV_2D => depthwise(x)?,
            op::TRANSPOSE_CONV => transposed(x)?,
            _ => fully_connected(x)?,
        };
        ensure!(
            layer.bias.is_none_or(|bias| bias.len() == layer.filters),
            "the bias has {:?} numbers for {} channels",
            layer.bias.map(<[f32]>::len),
            layer.filters
        );
        Ok(Node::new(Layer::Hybrid(layer), vec![input], vec![output]))
    })
}

/// Filters with one scale go with symmetric activations, others and groups with asymmetric ones.
fn convolution<'a>(x: &Source<'_, 'a>) -> Result<Hybrid<'a>> {
    let ((_, image), (_, filter), (_, result)) = (x.input(0)?, x.input(1)?, x.output(0)?);
    let &[filters, height, width, depth] = &filter.shape[..] else {
        return Err(unsupported!("the filter has shape {:?}", filter.shape));
    };
    let options = x.node.options()?;
    let window = Window::read(&options, &image.shape, [height, width])?;
    let groups = window.channels / depth.max(1);
    ensure!(
        groups * depth == window.channels && groups > 0 && filters % groups == 0,
        "the filter has shape {:?}, the input {:?}",
        filter.shape,
        image.shape
    );
    if height * width > MAX_TAPS {
        return Err(unsupported!("the filter has {height} × {width} taps, taken are up to {MAX_TAPS}"));
    }
    expect_shape(&result.shape, &window, filters)?;
    let (weights, scales) = weights(x, 0, filters)?;
    let differ = scales.iter().any(|&scale| scale != scales[0]);
    Ok(Hybrid {
        window,
        kind: Kind::Convolution { groups },
        filters,
        weights,
        scales,
        bias: x.optional_constant(2)?,
        symmetry: if differ || groups != 1 { Symmetry::Asymmetric } else { Symmetry::Symmetric },
        limits: limits(options.get(Conv2DOptions::FUSED_ACTIVATION_FUNCTION)?)?,
        posts: Vec::new(),
    })
}

fn depthwise<'a>(x: &Source<'_, 'a>) -> Result<Hybrid<'a>> {
    let ((_, image), (_, filter), (_, result)) = (x.input(0)?, x.input(1)?, x.output(0)?);
    let &[1, height, width, filters] = &filter.shape[..] else {
        return Err(unsupported!("the filter has shape {:?}", filter.shape));
    };
    if filter.ty != I8 {
        return Err(unsupported!("the filter '{}' is {}, taken is INT8", filter.name, filter.ty));
    }
    let options = x.node.options()?;
    let window = Window::read(&options, &image.shape, [height, width])?;
    let multiplier = filters / window.channels;
    ensure!(
        multiplier > 0 && multiplier * window.channels == filters,
        "the filter has shape {:?}, the input {:?}",
        filter.shape,
        image.shape
    );
    if !planes_u8::takes(&window, 1) {
        return Err(unsupported!(
            "the filter has {height} × {width} taps, which are too many, or too far apart"
        ));
    }
    expect_shape(&result.shape, &window, filters)?;
    let (weights, scales) = weights(x, 3, filters)?;
    Ok(Hybrid {
        window,
        kind: Kind::Depthwise { multiplier },
        filters,
        weights,
        scales,
        bias: x.optional_constant(2)?,
        symmetry: Symmetry::Asymmetric,
        limits: limits(options.get(DepthwiseConv2DOptions::FUSED_ACTIVATION_FUNCTION)?)?,
        posts: Vec::new(),
    })
}

fn transposed<'a>(x: &Source<'_, 'a>) -> Result<Hybrid<'a>> {
    let (window, depth) = transpose_conv::shape(x)?;
    let (weights, scales) = weights(x, 0, window.channels)?;
    Ok(Hybrid {
        window,
        kind: Kind::Transposed { depth },
        filters: window.channels,
        weights,
        scales,
        bias: x.optional_constant(3)?,
        symmetry: Symmetry::Asymmetric,
        limits: limits(x.node.options()?.get(TransposeConvOptions::FUSED_ACTIVATION_FUNCTION)?)?,
        posts: Vec::new(),
    })
}

/// 4-bit weights of some size run in a kernel that ignores the option and is symmetric.
fn fully_connected<'a>(x: &Source<'_, 'a>) -> Result<Hybrid<'a>> {
    let ((_, a), (_, w), (_, y)) = (x.input(0)?, x.input(1)?, x.output(0)?);
    let &[units, depth] = &w.shape[..] else {
        return Err(unsupported!("the weights have shape {:?}", w.shape));
    };
    let options = x.node.options()?;
    if options.get(FullyConnectedOptions::WEIGHTS_FORMAT)? != weights_format::DEFAULT {
        return Err(unsupported!("shuffled weights are not taken"));
    }
    ensure!(depth > 0 && units > 0, "the weights have shape {:?}", w.shape);
    let rows = a.len() / depth;
    ensure!(
        rows * depth == a.len() && rows * units == y.len(),
        "input {:?}, weights {:?} and output {:?} do not fit",
        a.shape,
        w.shape,
        y.shape
    );
    let (weights, scales) = weights(x, 0, units)?;
    let packed = w.ty == I4 && depth.is_multiple_of(2) && depth >= 32 && units >= 4;
    let asymmetric = options.get(FullyConnectedOptions::ASYMMETRIC_QUANTIZE_INPUTS)? && !packed;
    Ok(Hybrid {
        window: Window::point(rows, depth),
        kind: Kind::Product,
        filters: units,
        weights,
        scales,
        bias: x.optional_constant(2)?,
        symmetry: if asymmetric { Symmetry::Asymmetric } else { Symmetry::Symmetric },
        limits: limits(options.get(FullyConnectedOptions::FUSED_ACTIVATION_FUNCTION)?)?,
        posts: Vec::new(),
    })
}

/// The weights, and a scale for each of the filters, which are dimension `axis`.
fn weights<'a>(x: &Source<'_, 'a>, axis: usize, filters: usize) -> Result<(Weights<'a>, Vec<f32>)> {
    let (weights, scales) = Weights::read(x, axis)?;
    if weights.zero_point != 0 {
        return Err(unsupported!("the weights have zero point {}, taken is 0", weights.zero_point));
    }
    Ok((weights, (0..filters).map(|i| scales.scale_of(i)).collect()))
}

impl<'a> Hybrid<'a> {
    /// Whether each row has a scale of its own.
    pub fn is_product(&self) -> bool {
        self.kind == Kind::Product
    }

    /// Makes a product `times` as many rows.
    pub fn repeat(&mut self, times: usize) {
        self.window.repeat(times);
    }

    /// The place of the bias, if there is none and constants of this length that are added to results may be that.
    pub fn free_bias(&mut self, len: usize) -> Option<&mut Option<&'a [f32]>> {
        let free = self.bias.is_none() && self.filters == len && self.limits == (f32::MIN, f32::MAX);
        free.then_some(&mut self.bias)
    }
}

impl Hybrid<'_> {
    /// Where it reads, if that is images. Zeros around an image do not change how it is quantized.
    pub fn over_image(&mut self) -> Option<&mut Window> {
        matches!(self.kind, Kind::Convolution { .. } | Kind::Depthwise { .. }).then_some(&mut self.window)
    }

    /// Where a convolution reads, and the groups of its channels.
    pub fn convolution(&mut self) -> Option<(&mut Window, usize)> {
        match self.kind {
            Kind::Convolution { groups } => Some((&mut self.window, groups)),
            _ => None,
        }
    }

    /// Packs the weights.
    pub fn build(&self, node: &Node<'_>, build: &Build) -> Result<Box<dyn Step>> {
        let name = format!("{:?}", node.packed);
        let ends = [node.inputs[0], node.outputs[0]];
        let (count, length) = match self.kind {
            Kind::Product => (self.window.positions(), self.window.channels),
            Kind::Transposed { depth } => {
                (self.window.batches, self.window.rows.output * self.window.columns.output * depth)
            }
            _ => (self.window.batches, self.window.image()),
        };
        let rows = Rows { reals: build.bytes.reals, count, length, symmetry: self.symmetry, outside: 0 };
        let results = Finish {
            limits: Limits { low: self.limits.0, high: self.limits.1 },
            posts: self.posts.clone(),
            map: build.f32_map,
        };
        let groups = match self.kind {
            Kind::Depthwise { multiplier } => {
                let len = self.window.rows.taps * self.window.columns.taps * self.filters;
                let weights: Vec<i16> = (0..len).map(|i| self.weights.at(i).into()).collect();
                let sum = |c: usize| weights[c..].iter().step_by(self.filters).map(|&w| i32::from(w)).sum();
                let channels: Vec<RealChannel> = (0..self.filters).map(|c| self.channel(c, sum(c))).collect();
                let weights = (&name[..], &weights[..]);
                let planes =
                    Planes::new(build.bytes.dwconv, &build.store, &self.window, multiplier, weights)?;
                return Ok(Box::new(DwConvHybrid::new(planes, rows, &channels, results, ends)));
            }
            Kind::Transposed { depth } => {
                let table = |lanes: usize, columns: &[Column]| {
                    let channel = |column: &Column| self.channel(column.channel, column.sum);
                    RealChannels::new(lanes, &columns.iter().map(channel).collect::<Vec<_>>())
                };
                let weights = (&name[..], &self.weights);
                let shape = (self.window, depth);
                let phases = Phases::new(build.bytes.gemm, &build.store, shape, weights, table)?;
                return Ok(Box::new(TransposeConvHybrid::new(phases, rows, results, ends)));
            }
            Kind::Convolution { groups } => groups,
            Kind::Product => 1,
        };
        let lines = self.window.rows.taps * self.window.columns.taps * self.window.channels / groups;
        let sums = self.weights.sums(&build.store, self.filters, lines, &name)?;
        let channels: Vec<RealChannel> =
            sums.iter().enumerate().map(|(c, &sum)| self.channel(c, sum)).collect();
        let (sizes, weights) = ((self.filters, groups), (&name[..], &self.weights));
        let image = Window { batches: 1, ..self.window };
        let patches = Patches::new(build.bytes.gemm.isa, &build.store, image, sizes, weights)?;
        Ok(Box::new(ConvHybrid::new((self.window.batches, patches), rows, &channels, results, ends)))
    }

    fn channel(&self, c: usize, sum: i32) -> RealChannel {
        RealChannel { sum, scale: self.scales[c], bias: self.bias.map_or(0.0, |bias| bias[c]) }
    }
}

//! CONV_2D, DEPTHWISE_CONV_2D, TRANSPOSE_CONV and FULLY_CONNECTED of `f32` with constant weights of 8, 4 or 2 bits
//! (dynamic range). The input is quantized while the model runs, with one scale per image, or per row of a product.
//!
//! Defined by: tflite/kernels/conv.cc (`EvalHybrid`, `EvalHybridPerChannel`), tflite/kernels/depthwise_conv.cc
//! (`EvalHybridPerChannel`), tflite/kernels/transpose_conv.cc, tflite/kernels/fully_connected.cc (`EvalHybridDense`,
//! `EvalHybridDense4Bit`, `EvalBlockwise4Bit`).

use arenite_abi::prelude::*;
use arenite_abi::schema::{FullyConnectedOptions, activation};
use arenite_base::Clamp;
use arenite_layers::lower::{self, conv_2d, depthwise_conv_2d, fully_connected, transpose_conv};
use arenite_layers::{EpilogueOp, Id, Node, Parts, Source, Window, clamp_of};

use super::quantized::expect_planes;
use crate::kernels::u8i4_gemm::Blocks;
use crate::ops::build::{Border, Build, LayerStep, Offers};
use crate::ops::values::{NetValues, NodeValues};
use crate::reach::patches_u8::{FilterSizes, Patches};
use crate::reach::phases_u8::{Column, Phases};
use crate::reach::planes_u8::Planes;
use crate::reach::rows_u8::{RowQuantizer, Symmetry};
use crate::reach::weights_u8::Weights;
use crate::rescale::{RealChannel, RealChannels};
use crate::step::Step;
use crate::steps::conv_hybrid::{ConvHybrid, Finish};
use crate::steps::dwconv_hybrid::DwConvHybrid;
use crate::steps::product_sub_byte::ProductSubByte;
use crate::steps::transpose_conv_hybrid::TransposeConvHybrid;

/// Channels of an image of floats that are few: these are dearer to copy into a border than bytes.
const FEW: usize = 3;
/// Rows of a product that weights of four or two bits with one scale per filter stay that wide for. More rows are worth
/// weights of bytes.
const FEW_ROWS: usize = 16;

/// A convolution, or a product, of `f32` with weights of bytes.
pub(crate) struct Hybrid<'a> {
    window: Window,
    kind: Kind,
    filters: usize,
    weights: Weights<'a>,
    /// One per filter, or per block of a filter.
    scales: Vec<f32>,
    /// Weights of four or two bits stay so: how a filter is cut into blocks.
    blocks: Option<Blocks>,
    bias: Option<&'a [f32]>,
    symmetry: Symmetry,
    clamp: Clamp,
    epilogue: Vec<EpilogueOp>,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Weights are `[filters][taps][channels / groups]`; each image has a scale.
    Convolution { groups: usize },
    /// Weights are `[filters][channels]`; each position has a scale.
    Product,
    /// Weights are `[taps][channels · multiplier]`; each image has a scale.
    Depthwise { multiplier: usize },
    /// The gradient of a convolution whose output had `depth` channels. Weights are `[filters][taps][depth]`; each
    /// image has a scale.
    Transposed { depth: usize },
}

/// Lowers the node if it is such a one; `None` leaves it to others.
pub(crate) fn lower<'a>(x: &Source<'_, 'a>) -> Option<Result<Node<Hybrid<'a>>>> {
    let ty = |i: usize| x.input(i).ok().map(|(_, value)| value.ty);
    let code = x.node.builtin_code();
    let facts = lower::facts(&x.node)?.layer.as_ref()?;
    let main = facts.data;
    let is_hybrid = ty(main)? == F32 && matches!(ty(1)?, I8 | I4 | I2) && x.output(0).ok()?.1.ty == F32;
    let has_weights = facts.packed == Some(1);
    (is_hybrid && has_weights).then(|| {
        let layer = match code {
            op::CONV_2D => convolution(x)?,
            op::DEPTHWISE_CONV_2D => depthwise(x)?,
            op::TRANSPOSE_CONV => transposed(x)?,
            _ => fully_connected(x)?,
        };
        Ok(Node::new(layer, vec![x.input(main)?.0], vec![x.output(0)?.0]))
    })
}

/// Filters with one scale use symmetric activations. Filters with a scale per channel, and groups, use asymmetric ones.
fn convolution<'a>(x: &Source<'_, 'a>) -> Result<Hybrid<'a>> {
    let conv_2d::Geometry { window, groups, filters, activation } = conv_2d::Geometry::read(x)?;
    let (weights, scales) = weights(x, 0, filters)?;
    let differ = scales.iter().any(|&scale| scale != scales[0]);
    let symmetry = if differ || groups != 1 { Symmetry::Asymmetric } else { Symmetry::Symmetric };
    let shape = (window, Kind::Convolution { groups }, filters);
    Hybrid::new(shape, (weights, scales), x.bias(2, filters)?, symmetry, activation)
}

fn depthwise<'a>(x: &Source<'_, 'a>) -> Result<Hybrid<'a>> {
    let geometry = depthwise_conv_2d::Geometry::read(x)?;
    let ((_, filter), filters) = (x.input(1)?, geometry.filters());
    if filter.ty != I8 {
        return Err(unsupported!("the filter {filter} is {}; only INT8 is supported", filter.ty));
    }
    expect_planes(&geometry.window, 1)?;
    let shape = (geometry.window, Kind::Depthwise { multiplier: geometry.multiplier }, filters);
    let bias = x.bias(2, filters)?;
    Hybrid::new(shape, weights(x, 3, filters)?, bias, Symmetry::Asymmetric, geometry.activation)
}

fn transposed<'a>(x: &Source<'_, 'a>) -> Result<Hybrid<'a>> {
    let transpose_conv::Geometry { window, depth, activation } = transpose_conv::Geometry::read(x)?;
    let filters = window.channels;
    let shape = (window, Kind::Transposed { depth }, filters);
    Hybrid::new(shape, weights(x, 0, filters)?, x.bias(3, filters)?, Symmetry::Asymmetric, activation)
}

/// Weights with scales for blocks use asymmetric activations, whatever the option says. 4-bit weights of some sizes use
/// symmetric ones.
/// Without an activation, infinite sums stay.
fn fully_connected<'a>(x: &Source<'_, 'a>) -> Result<Hybrid<'a>> {
    let geometry = fully_connected::Geometry::read(x)?;
    let ((_, w), depth, units) = (x.input(1)?, geometry.depth, geometry.units);
    let packed = w.ty == I4 && depth.is_multiple_of(2) && depth >= 32 && units >= 4;
    let option = x.node.options()?.get(FullyConnectedOptions::ASYMMETRIC_QUANTIZE_INPUTS)?;
    let by_block = Weights::read_blocks(x)?;
    let asymmetric = by_block.is_some() || option && !packed;
    let symmetry = if asymmetric { Symmetry::Asymmetric } else { Symmetry::Symmetric };
    let shape = (geometry.window(), Kind::Product, units);
    let cut = |lines: usize| Blocks {
        count: depth / lines.max(1),
        lines,
        parts: (8 / w.ty.bits().max(1)) as usize,
    };
    let (weights, blocks) = match by_block {
        Some((weights, q)) => {
            let blocks = cut(q.block_size);
            ensure!(
                blocks.are_supported(),
                "{w} has blocks of {}; only multiples of {} are supported",
                blocks.lines,
                4 * blocks.parts
            );
            ((weights, q.scales.to_vec()), Some(blocks))
        }
        None => {
            let blocks = Some(cut(depth)).filter(|blocks| blocks.are_supported());
            (weights(x, 0, units)?, blocks.filter(|_| geometry.rows <= FEW_ROWS))
        }
    };
    let mut layer = Hybrid::new(shape, weights, x.bias(2, units)?, symmetry, geometry.activation)?;
    layer.blocks = blocks;
    if geometry.activation == activation::NONE {
        layer.clamp = Clamp::NONE;
    }
    Ok(layer)
}

/// The weights, and a scale for each of the filters, which are dimension `axis`.
fn weights<'a>(x: &Source<'_, 'a>, axis: usize, filters: usize) -> Result<(Weights<'a>, Vec<f32>)> {
    let (weights, scales) = Weights::read(x, axis)?;
    if weights.zero_point != 0 {
        return Err(unsupported!("the weights have zero point {}; only 0 is supported", weights.zero_point));
    }
    Ok((weights, (0..filters).map(|i| scales.scale_of(i)).collect()))
}

impl<'a> Hybrid<'a> {
    fn new(
        (window, kind, filters): (Window, Kind, usize),
        (weights, scales): (Weights<'a>, Vec<f32>),
        bias: Option<&'a [f32]>,
        symmetry: Symmetry,
        activation: i8,
    ) -> Result<Self> {
        let (clamp, epilogue) = (clamp_of(activation)?, Vec::new());
        Ok(Hybrid { window, kind, filters, weights, scales, blocks: None, bias, symmetry, clamp, epilogue })
    }

    /// Whether each row is quantized with a separate scale.
    pub(crate) fn is_product(&self) -> bool {
        self.kind == Kind::Product
    }

    /// Whether each channel has its own weights.
    pub(crate) fn is_depthwise(&self) -> bool {
        matches!(self.kind, Kind::Depthwise { .. })
    }

    /// Makes a product `times` as many rows.
    pub(crate) fn repeat(&mut self, times: usize) {
        self.window.repeat(times);
    }

    /// The epilogue of its results.
    pub(crate) fn epilogue(&self) -> &[EpilogueOp] {
        &self.epilogue
    }

    /// The slot of the bias, if it is empty and `len` constants that are added to the results can be the bias.
    pub(crate) fn free_bias(&mut self, len: usize) -> Option<&mut Option<&'a [f32]>> {
        let free = self.bias.is_none() && self.filters == len && !self.clamp.is_needed();
        free.then_some(&mut self.bias)
    }

    /// The parts that passes may change. Zeros around an image do not change how it is quantized.
    pub(crate) fn parts_mut(&mut self) -> Parts<'_, 'a> {
        let window = match self.kind {
            Kind::Convolution { .. } | Kind::Depthwise { .. } => Some(&mut self.window),
            Kind::Product | Kind::Transposed { .. } => None,
        };
        Parts { epilogue: Some(&mut self.epilogue), clamp: Some(&mut self.clamp), window, values: None }
    }
}

impl LayerStep for Hybrid<'_> {
    fn offers(&self) -> Offers<'_> {
        let border = match self.kind {
            Kind::Convolution { groups } => Some(Border { width: size_of::<f32>(), few: FEW, groups }),
            Kind::Product | Kind::Depthwise { .. } | Kind::Transposed { .. } => None,
        };
        Offers { rows: None, border }
    }

    fn build(&self, node: &NodeValues<'_>, net: &NetValues<'_, '_>, build: &Build) -> Result<Box<dyn Step>> {
        let name = build.name(node, net)?;
        let ends = [node.inputs[0], node.outputs[0]];
        let (count, length) = match self.kind {
            Kind::Product => (self.window.positions(), self.window.channels),
            Kind::Transposed { depth } => {
                (self.window.batches, self.window.rows.output * self.window.columns.output * depth)
            }
            _ => (self.window.batches, self.window.image()),
        };
        let rows =
            RowQuantizer { reals: build.bytes.reals, count, length, symmetry: self.symmetry, outside: 0 };
        let results = Finish { clamp: self.clamp, epilogue: self.epilogue.clone(), map: build.f32_map };
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
            Kind::Product if self.blocks.is_some() => {
                return Ok(Box::new(self.product(rows, results, &name, ends, build)?));
            }
            Kind::Product => 1,
        };
        let lines = self.window.rows.taps * self.window.columns.taps * self.window.channels / groups;
        let sums = self.weights.sums(&build.store, self.filters, lines, &name)?;
        let channels: Vec<RealChannel> =
            sums.iter().enumerate().map(|(c, &sum)| self.channel(c, sum)).collect();
        let (sizes, weights) = (FilterSizes { filters: self.filters, groups }, (&name[..], &self.weights));
        let image = Window { batches: 1, ..self.window };
        let patches = Patches::new(build.bytes.gemm.isa, &build.store, image, sizes, weights)?;
        Ok(Box::new(ConvHybrid::new((self.window.batches, patches), rows, &channels, results, ends)))
    }
}

impl Hybrid<'_> {
    /// The step of a product whose weights stay four or two bits wide.
    fn product(
        &self,
        rows: RowQuantizer,
        results: Finish,
        name: &str,
        [input, output]: [Id; 2],
        build: &Build,
    ) -> Result<ProductSubByte> {
        let (blocks, weights) = self
            .blocks
            .zip(self.weights.parts())
            .ok_or_else(|| invalid!("the weights of the product are bytes"))?;
        let gemm = if blocks.parts == 2 { build.bytes.gemm_i4 } else { build.bytes.gemm_i2 };
        let columns = self.filters;
        let key = format!("{} {columns} {blocks:?} {name}", gemm.name);
        let panels = build.store.block(&key, gemm.packed_len(columns, blocks), |packed: &mut [u8]| {
            gemm.pack(blocks, columns, weights, |j, k| self.scales[j * blocks.count + k], packed);
        })?;
        let bias = |j: usize| self.bias.and_then(|bias| bias.get(j)).copied().unwrap_or(0.0);
        let bias = build.store.table(columns.next_multiple_of(gemm.width), bias)?;
        Ok(ProductSubByte { gemm, blocks, columns, rows, panels, bias, results, input, output })
    }

    fn channel(&self, c: usize, sum: i32) -> RealChannel {
        RealChannel { sum, scale: self.scales[c], bias: self.bias.map_or(0.0, |bias| bias[c]) }
    }
}

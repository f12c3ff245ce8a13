//! Ops on quantized bytes, and a few on 16 bits. Lowering sees tensors as the model has them, i8 or u8; `build` sees
//! them unsigned, with quantization to match (see [`crate::unsign`]).

mod arg;
mod conv_i16;
mod convert;
mod depthwise_conv_2d;
mod fold;
mod fully_connected_i16;
mod lines;
mod lookup;
mod matmul;
mod mean;
mod pair;
mod pool;
mod prelu;
mod product;
mod quantization;
mod resize;
mod shorts;
mod shorts_map;
mod softmax;
mod top;
mod transpose_conv;

use arenite_abi::prelude::*;
use arenite_base::PoolKind;
use arenite_layers::{Node, Source, Window};

use arg::Arg;
use conv_i16::ConvI16;
use convert::Convert;
use depthwise_conv_2d::DepthwiseProduct;
pub(crate) use depthwise_conv_2d::expect_planes;
use fold::IntFold;
pub(crate) use lines::Lines;
use lookup::Function;
use matmul::Matmul;
use mean::Mean;
pub(crate) use pair::ByteFunction;
use pair::Pairwise;
use pool::Pool;
use prelu::Prelu;
use product::Product;
use resize::ResizeBytes;
use shorts::I16Layer;
use softmax::Softmax;
use top::Top;
use transpose_conv::TransposeProduct;

use crate::ops::build::{Build, LayerStep, Offers};
use crate::ops::values::{NetValues, NodeValues};
use crate::step::Step;
use crate::steps::flip::Flip;
use crate::steps::lookup::Table;

/// A layer on quantized bytes.
pub(crate) enum Quantized<'a> {
    /// Adds 128 to bytes: from signed to unsigned ones and back.
    Flip,
    /// A convolution, or a product with constant weights.
    Product(Product<'a>),
    /// A depthwise convolution.
    Depthwise(DepthwiseProduct<'a>),
    /// A function of one tensor.
    Function(Function),
    /// A function of one tensor, by its results.
    Table(Table),
    /// A function of one tensor that depends on the column.
    Prelu(Prelu<'a>),
    /// A function of two tensors.
    Pairwise(Pairwise),
    /// Functions of one tensor, other ones for each column.
    Lines(Lines),
    /// A pool.
    Pool(Pool),
    /// To and from `f32`.
    Convert(Convert),
    /// A mean.
    Mean(Mean),
    /// Softmax.
    Softmax(Softmax),
    /// Products of matrices.
    Matmul(Matmul),
    /// Images of another size.
    Resize(ResizeBytes),
    /// Places of extremes.
    Arg(Arg),
    /// The largest elements.
    Top(Top),
    /// Sums and extremes.
    Fold(IntFold),
    /// A convolution, or a product with constant weights, of numbers of 16 bits.
    ConvI16(ConvI16<'a>),
    /// Functions of numbers of 16 bits.
    I16(I16Layer),
    /// The gradient of a convolution.
    Transpose(TransposeProduct<'a>),
}

impl Quantized<'_> {
    /// Whether the layer also computes with signed bytes as the model has them.
    pub(crate) fn takes_signed(&self) -> bool {
        matches!(self, Quantized::Arg(_) | Quantized::Top(_) | Quantized::Fold(_))
    }

    /// Whether the step also reads and writes signed bytes, which it makes unsigned itself.
    pub(crate) fn flips(&self) -> bool {
        match self {
            Quantized::Function(_)
            | Quantized::Table(_)
            | Quantized::Prelu(_)
            | Quantized::Pairwise(_)
            | Quantized::Lines(_)
            | Quantized::Convert(_)
            | Quantized::Mean(_) => true,
            Quantized::Pool(pool) => pool.flips(),
            _ => false,
        }
    }

    /// Whether the step also writes signed bytes.
    pub(crate) fn writes_signed(&self) -> bool {
        self.flips()
            || matches!(self, Quantized::Product(_) | Quantized::Depthwise(_) | Quantized::Softmax(_))
    }

    /// The window over input 0, if pixels outside of the image count as zero.
    pub(crate) fn window_mut(&mut self) -> Option<&mut Window> {
        match self {
            Quantized::Product(layer) => Some(&mut layer.window),
            Quantized::Depthwise(layer) => Some(&mut layer.window),
            // A pool skips padding; the window of a gradient is over the output.
            Quantized::Pool(_) | Quantized::Transpose(_) => None,
            Quantized::Flip
            | Quantized::Function(_)
            | Quantized::Table(_)
            | Quantized::Prelu(_)
            | Quantized::Pairwise(_)
            | Quantized::Lines(_)
            | Quantized::Convert(_)
            | Quantized::Mean(_)
            | Quantized::Softmax(_)
            | Quantized::Resize(_)
            | Quantized::Arg(_)
            | Quantized::Top(_)
            | Quantized::Fold(_)
            | Quantized::ConvI16(_)
            | Quantized::I16(_)
            | Quantized::Matmul(_) => None,
        }
    }
}

impl LayerStep for Quantized<'_> {
    fn offers(&self) -> Offers<'_> {
        match self {
            Quantized::Product(layer) => layer.offers(),
            Quantized::Depthwise(layer) => layer.offers(),
            Quantized::Pool(layer) => Offers { rows: Some(layer), border: None },
            Quantized::Flip
            | Quantized::Function(_)
            | Quantized::Table(_)
            | Quantized::Prelu(_)
            | Quantized::Pairwise(_)
            | Quantized::Lines(_)
            | Quantized::Convert(_)
            | Quantized::Mean(_)
            | Quantized::Softmax(_)
            | Quantized::Matmul(_)
            | Quantized::Resize(_)
            | Quantized::Arg(_)
            | Quantized::Top(_)
            | Quantized::Fold(_)
            | Quantized::ConvI16(_)
            | Quantized::I16(_)
            | Quantized::Transpose(_) => Offers::NONE,
        }
    }

    fn build(&self, node: &NodeValues<'_>, net: &NetValues<'_, '_>, build: &Build) -> Result<Box<dyn Step>> {
        match self {
            Quantized::Flip => {
                Ok(Box::new(Flip { map: build.bytes.map, input: node.inputs[0], output: node.outputs[0] }))
            }
            Quantized::Product(layer) => layer.build(node, net, build),
            Quantized::Depthwise(layer) => Ok(Box::new(layer.build(node, net, build)?)),
            Quantized::Function(layer) => layer.build(node, net, build),
            Quantized::Table(table) => Ok(lookup::plain(table, node, net, build)),
            Quantized::Prelu(layer) => layer.build(node, net, build),
            Quantized::Pairwise(layer) => layer.build(node, net, build),
            Quantized::Lines(layer) => layer.build(node, net, build),
            Quantized::Pool(layer) => Ok(Box::new(layer.build(node, net, build)?)),
            Quantized::Convert(layer) => layer.build(node, net, build),
            Quantized::Mean(layer) => layer.build(node, net, build),
            Quantized::Softmax(layer) => layer.build(node, net, build),
            Quantized::Matmul(layer) => layer.build(node, net, build),
            Quantized::Resize(layer) => layer.build(node, net, build),
            Quantized::Arg(layer) => Ok(layer.build(node, net, build)),
            Quantized::Top(layer) => layer.build(node, net),
            Quantized::Fold(layer) => layer.build(node, net, build),
            Quantized::ConvI16(layer) => layer.build(node, net, build),
            Quantized::I16(layer) => layer.build(node, net, build),
            Quantized::Transpose(layer) => layer.build(node, net, build),
        }
    }
}

/// Lowers the node if its tensors are bytes and its op has kernels for them; `None` leaves it to other engines.
pub(crate) fn lower<'a>(x: &Source<'_, 'a>) -> Option<Result<Node<Quantized<'a>>>> {
    let (from, to) = (x.input(0).ok()?.1.ty, x.output(0).ok()?.1.ty);
    match (x.node.builtin_code(), from, to) {
        (op::QUANTIZE, F32, I8 | U8) => return as_layer(convert::quantize(x), Quantized::Convert),
        (op::DEQUANTIZE, I8 | U8, F32) => return as_layer(convert::dequantize(x), Quantized::Convert),
        (op::TRANSPOSE_CONV, _, I8) => return as_layer(transpose_conv::lower(x), Quantized::Transpose),
        (op::ARG_MAX | op::ARG_MIN, I8 | U8 | F32 | I32, I32 | I64) => {
            return as_layer(arg::lower(x), Quantized::Arg);
        }
        (op::TOPK_V2, I8 | U8 | I16 | I32 | F32, _) => return as_layer(top::lower(x), Quantized::Top),
        (op::SUM | op::REDUCE_MAX | op::REDUCE_MIN, I8 | U8 | I16, _)
        | (op::MEAN, I16, _)
        | (op::REDUCE_ANY | op::REDUCE_ALL, ElementType::Bool, _) => {
            return as_layer(fold::lower(x), Quantized::Fold);
        }
        (op::CONV_2D, I16, I16) => return as_layer(conv_i16::lower(x), Quantized::ConvI16),
        (op::FULLY_CONNECTED, I16, I16) => {
            return as_layer(fully_connected_i16::lower(x), Quantized::ConvI16);
        }
        (_, I8 | U8, I8 | U8) => {}
        _ => return as_layer(shorts_map::lower(x).or_else(|| shorts::lower(x))?, Quantized::I16),
    }
    match x.node.builtin_code() {
        op::CONV_2D => as_layer(product::convolution(x), Quantized::Product),
        op::AVERAGE_POOL_2D => as_layer(pool::lower(x, PoolKind::Mean), Quantized::Pool),
        op::MAX_POOL_2D => as_layer(pool::lower(x, PoolKind::Max), Quantized::Pool),
        op::DEPTHWISE_CONV_2D => as_layer(depthwise_conv_2d::lower(x), Quantized::Depthwise),
        op::BATCH_MATMUL => as_layer(matmul::lower(x), Quantized::Matmul),
        op::SOFTMAX => as_layer(softmax::lower(x), Quantized::Softmax),
        op::RESIZE_BILINEAR => as_layer(resize::lower(x), Quantized::Resize),
        op::MEAN => as_layer(mean::lower(x), Quantized::Mean),
        op::PRELU => as_layer(prelu::lower(x), Quantized::Prelu),
        op::FULLY_CONNECTED => as_layer(product::fully_connected(x), Quantized::Product),
        code => match lookup::lower(x, code) {
            Some(found) => as_layer(found, Quantized::Function),
            None => as_layer(pair::lower(x, code)?, Quantized::Pairwise),
        },
    }
}

/// A node with a layer of one kind, as a node with any layer.
fn as_layer<'a, L>(
    node: Result<Node<L>>,
    layer: impl FnOnce(L) -> Quantized<'a>,
) -> Option<Result<Node<Quantized<'a>>>> {
    Some(node.map(|node| node.with(layer)))
}

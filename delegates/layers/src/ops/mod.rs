//! From nodes of a model to layers: one op family one file.
//!
//! A lowering is asked when nodes are claimed (its error is the reason of a refusal), when a partition is compiled, and when it is
//! prepared for other shapes.

pub mod batch_matmul;
mod batches;
pub mod conv_2d;
pub mod depthwise_conv_2d;
mod elementwise;
pub mod fully_connected;
pub mod gather;
pub mod matrices;
pub mod moves;
mod pads;
pub mod pool_2d;
mod reduce;
mod reshape;
pub mod resize;
mod slices;
pub mod softmax;
mod source;
pub mod transpose_conv;
mod versions;

use arenite_abi::prelude::*;

pub use batch_matmul::BatchMatmul;
pub use conv_2d::Conv2d;
pub use depthwise_conv_2d::DepthwiseConv2d;
pub use elementwise::Elementwise;
pub use gather::Gather;
pub use moves::Moves;
pub use pads::padding;
pub use pool_2d::Pool2d;
pub use reduce::{Fold, Reduce};
pub use resize::Resize;
pub use softmax::Softmax;
pub use source::{Source, expect_elements, fused_activation};
pub use transpose_conv::TransposeConv;
pub(crate) use versions::check as check_version;

pub use crate::rewrite::LayerNorm;
use crate::{Binary, Clamp, Common, EpilogueOp, Layer, Limits, Node, Own, Unary, Values};

type Lower = for<'s, 'a> fn(&Source<'s, 'a>) -> Result<Node<Common<'a>>>;

/// An op that is lowered to a common layer.
struct Row {
    code: i32,
    /// The input that the layer packs where it is constant: a DEQUANTIZE that gives it does not run.
    packed: Option<usize>,
    lower: Lower,
}

/// An op whose layer reads all inputs where they are.
const fn plain(code: i32, lower: Lower) -> Row {
    Row { code, packed: None, lower }
}

/// An op whose layer packs constant weights, which are input 1.
const fn packing(code: i32, lower: Lower) -> Row {
    Row { code, packed: Some(1), lower }
}

/// All of them.
const TABLE: &[Row] = &[
    packing(op::CONV_2D, conv_2d::lower),
    packing(op::DEPTHWISE_CONV_2D, depthwise_conv_2d::lower),
    packing(op::FULLY_CONNECTED, fully_connected::lower),
    packing(op::TRANSPOSE_CONV, transpose_conv::lower),
    plain(op::BATCH_MATMUL, batch_matmul::lower),
    plain(op::AVERAGE_POOL_2D, |x| pool_2d::lower(x, pool_2d::Kind::Mean)),
    plain(op::MAX_POOL_2D, |x| pool_2d::lower(x, pool_2d::Kind::Max)),
    plain(op::RESHAPE, reshape::lower),
    plain(op::SQUEEZE, reshape::lower),
    plain(op::EXPAND_DIMS, reshape::lower),
    plain(op::DEQUANTIZE, reshape::dequantize),
    plain(op::QUANTIZE, elementwise::quantize),
    plain(op::SOFTMAX, softmax::softmax),
    plain(op::LOG_SOFTMAX, softmax::log_softmax),
    plain(op::MEAN, reduce::mean),
    plain(op::SUM, |x| reduce::lower(x, Fold::Sum)),
    plain(op::REDUCE_MAX, |x| reduce::lower(x, Fold::Max)),
    plain(op::REDUCE_MIN, |x| reduce::lower(x, Fold::Min)),
    plain(op::CONCATENATION, moves::concatenation),
    plain(op::PACK, moves::pack),
    plain(op::SPLIT, moves::split),
    plain(op::SPLIT_V, moves::split_v),
    plain(op::UNPACK, moves::unpack),
    plain(op::PAD, pads::pad),
    plain(op::PADV2, pads::pad_v2),
    plain(op::MIRROR_PAD, pads::mirror),
    plain(op::SLICE, slices::slice),
    plain(op::STRIDED_SLICE, slices::strided_slice),
    plain(op::REVERSE_V2, slices::reverse),
    plain(op::TRANSPOSE, slices::transpose),
    plain(op::TILE, slices::tile),
    plain(op::BROADCAST_TO, slices::broadcast),
    plain(op::DEPTH_TO_SPACE, slices::depth_to_space),
    plain(op::SPACE_TO_DEPTH, slices::space_to_depth),
    plain(op::SPACE_TO_BATCH_ND, batches::space_to_batch),
    plain(op::BATCH_TO_SPACE_ND, batches::batch_to_space),
    plain(op::GATHER, gather::gather),
    plain(op::EMBEDDING_LOOKUP, gather::embedding_lookup),
    plain(op::RESIZE_BILINEAR, resize::bilinear),
    plain(op::RESIZE_NEAREST_NEIGHBOR, resize::nearest),
    plain(op::ADD, |x| elementwise::binary(x, Binary::Add)),
    plain(op::MUL, |x| elementwise::binary(x, Binary::Mul)),
    plain(op::SUB, |x| elementwise::binary(x, Binary::Sub)),
    plain(op::DIV, |x| elementwise::binary(x, Binary::Div)),
    plain(op::MAXIMUM, |x| elementwise::binary(x, Binary::Max)),
    plain(op::MINIMUM, |x| elementwise::binary(x, Binary::Min)),
    plain(op::SQUARED_DIFFERENCE, |x| elementwise::binary(x, Binary::SquaredDifference)),
    plain(op::PRELU, |x| elementwise::binary(x, Binary::Leak)),
    plain(op::LOGISTIC, |x| function(x, Unary::Logistic)),
    plain(op::TANH, |x| function(x, Unary::Tanh)),
    plain(op::EXP, |x| function(x, Unary::Exp)),
    plain(op::NEG, |x| function(x, Unary::Neg)),
    plain(op::SQRT, |x| function(x, Unary::Sqrt)),
    plain(op::RSQRT, |x| function(x, Unary::Rsqrt)),
    plain(op::SQUARE, |x| function(x, Unary::Square)),
    plain(op::ABS, |x| function(x, Unary::Abs)),
    plain(op::HARD_SWISH, |x| function(x, Unary::HardSwish)),
    plain(op::FLOOR, |x| function(x, Unary::Floor)),
    plain(op::CEIL, |x| function(x, Unary::Ceil)),
    plain(op::ROUND, |x| function(x, Unary::Round)),
    plain(op::ELU, |x| function(x, Unary::Elu)),
    plain(op::LEAKY_RELU, elementwise::leaky_relu),
    plain(op::GELU, elementwise::gelu),
    plain(op::RELU, |x| clamp(x, 0.0, f32::INFINITY)),
    plain(op::RELU_N1_TO_1, |x| clamp(x, -1.0, 1.0)),
    plain(op::RELU6, |x| clamp(x, 0.0, 6.0)),
    plain(op::RELU_0_TO_1, |x| clamp(x, 0.0, 1.0)),
];

fn function<'a>(x: &Source<'_, 'a>, f: Unary) -> Result<Node<Common<'a>>> {
    elementwise::unary(x, EpilogueOp::Unary(f))
}

fn clamp<'a>(x: &Source<'_, 'a>, low: f32, high: f32) -> Result<Node<Common<'a>>> {
    elementwise::unary(x, EpilogueOp::Clamp(Clamp { low, high }))
}

fn row(code: i32) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.code == code)
}

/// The input that the common layer of an op packs where it is constant.
pub(crate) fn packed_input(code: i32) -> Option<usize> {
    row(code)?.packed
}

/// What the node computes: one of the engine's own layers, or else a common one. An error says why neither.
pub fn lower<'a, X: Own<'a>>(
    node: &NodeView<'a>,
    values: &Values<'a>,
    limits: &Limits,
) -> Result<Node<Layer<'a, X>>> {
    let x = Source::new(*node, values, limits);
    x.expect_aligned()?;
    match X::lower(&x) {
        Some(own) => Ok(own?.with(Layer::Own)),
        None => Ok(common(&x)?.with(Layer::Common)),
    }
}

fn common<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    match row(x.node.builtin_code()) {
        Some(row) => (row.lower)(x),
        None => Err(unsupported!("the op has no fast kernel")),
    }
}

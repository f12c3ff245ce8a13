//! Ops on quantized bytes. Lowering sees tensors as the model has them, i8 or u8; `build` sees them unsigned, with quantization to match
//! (see [`crate::unsign`]).

mod convert;
mod depthwise_conv_2d;
mod lines;
mod lookup;
mod matmul;
mod mean;
mod pair;
mod pool;
mod product;
mod softmax;
mod transpose_conv;

use arenite_abi::prelude::*;
use arenite_abi::schema::activation;
use arenite_layers::ops::pool_2d::Kind;
use arenite_layers::{Id, Node, Quant, Source, Value, Window};

use convert::Convert;
use depthwise_conv_2d::DepthwiseProduct;
pub use depthwise_conv_2d::expect_planes;
pub use lines::Lines;
use lookup::Function;
use matmul::Matmul;
use mean::Mean;
use pair::Pairwise;
use pool::Pool;
use product::Product;
pub use product::{Weights, wrapping_sum};
use softmax::Softmax;
use transpose_conv::TransposeProduct;

use super::{Build, Offers, Runs};
use crate::isa::Isa;
use crate::kernels;
use crate::kernels::u8_fold::Fold;
use crate::kernels::u8_map::ByteMap;
use crate::kernels::u8_pair::Pairs;
use crate::kernels::u8_pool::Pools;
use crate::kernels::u8_real::Reals;
use crate::kernels::u8i8_dwconv::DwConv;
use crate::kernels::u8i8_gemm::Gemm;
use crate::net::{self, Net};
use crate::program::Step;
use crate::requantize::Bytes;
use crate::steps::flip::Flip;
use crate::steps::lookup::Table;

/// What a node computes.
pub enum Quantized<'a> {
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
    /// The gradient of a convolution.
    Transpose(TransposeProduct<'a>),
}

/// A node that was lowered to such a layer.
type Lowered<'a> = Node<Quantized<'a>>;

/// Families of kernels of bytes.
pub struct Kernels {
    /// Functions.
    pub map: &'static ByteMap,
    /// Functions of two.
    pub pairs: &'static Pairs,
    /// Straight lines.
    pub lines: &'static kernels::u8_lines::Lines,
    /// Sums and maxima.
    pub fold: &'static Fold,
    /// Pools.
    pub pools: &'static Pools,
    /// To and from other numbers.
    pub reals: &'static Reals,
    /// Products.
    pub gemm: &'static Gemm,
    /// Depthwise convolutions.
    pub dwconv: &'static DwConv,
}

impl Kernels {
    /// The best that need nothing beyond `isa`.
    pub fn select(isa: Isa) -> Self {
        Kernels {
            map: ByteMap::select(isa),
            pairs: Pairs::select(isa),
            lines: kernels::u8_lines::Lines::select(isa),
            fold: Fold::select(isa),
            pools: Pools::select(isa),
            reals: Reals::select(isa),
            gemm: Gemm::select(isa),
            dwconv: DwConv::select(isa),
        }
    }
}

impl Quantized<'_> {
    /// Where it reads input 0, if what lies outside of the window counts as zero.
    pub fn window_mut(&mut self) -> Option<&mut Window> {
        match self {
            Quantized::Product(layer) => Some(&mut layer.window),
            Quantized::Depthwise(layer) => Some(&mut layer.window),
            // A pool leaves padding out; the window of a gradient lies over the output.
            Quantized::Pool(_) | Quantized::Transpose(_) => None,
            Quantized::Flip
            | Quantized::Function(_)
            | Quantized::Table(_)
            | Quantized::Pairwise(_)
            | Quantized::Lines(_)
            | Quantized::Convert(_)
            | Quantized::Mean(_)
            | Quantized::Softmax(_)
            | Quantized::Matmul(_) => None,
        }
    }
}

impl Runs for Quantized<'_> {
    fn offers(&self) -> Offers<'_> {
        match self {
            Quantized::Product(layer) => layer.offers(),
            Quantized::Depthwise(layer) => layer.offers(),
            Quantized::Pool(layer) => Offers { rows: Some(layer), border: None },
            Quantized::Flip
            | Quantized::Function(_)
            | Quantized::Table(_)
            | Quantized::Pairwise(_)
            | Quantized::Lines(_)
            | Quantized::Convert(_)
            | Quantized::Mean(_)
            | Quantized::Softmax(_)
            | Quantized::Matmul(_)
            | Quantized::Transpose(_) => Offers::NONE,
        }
    }

    fn build(&self, node: &net::Node<'_>, net: &Net<'_>, build: &Build) -> Result<Box<dyn Step>> {
        match self {
            Quantized::Flip => {
                Ok(Box::new(Flip { map: build.bytes.map, input: node.inputs[0], output: node.outputs[0] }))
            }
            Quantized::Product(layer) => layer.build(node, net, build),
            Quantized::Depthwise(layer) => Ok(Box::new(layer.build(node, net, build)?)),
            Quantized::Function(layer) => layer.build(node, net, build),
            Quantized::Table(table) => Ok(lookup::plain(table, node, net, build)),
            Quantized::Pairwise(layer) => layer.build(node, net, build),
            Quantized::Lines(layer) => layer.build(node, net, build),
            Quantized::Pool(layer) => Ok(Box::new(layer.build(node, net, build)?)),
            Quantized::Convert(layer) => layer.build(node, net, build),
            Quantized::Mean(layer) => layer.build(node, net, build),
            Quantized::Softmax(layer) => layer.build(node, net, build),
            Quantized::Matmul(layer) => layer.build(node, net, build),
            Quantized::Transpose(layer) => layer.build(node, net, build),
        }
    }
}

/// Lowers the node if its op has kernels for bytes and its tensors are such; `None` leaves it to others.
pub fn lower<'a>(x: &Source<'_, 'a>) -> Option<Result<Lowered<'a>>> {
    let (from, to) = (x.input(0).ok()?.1.ty, x.output(0).ok()?.1.ty);
    match (x.node.builtin_code(), from, to) {
        (op::QUANTIZE, F32, I8 | U8) => return Some(convert::quantize(x)),
        (op::DEQUANTIZE, I8 | U8, F32) => return Some(convert::dequantize(x)),
        (op::TRANSPOSE_CONV, _, I8) => return Some(transpose_conv::lower(x)),
        (_, I8 | U8, I8 | U8) => {}
        _ => return None,
    }
    match x.node.builtin_code() {
        op::CONV_2D => Some(product::convolution(x)),
        op::AVERAGE_POOL_2D => Some(pool::lower(x, Kind::Mean)),
        op::MAX_POOL_2D => Some(pool::lower(x, Kind::Max)),
        op::DEPTHWISE_CONV_2D => Some(depthwise_conv_2d::lower(x)),
        op::BATCH_MATMUL => Some(matmul::lower(x)),
        op::SOFTMAX => Some(softmax::lower(x)),
        op::MEAN => Some(mean::lower(x)),
        op::FULLY_CONNECTED => Some(product::fully_connected(x)),
        code => lookup::lower(x, code).or_else(|| pair::lower(x, code)),
    }
}

/// Scale and zero point. An error unless there is one of each, the scale is positive and the zero point is a value of the type.
fn quant_of(value: &Value<'_>) -> Result<Quant> {
    let quant =
        value.quant.ok_or_else(|| unsupported!("'{}' has not one scale for all elements", value.name))?;
    let range = match value.ty {
        U8 => 0..=255,
        I8 => -128..=127,
        ty => return Err(unsupported!("'{}' is {ty}; only INT8 and UINT8 are supported", value.name)),
    };
    if !(quant.scale > 0.0 && quant.scale.is_finite() && range.contains(&quant.zero_point)) {
        return Err(unsupported!(
            "'{}' has scale {} and zero point {}, which {} does not hold",
            value.name,
            quant.scale,
            quant.zero_point,
            value.ty
        ));
    }
    Ok(quant)
}

/// The quantization of a value that is bytes, now unsigned.
fn unsigned(net: &Net<'_>, id: Id) -> Result<Quant> {
    let value = &net.values[id];
    ensure!(value.ty == U8, "'{}' is {} where bytes are unsigned", value.name, value.ty);
    quant_of(value)
}

/// The bytes that results with this quantization are clamped to by an activation of the schema.
///
/// Defined by: `CalculateActivationRangeQuantized` of tflite/kernels/kernel_util.cc.
fn range(activation: i8, quant: Quant) -> Result<Bytes> {
    let bound = |x: f32| {
        let steps = (x / quant.scale).round();
        let fits = steps >= i32::MIN as f32 && steps <= i32::MAX as f32;
        fits.then(|| quant.zero_point.checked_add(steps as i32)).flatten().ok_or_else(|| {
            invalid!("scale {} and zero point {} give no range", quant.scale, quant.zero_point)
        })
    };
    let (low, high) = match activation {
        activation::NONE => (0, 255),
        activation::RELU => (bound(0.0)?, 255),
        activation::RELU_N1_TO_1 => (bound(-1.0)?, bound(1.0)?),
        activation::RELU6 => (bound(0.0)?, bound(6.0)?),
        other => return Err(unsupported!("activation {other} is no range")),
    };
    Ok(Bytes { zero_point: quant.zero_point, low: low.max(0) as u8, high: high.clamp(0, 255) as u8 })
}

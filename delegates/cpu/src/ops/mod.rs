//! From nodes to layers, from layers to steps: one op family one file.
//!
//! [`lower`] is asked when nodes are claimed (its error is the reason of a refusal), when a partition is compiled, and when it is
//! prepared for other shapes.

mod batch_matmul;
mod conv_2d;
mod counting;
mod depthwise_conv_2d;
mod elementwise;
mod fully_connected;
mod gather;
mod hybrid;
mod moves;
mod pads;
mod pool_2d;
mod quantized;
mod reduce;
mod reshape;
mod resize;
mod scan;
mod slices;
mod softmax;
mod transpose_conv;
mod typed;
mod versions;

use arenite_abi::prelude::*;
use arenite_abi::schema::{AddOptions, ConcatenationOptions, DivOptions, MulOptions, SubOptions};

pub use batch_matmul::BatchMatmul;
pub use conv_2d::Conv2d;
pub use depthwise_conv_2d::DepthwiseConv2d;
pub use elementwise::Elementwise;
pub use gather::Gather;
pub use hybrid::Hybrid;
pub use moves::{Moves, strides};
pub use pads::padding;
pub use pool_2d::Pool2d;
pub use quantized::{Lines, Quantized, Weights, wrapping_sum};
pub use reduce::Reduce;
pub use resize::Resize;
pub use scan::Scan;
pub use softmax::Softmax;
pub use transpose_conv::TransposeConv;
pub use typed::Typed;
pub use versions::check as check_version;

use crate::isa::Isa;
use crate::kernels;
use crate::kernels::f32_dwconv::DwConv;
use crate::kernels::f32_fold::Folds;
use crate::kernels::f32_gemm::Gemm;
use crate::kernels::f32_map::Map;
use crate::kernels::f32_norm::Norm;
use crate::kernels::f32_pool::{self, Pool};
use crate::net::{Id, Net, Node, Value, Values, is_aligned};
use crate::normalize::LayerNorm;
use crate::program::Step;
use crate::steps::post::Post;
use crate::store::Store;
use crate::stored::Stored;

/// What a node computes.
pub enum Layer<'a> {
    /// Nothing: what rewriting leaves of a node that is gone.
    Nothing,
    /// The output has the input's bytes.
    Rename,
    /// A convolution of `f32`, or a product with constant weights.
    Conv2d(Conv2d<'a>),
    /// A depthwise convolution of `f32`.
    DepthwiseConv2d(DepthwiseConv2d<'a>),
    /// The gradient of a convolution of `f32`.
    TransposeConv(TransposeConv<'a>),
    /// Products of matrices, both known at run time only.
    BatchMatmul(BatchMatmul<'a>),
    /// A function of one or two `f32` tensors.
    Elementwise(Elementwise),
    /// On quantized bytes.
    Quantized(Quantized<'a>),
    /// On `f32`, with weights of bytes.
    Hybrid(Hybrid<'a>),
    /// Elements that go to other places as they are.
    Moves(Moves),
    /// A pool of `f32`.
    Pool2d(Pool2d),
    /// A sum, a mean or an extreme of `f32`.
    Reduce(Reduce),
    /// Rows of `f32` brought to mean 0 and variance 1.
    LayerNorm(LayerNorm),
    /// Softmax of `f32`, or its logarithm.
    Softmax(Softmax),
    /// Slices that indices name.
    Gather(Gather),
    /// Images of another size.
    Resize(Resize),
    /// A function of elements of any type.
    Typed(Typed),
    /// Layers one behind the other, some rows of each at a time.
    Cascade(Vec<Node<'a>>),
    /// A loop that counts.
    Scan(Box<Scan<'a>>),
}

impl Layer<'_> {
    /// What the layer does to its results while they are in the cache; `None` if it cannot.
    pub fn posts(&self) -> Option<&Vec<Post>> {
        match self {
            Layer::Conv2d(layer) => Some(&layer.posts),
            Layer::BatchMatmul(layer) => Some(&layer.posts),
            Layer::DepthwiseConv2d(layer) => Some(&layer.posts),
            Layer::Hybrid(layer) => Some(&layer.posts),
            Layer::Pool2d(layer) => Some(&layer.posts),
            Layer::TransposeConv(layer) => Some(&layer.posts),
            Layer::Elementwise(Elementwise::Chain(posts) | Elementwise::Two(_, _, posts)) => Some(posts),
            _ => None,
        }
    }

    /// As [`posts`](Self::posts), to be added to.
    pub fn posts_mut(&mut self) -> Option<&mut Vec<Post>> {
        match self {
            Layer::Conv2d(layer) => Some(&mut layer.posts),
            Layer::BatchMatmul(layer) => Some(&mut layer.posts),
            Layer::DepthwiseConv2d(layer) => Some(&mut layer.posts),
            Layer::Hybrid(layer) => Some(&mut layer.posts),
            Layer::Pool2d(layer) => Some(&mut layer.posts),
            Layer::TransposeConv(layer) => Some(&mut layer.posts),
            Layer::Elementwise(Elementwise::Chain(posts) | Elementwise::Two(_, _, posts)) => Some(posts),
            _ => None,
        }
    }
}

impl<'a> Layer<'a> {
    /// Whether it is a product of rows, each on its own.
    pub fn repeats(&self) -> bool {
        match self {
            Layer::Conv2d(layer) => layer.window.is_line() && layer.groups == 1 && layer.posts.is_empty(),
            Layer::Hybrid(layer) => layer.is_product() && layer.posts.is_empty(),
            _ => false,
        }
    }

    /// Makes it `times` as many rows, if it is such a product.
    pub fn repeat(&mut self, times: usize) {
        match self {
            Layer::Conv2d(layer) => layer.window.repeat(times),
            Layer::Hybrid(layer) => layer.repeat(times),
            _ => {}
        }
    }

    /// The place of the bias of a product that has none, if constants of this length that are added to its results may be that.
    pub fn free_bias(&mut self, len: usize) -> Option<&mut Option<&'a [f32]>> {
        match self {
            Layer::Conv2d(layer) if layer.filters == len && layer.limits == (f32::MIN, f32::MAX) => {
                Some(&mut layer.bias).filter(|bias| bias.is_none())
            }
            Layer::Hybrid(layer) => layer.free_bias(len),
            _ => None,
        }
    }
}

/// What steps are built for.
pub struct Build {
    /// The features that kernels may need.
    pub isa: Isa,
    /// Products of `f32`.
    pub f32_gemm: &'static Gemm,
    /// Depthwise convolutions of `f32`.
    pub f32_dwconv: &'static DwConv,
    /// Sums and extremes of `f32`.
    pub f32_fold: &'static Folds,
    /// Elementwise `f32`.
    pub f32_map: &'static Map,
    /// Bytes.
    pub bytes: quantized::Kernels,
    /// Layer normalization of `f32`.
    pub f32_norm: &'static Norm,
    /// Pools of `f32`.
    pub f32_pool: &'static Pool,
    /// Softmax of `f32`.
    pub f32_softmax: &'static kernels::f32_softmax::Softmax,
    /// Whether convolutions may round as Winograd's do.
    pub winograd: Winograd,
    /// Where packed weights go.
    pub store: Store,
    /// Threads that steps will have at most.
    pub threads: usize,
}

/// A switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Winograd {
    /// Where it is faster: results are within 1e-4 relative.
    Allowed,
    /// Nowhere.
    Off,
}

impl Build {
    /// The best kernels that need nothing beyond `isa`.
    pub fn new(isa: Isa, winograd: Winograd, store: Store, threads: usize) -> Self {
        Build {
            isa,
            f32_gemm: Gemm::select(isa),
            f32_dwconv: DwConv::select(isa),
            f32_fold: Folds::select(isa),
            f32_map: Map::select(isa),
            bytes: quantized::Kernels::select(isa),
            f32_norm: Norm::select(isa),
            f32_pool: Pool::select(isa),
            f32_softmax: kernels::f32_softmax::Softmax::select(isa),
            winograd,
            store,
            threads,
        }
    }
}

/// What the node computes. An error says why the delegate does not take it.
pub fn lower<'a>(node: &NodeView<'a>, values: &Values<'a>) -> Result<Node<'a>> {
    let x = Source { node: *node, values };
    let inputs = (0..node.input_count()).filter_map(|i| x.optional_input(i));
    if let Some((_, value)) =
        inputs.into_iter().find(|(_, value)| value.constant.is_some_and(|data| !is_aligned(&data)))
    {
        return Err(unsupported!("constant '{}' lies between elements of {}", value.name, value.ty));
    }
    if let Some(lowered) = quantized::lower(&x).or_else(|| hybrid::lower(&x)) {
        return lowered;
    }
    match node.builtin_code() {
        op::CONV_2D => conv_2d::lower(&x),
        op::DEPTHWISE_CONV_2D => depthwise_conv_2d::lower(&x),
        op::FULLY_CONNECTED => fully_connected::lower(&x),
        op::BATCH_MATMUL => batch_matmul::lower(&x),
        op::TRANSPOSE_CONV => transpose_conv::lower(&x),
        op::AVERAGE_POOL_2D => pool_2d::lower(&x, f32_pool::Kind::Mean),
        op::MAX_POOL_2D => pool_2d::lower(&x, f32_pool::Kind::Max),
        op::RESHAPE | op::SQUEEZE | op::EXPAND_DIMS => reshape::lower(&x),
        op::SOFTMAX => softmax::softmax(&x),
        op::LOG_SOFTMAX => softmax::log_softmax(&x),
        code @ (op::MEAN | op::SUM | op::REDUCE_MAX | op::REDUCE_MIN) => reduce::lower(&x, code),
        op::CONCATENATION => moves::concatenation(&x),
        op::PACK => moves::pack(&x),
        op::SPLIT => moves::split(&x),
        op::SPLIT_V => moves::split_v(&x),
        op::UNPACK => moves::unpack(&x),
        op::PAD => pads::pad(&x),
        op::PADV2 => pads::pad_v2(&x),
        op::MIRROR_PAD => pads::mirror(&x),
        op::SLICE => slices::slice(&x),
        op::STRIDED_SLICE => slices::strided_slice(&x),
        op::REVERSE_V2 => slices::reverse(&x),
        op::TRANSPOSE => slices::transpose(&x),
        op::TILE => slices::tile(&x),
        op::BROADCAST_TO => slices::broadcast(&x),
        op::DEPTH_TO_SPACE => slices::depth_to_space(&x),
        op::SPACE_TO_DEPTH => slices::space_to_depth(&x),
        op::GATHER => gather::gather(&x),
        op::EMBEDDING_LOOKUP => gather::embedding_lookup(&x),
        op::RESIZE_BILINEAR => resize::bilinear(&x),
        op::RESIZE_NEAREST_NEIGHBOR => resize::nearest(&x),
        op::WHILE => scan::lower(&x),
        code => typed::lower(&x, code)
            .or_else(|| elementwise::lower(&x, code))
            .unwrap_or_else(|| Err(unsupported!("the op has no fast kernel"))),
    }
}

/// What arithmetic or a concatenation does to its results, one of [`activation`](schema::activation); `None` of other ops.
pub fn fused_activation(node: &NodeView<'_>) -> Result<Option<i8>> {
    let activation = match node.builtin_code() {
        op::ADD => node.options()?.get(AddOptions::FUSED_ACTIVATION_FUNCTION)?,
        op::SUB => node.options()?.get(SubOptions::FUSED_ACTIVATION_FUNCTION)?,
        op::MUL => node.options()?.get(MulOptions::FUSED_ACTIVATION_FUNCTION)?,
        op::DIV => node.options()?.get(DivOptions::FUSED_ACTIVATION_FUNCTION)?,
        op::CONCATENATION => node.options()?.get(ConcatenationOptions::FUSED_ACTIVATION_FUNCTION)?,
        _ => return Ok(None),
    };
    Ok(Some(activation))
}

/// Builds the step of a node. Renamings that are left move bytes.
pub fn build(node: &Node<'_>, net: &Net<'_>, build: &Build) -> Result<Box<dyn Step>> {
    match &node.layer {
        Layer::Nothing => Err(invalid!("a node was rewritten away and is still there")),
        Layer::Rename => Ok(Box::new(crate::steps::copy::Copy {
            input: node.inputs[0],
            output: node.outputs[0],
            bytes: net.values[node.outputs[0]].bytes(),
        })),
        Layer::Conv2d(layer) => layer.build(node, build),
        Layer::BatchMatmul(layer) => layer.build(node, build),
        Layer::DepthwiseConv2d(layer) => Ok(Box::new(layer.build(node, build)?)),
        Layer::Elementwise(layer) => layer.build(node, net, build),
        Layer::Quantized(layer) => layer.build(node, net, build),
        Layer::Hybrid(layer) => layer.build(node, build),
        Layer::Moves(layer) => layer.build(node, build),
        Layer::TransposeConv(layer) => layer.build(node, build),
        Layer::Pool2d(layer) => Ok(Box::new(layer.build(node, build))),
        Layer::Cascade(nodes) => Ok(Box::new(crate::cascade::build(nodes, net, build)?)),
        Layer::Reduce(layer) => Ok(layer.build(node, build)),
        Layer::LayerNorm(layer) => layer.build(node, net, build),
        Layer::Softmax(layer) => Ok(layer.build(node, net, build)),
        Layer::Gather(layer) => Ok(layer.build(node, net)),
        Layer::Resize(layer) => layer.build(node, net, build),
        Layer::Typed(layer) => layer.build(node, net),
        Layer::Scan(layer) => layer.build(net, build),
    }
}

/// A node of the model and the values around it.
pub struct Source<'s, 'a> {
    /// The node.
    pub node: NodeView<'a>,
    values: &'s Values<'a>,
}

impl<'a> Source<'_, 'a> {
    /// The value of input `i`, if there is one.
    pub fn optional_input(&self, i: usize) -> Option<(Id, &Value<'a>)> {
        self.values.get(*self.node.input_indices().get(i)?)
    }

    /// The value of input `i`.
    pub fn input(&self, i: usize) -> Result<(Id, &Value<'a>)> {
        self.optional_input(i).ok_or_else(|| invalid!("input {i} is absent, this op needs it"))
    }

    /// The value of output `i`.
    pub fn output(&self, i: usize) -> Result<(Id, &Value<'a>)> {
        let index = self.node.output_indices().get(i).copied().unwrap_or(-1);
        self.values.get(index).ok_or_else(|| invalid!("output {i} is absent, this op needs it"))
    }

    /// The elements of input `i`, which has to be constant.
    pub fn constant<T: Element>(&self, i: usize) -> Result<&'a [T]> {
        let (_, value) = self.input(i)?;
        value.elements()?.ok_or_else(|| unsupported!("input {i} '{}' is not constant", value.name))
    }

    /// The weights of input `i`, which have to be constant.
    pub fn weights(&self, i: usize) -> Result<Stored<'a>> {
        let (_, value) = self.input(i)?;
        value.weights()?.ok_or_else(|| unsupported!("input {i} '{}' is not constant", value.name))
    }

    /// As [`constant`](Self::constant), of an input that may be absent.
    pub fn optional_constant<T: Element>(&self, i: usize) -> Result<Option<&'a [T]>> {
        self.optional_input(i).map(|_| self.constant(i)).transpose()
    }

    /// The whole numbers of input `i`, which has to be constant.
    pub fn integers(&self, i: usize) -> Result<Vec<i64>> {
        let (_, value) = self.input(i)?;
        fn wide<T: Element + Into<i64>>(list: &[T]) -> Vec<i64> {
            list.iter().map(|&x| x.into()).collect()
        }
        Ok(match value.ty {
            I8 => wide(self.constant::<i8>(i)?),
            I16 => wide(self.constant::<i16>(i)?),
            I32 => wide(self.constant::<i32>(i)?),
            I64 => self.constant::<i64>(i)?.to_vec(),
            ty => return Err(unsupported!("'{}' is {ty}, taken are whole numbers", value.name)),
        })
    }

    /// An error unless all listed inputs that are present, and all outputs, are `f32`.
    pub fn expect_f32(&self, inputs: usize) -> Result<()> {
        let inputs = (0..inputs).filter_map(|i| self.optional_input(i));
        let outputs = (0..self.node.output_count()).filter_map(|i| self.output(i).ok());
        for (_, value) in inputs.chain(outputs) {
            if value.ty != F32 {
                return Err(unsupported!("'{}' is {}, taken is FLOAT32", value.name, value.ty));
            }
        }
        Ok(())
    }
}

/// An error if a node with these shapes is not worth the delegate's while, or its sizes overflow.
pub fn expect_elements(value: &Value<'_>) -> Result<()> {
    let count = value.shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d));
    match count {
        Some(n) if n > 0 => Ok(()),
        _ => Err(unsupported!("'{}' has shape {:?}, without elements", value.name, value.shape)),
    }
}

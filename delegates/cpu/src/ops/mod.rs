//! From layers to steps, one family one file, and the layers that only this delegate has.

mod batch_matmul;
mod cascade;
mod conv_2d;
mod depthwise_conv_2d;
mod elementwise;
mod gather;
pub mod hybrid;
mod layer_norm;
mod moves;
mod pool_2d;
pub mod quantized;
mod reduce;
mod rename;
mod resize;
pub mod scan;
mod softmax;
mod transpose_conv;
pub mod typed;

use arenite_abi::prelude::*;
use arenite_layers::{Common, EpilogueOp, Window};

pub use hybrid::Hybrid;
pub use quantized::{Lines, Quantized, Weights, wrapping_sum};
pub use scan::Scan;
pub use typed::Typed;

use crate::contents::Contents;
use crate::isa::Isa;
use crate::kernels;
use crate::kernels::f32_dwconv::DwConv;
use crate::kernels::f32_fold::Folds;
use crate::kernels::f32_gemm::Gemm;
use crate::kernels::f32_map::Map;
use crate::kernels::f32_norm::Norm;
use crate::kernels::f32_pool::Pool;
use crate::net::{Layer, Net, Node, Own};
use crate::program::Step;
use crate::steps::cascade::Rows;
use crate::store::Store;

/// What the delegate does with a layer. Nothing has a default: whoever adds a layer answers all of it.
pub trait Runs {
    /// Its step, with packed weights.
    fn build(&self, node: &Node<'_>, net: &Net<'_>, build: &Build) -> Result<Box<dyn Step>>;

    /// What the delegate's passes may make of it.
    fn offers(&self) -> Offers<'_>;
}

/// What the delegate's passes may make of a layer.
pub struct Offers<'l> {
    /// A part of a cascade.
    pub rows: Option<&'l dyn ByRows>,
    /// One that reads its input from a copy with a border.
    pub border: Option<Border>,
}

impl Offers<'_> {
    /// Nothing: it stays as it is.
    pub const NONE: Self = Offers { rows: None, border: None };
}

/// A layer that can compute some rows of its output at a time.
pub trait ByRows {
    /// Where it reads, and the bytes of a pixel of its output.
    fn window(&self) -> (&Window, usize);

    /// What it does to its results.
    fn epilogue(&self) -> &[EpilogueOp];

    /// Bytes of its weights, which are read again for some rows at a time.
    fn weights(&self) -> usize;

    /// Whether it would be computed otherwise at once, and faster.
    fn is_faster_whole(&self, build: &Build) -> bool;

    /// What computes rows.
    fn rows(&self, node: &Node<'_>, net: &Net<'_>, build: &Build) -> Result<Box<dyn Rows>>;
}

/// A layer whose [window](arenite_layers::Parts::window) reads rows of pixels that had better lie side by side.
#[derive(Clone, Copy, Debug)]
pub struct Border {
    /// Bytes of an element of its input.
    pub width: usize,
    /// Fewer channels than these are worth a copy of an image of any size.
    pub few: usize,
    /// Groups of channels.
    pub groups: usize,
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
    /// What constants hold, if packed weights outlive the process.
    pub contents: Option<Contents>,
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
            contents: None,
            threads,
        }
    }

    /// What the constants that a node packs are called in the store: by what they hold if packed weights outlive the process, else by
    /// their ids.
    pub fn name(&self, node: &Node<'_>, net: &Net<'_>) -> Result<String> {
        match &self.contents {
            Some(contents) => contents.name(net, &node.packed),
            None => Ok(format!("{:?}", node.packed)),
        }
    }
}

/// What is done with a layer.
pub fn runs<'l>(layer: &'l Layer<'_>) -> &'l dyn Runs {
    match layer {
        Layer::Common(Common::Rename) => &rename::Rename,
        Layer::Common(Common::Conv2d(layer)) => layer,
        Layer::Common(Common::DepthwiseConv2d(layer)) => layer,
        Layer::Common(Common::TransposeConv(layer)) => layer,
        Layer::Common(Common::BatchMatmul(layer)) => layer,
        Layer::Common(Common::Elementwise(layer)) => layer,
        Layer::Common(Common::Moves(layer)) => layer,
        Layer::Common(Common::Pool2d(layer)) => layer,
        Layer::Common(Common::Reduce(layer)) => layer,
        Layer::Common(Common::LayerNorm(layer)) => layer,
        Layer::Common(Common::Softmax(layer)) => layer,
        Layer::Common(Common::Gather(layer)) => layer,
        Layer::Common(Common::Resize(layer)) => layer,
        Layer::Own(Own::Quantized(layer)) => layer,
        Layer::Own(Own::Hybrid(layer)) => layer,
        Layer::Own(Own::Typed(layer)) => layer,
        Layer::Own(Own::Cascade(layer)) => layer,
        Layer::Own(Own::Scan(layer)) => &**layer,
    }
}

/// Builds the step of a node.
pub fn build(node: &Node<'_>, net: &Net<'_>, build: &Build) -> Result<Box<dyn Step>> {
    build.store.allowance.charge(node.outputs.first().map_or("", |&id| net.values[id].name));
    runs(&node.layer).build(node, net, build)
}

/// How a node's layer can be a part of a cascade.
pub fn by_rows<'l>(node: &'l Node<'_>) -> Option<&'l dyn ByRows> {
    runs(&node.layer).offers().rows
}

//! The inputs of building a step, and the trait that every layer implements for this delegate.

use std::sync::atomic::{AtomicU64, Ordering};

use arenite_abi::prelude::*;
use arenite_layers::{EpilogueOp, Window};

use super::values::{NetValues, NodeValues};
use crate::contents::{self, Contents};
use crate::isa::Isa;
use crate::kernels::copies::Copies;
use crate::kernels::f32_attention::Attention;
use crate::kernels::f32_dwconv::DwConv;
use crate::kernels::f32_fold::Folds;
use crate::kernels::f32_gemm::Gemm;
use crate::kernels::f32_map::Map;
use crate::kernels::f32_norm::Norm;
use crate::kernels::f32_pool::Pool;
use crate::kernels::f32_softmax::Softmax;
use crate::kernels::f64_fft::Fft;
use crate::kernels::int_fold::IntFolds;
use crate::kernels::u8_arg::Places;
use crate::kernels::u8_blend::Blend;
use crate::kernels::u8_map::ByteMap;
use crate::kernels::u8_pair::Pairs;
use crate::kernels::u8_pool::Pools;
use crate::kernels::u8_real::Reals;
use crate::kernels::{u8_lines, u8i2_gemm, u8i4_gemm, u8i8_dwconv, u8i8_gemm};
use crate::step::Step;
use crate::steps::cascade::RowStep;
use crate::store::Store;

/// A layer that this delegate can run. No method has a default, so a new layer answers every question.
pub(crate) trait LayerStep {
    /// Its step, with packed weights.
    fn build(&self, node: &NodeValues<'_>, net: &NetValues<'_, '_>, build: &Build) -> Result<Box<dyn Step>>;

    /// How the delegate's passes may rewrite it.
    fn offers(&self) -> Offers<'_>;
}

/// How the delegate's passes may rewrite a layer.
pub(crate) struct Offers<'l> {
    /// A part of a cascade.
    pub rows: Option<&'l dyn ByRows>,
    /// One that reads its input from a copy with a border.
    pub border: Option<Border>,
}

impl Offers<'_> {
    /// The layer must stay unchanged.
    pub(crate) const NONE: Self = Offers { rows: None, border: None };
}

/// A layer that can compute some rows of its output at a time.
pub(crate) trait ByRows {
    /// Where it reads, and the bytes of a pixel of its output.
    fn window(&self) -> (&Window, usize);

    /// The epilogue of its results.
    fn epilogue(&self) -> &[EpilogueOp];

    /// Bytes of its weights, which are read again for some rows at a time.
    fn weights(&self) -> usize;

    /// Whether a faster kernel would run if the layer were not split by rows.
    fn is_faster_whole(&self, build: &Build) -> bool;

    /// The step that computes rows.
    fn rows(&self, node: &NodeValues<'_>, net: &NetValues<'_, '_>, build: &Build)
    -> Result<Box<dyn RowStep>>;
}

/// A layer whose [window](arenite_layers::Parts::window) reads faster if its rows of pixels are contiguous.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Border {
    /// Bytes of an element of its input.
    pub width: usize,
    /// Fewer channels than these are worth a copy of an image of any size.
    pub few: usize,
    /// Groups of channels.
    pub groups: usize,
}

/// The machine, the settings and the stores that steps are built for.
pub(crate) struct Build {
    /// The features that kernels may need.
    pub isa: Isa,
    /// Copies of rows.
    pub copies: &'static Copies,
    /// Attention of `f32`.
    pub f32_attention: &'static Attention,
    /// Products of `f32`.
    pub f32_gemm: &'static Gemm,
    /// Depthwise convolutions of `f32`.
    pub f32_dwconv: &'static DwConv,
    /// Sums and extremes of `f32`.
    pub f32_fold: &'static Folds,
    /// Elementwise `f32`.
    pub f32_map: &'static Map,
    /// Bytes.
    pub bytes: ByteKernels,
    /// Layer normalization of `f32`.
    pub f32_norm: &'static Norm,
    /// Pools of `f32`.
    pub f32_pool: &'static Pool,
    /// Softmax of `f32`.
    pub f32_softmax: &'static Softmax,
    /// Fourier transforms.
    pub f64_fft: &'static Fft,
    /// Whether convolutions may round as Winograd's do.
    pub winograd: Winograd,
    /// Where packed weights go.
    pub store: Store,
    /// Hashes of the constants, if packed weights outlive the process.
    pub contents: Option<Contents>,
    /// Threads that steps will have at most.
    pub threads: usize,
    /// A number that no other partition has.
    pub partition: u64,
}

/// Partitions that were numbered.
static PARTITIONS: AtomicU64 = AtomicU64::new(0);

/// A switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Winograd {
    /// Where it is faster: results are within 1e-4 relative.
    Allowed,
    /// Nowhere.
    Off,
}

impl Build {
    /// The best kernels that need nothing beyond `isa`.
    pub(crate) fn new(isa: Isa, winograd: Winograd, store: Store, threads: usize) -> Self {
        Build {
            isa,
            copies: Copies::select(isa),
            f32_attention: Attention::select(isa),
            f32_gemm: Gemm::select(isa),
            f32_dwconv: DwConv::select(isa),
            f32_fold: Folds::select(isa),
            f32_map: Map::select(isa),
            bytes: ByteKernels::select(isa),
            f32_norm: Norm::select(isa),
            f32_pool: Pool::select(isa),
            f32_softmax: Softmax::select(isa),
            f64_fft: Fft::select(isa),
            winograd,
            store,
            contents: None,
            threads,
            partition: PARTITIONS.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// The name of a node's packed constants in the store: a hash of their contents if packed weights outlive the
    /// process, else their addresses in the model, else their ids in the partition.
    pub(crate) fn name(&self, node: &NodeValues<'_>, net: &NetValues<'_, '_>) -> Result<String> {
        match &self.contents {
            Some(contents) => contents.name(net, node.packed),
            None => Ok(contents::place(net, node.packed)
                .unwrap_or_else(|| format!("{} {:?}", self.partition, node.packed))),
        }
    }
}

/// Families of kernels of bytes.
pub(crate) struct ByteKernels {
    /// Functions.
    pub map: &'static ByteMap,
    /// Functions of two.
    pub pairs: &'static Pairs,
    /// Straight lines.
    pub lines: &'static u8_lines::Lines,
    /// Sums and extremes, also of 16 bits.
    pub fold: &'static IntFolds,
    /// Places of maxima.
    pub places: &'static Places,
    /// Means of pixels.
    pub blend: &'static Blend,
    /// Pools.
    pub pools: &'static Pools,
    /// To and from other numbers.
    pub reals: &'static Reals,
    /// Products.
    pub gemm: &'static u8i8_gemm::Gemm,
    /// Products with weights of four bits.
    pub gemm_i4: &'static u8i4_gemm::Gemm,
    /// Products with weights of two bits.
    pub gemm_i2: &'static u8i4_gemm::Gemm,
    /// Depthwise convolutions.
    pub dwconv: &'static u8i8_dwconv::DwConv,
}

impl ByteKernels {
    /// The best that need nothing beyond `isa`.
    pub(crate) fn select(isa: Isa) -> Self {
        ByteKernels {
            map: ByteMap::select(isa),
            pairs: Pairs::select(isa),
            lines: u8_lines::Lines::select(isa),
            fold: IntFolds::select(isa),
            places: Places::select(isa),
            blend: Blend::select(isa),
            pools: Pools::select(isa),
            reals: Reals::select(isa),
            gemm: u8i8_gemm::Gemm::select(isa),
            gemm_i4: u8i4_gemm::Gemm::select(isa),
            gemm_i2: u8i2_gemm::select(isa),
            dwconv: u8i8_dwconv::DwConv::select(isa),
        }
    }
}

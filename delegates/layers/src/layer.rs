//! Layers: those that engines share, those of an engine's own, and what passes may change of either.

use arenite_abi::prelude::*;

use crate::net::Node;
use crate::ops::{
    BatchMatmul, Conv2d, DepthwiseConv2d, Elementwise, Gather, LayerNorm, Moves, Pool2d, Reduce, Resize,
    Softmax, Source, TransposeConv,
};
use crate::{Clamp, EpilogueOp, Value, Window};

/// What a node computes.
// Of a net's few nodes, most have common layers: a box would save nothing.
#[allow(clippy::large_enum_variant)]
pub enum Layer<'a, X> {
    /// What engines share.
    Common(Common<'a>),
    /// What only this engine has.
    Own(X),
}

/// A layer that engines share.
pub enum Common<'a> {
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
}

/// The layers that an engine has beside the common ones.
pub trait Own<'a>: Sized {
    /// Lowers the node to such a layer; `None` leaves it to the common ones.
    fn lower(x: &Source<'_, 'a>) -> Option<Result<Node<Self>>>;

    /// What passes may change of it.
    fn parts_mut(&mut self) -> Parts<'_, 'a>;
}

/// What passes may change of a layer. Whoever adds a layer fills in all of it: what is `None` is left as it is, and slow.
pub struct Parts<'l, 'a> {
    /// What it does to its results while they are in the cache; `None` if it cannot.
    pub epilogue: Option<&'l mut Vec<EpilogueOp>>,
    /// What it clamps its results to before that, if it may be told otherwise.
    pub clamp: Option<&'l mut Clamp>,
    /// Where it reads input 0, if what lies outside of the window counts as zero.
    pub window: Option<&'l mut Window>,
    /// Values of its own, such as those inside of a loop, until the net around takes them.
    pub values: Option<&'l mut Vec<Value<'a>>>,
}

impl Parts<'_, '_> {
    /// None.
    pub const NONE: Self = Parts { epilogue: None, clamp: None, window: None, values: None };
}

/// What an engine can do.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Most operations of an epilogue.
    pub epilogue: usize,
    /// Most taps of a convolution's filter.
    pub conv_taps: usize,
    /// Most taps of a depthwise convolution's filter.
    pub depthwise_taps: usize,
    /// Most taps of a pool's window.
    pub pool_taps: usize,
    /// Most taps that meet in one result of a transposed convolution.
    pub transpose_conv_taps: usize,
}

impl<'a> Common<'a> {
    /// What passes may change of it.
    pub fn parts_mut(&mut self) -> Parts<'_, 'a> {
        match self {
            Common::Conv2d(Conv2d { epilogue, window, clamp, .. })
            | Common::DepthwiseConv2d(DepthwiseConv2d { epilogue, window, clamp, .. }) => {
                Parts { epilogue: Some(epilogue), clamp: Some(clamp), window: Some(window), values: None }
            }
            // The window of a gradient lies over the output, and padding is left out of what a pool computes.
            Common::TransposeConv(TransposeConv { epilogue, clamp, .. })
            | Common::BatchMatmul(BatchMatmul { epilogue, clamp, .. })
            | Common::Pool2d(Pool2d { epilogue, clamp, .. })
            | Common::Elementwise(Elementwise::Two(_, clamp, epilogue)) => {
                Parts { epilogue: Some(epilogue), clamp: Some(clamp), window: None, values: None }
            }
            Common::Elementwise(Elementwise::Chain(epilogue)) => {
                Parts { epilogue: Some(epilogue), clamp: None, window: None, values: None }
            }
            Common::Rename
            | Common::Moves(_)
            | Common::Reduce(_)
            | Common::LayerNorm(_)
            | Common::Softmax(_)
            | Common::Gather(_)
            | Common::Resize(_) => Parts::NONE,
        }
    }
}

impl<'a, X: Own<'a>> Layer<'a, X> {
    /// What passes may change of it.
    pub fn parts_mut(&mut self) -> Parts<'_, 'a> {
        match self {
            Layer::Common(layer) => layer.parts_mut(),
            Layer::Own(layer) => layer.parts_mut(),
        }
    }
}

impl<X> Layer<'_, X> {
    /// Whether it only gives its input's bytes another name.
    pub fn is_rename(&self) -> bool {
        matches!(self, Layer::Common(Common::Rename))
    }
}

//! Layers: common layers, an interface for layers that only one engine has, and the parts that passes may change. One
//! kind of layer per file.

pub mod batch_matmul;
mod conv_2d;
mod depthwise_conv_2d;
mod elementwise;
mod epilogue;
pub mod gather;
mod l2_norm;
mod layer_norm;
mod loops;
pub mod matrices;
pub mod moves;
mod pool_2d;
mod reduce;
pub mod resize;
pub mod softmax;
mod transpose_conv;
mod window;

use arenite_base::Clamp;

pub use batch_matmul::BatchMatmul;
pub use conv_2d::Conv2d;
pub use depthwise_conv_2d::DepthwiseConv2d;
pub use elementwise::Elementwise;
pub use epilogue::EpilogueOp;
pub use gather::Gather;
pub use l2_norm::L2Norm;
pub use layer_norm::LayerNorm;
pub use loops::Loops;
pub use moves::Moves;
pub use pool_2d::Pool2d;
pub use reduce::Reduce;
pub use resize::Resize;
pub use softmax::Softmax;
pub use transpose_conv::TransposeConv;
pub use window::{Axis, Window};

use crate::net::{self, Value};

/// A net of common layers and an engine's own layers `X`.
pub type Net<'a, X> = net::Net<'a, Layer<'a, X>>;

/// The computation of a node.
// Nets have few nodes, most with common layers: a box would save nothing.
#[allow(clippy::large_enum_variant)]
pub enum Layer<'a, X> {
    /// A layer that engines share.
    Common(Common<'a>),
    /// A layer that only this engine has.
    Engine(X),
}

/// A layer that engines share.
pub enum Common<'a> {
    /// The output has the bytes of the input.
    Rename,
    /// A convolution of `f32`, or a product with constant weights.
    Conv2d(Conv2d<'a>),
    /// A depthwise convolution of `f32`.
    DepthwiseConv2d(DepthwiseConv2d<'a>),
    /// The gradient of a convolution of `f32`.
    TransposeConv(TransposeConv<'a>),
    /// Products of matrices that are both computed at run time.
    BatchMatmul(BatchMatmul<'a>),
    /// A function of one or two `f32` tensors.
    Elementwise(Elementwise),
    /// Copies of elements.
    Moves(Moves),
    /// A pool of `f32`.
    Pool2d(Pool2d),
    /// A sum, a mean or an extreme of `f32`.
    Reduce(Reduce),
    /// Layer normalization of `f32`.
    LayerNorm(LayerNorm),
    /// Rows of `f32` scaled to length 1.
    L2Norm(L2Norm),
    /// Softmax of `f32`, or its logarithm.
    Softmax(Softmax),
    /// Slices that indices select.
    Gather(Gather),
    /// Resized images.
    Resize(Resize),
}

/// A layer that only one engine has.
pub trait EngineLayer<'a>: Sized {
    /// The parts that passes may change.
    fn parts_mut(&mut self) -> Parts<'_, 'a>;

    /// Whether it only reads or assigns a variable, which pays only next to another layer.
    fn accesses_variable(&self) -> bool {
        false
    }
}

/// The parts of a layer that passes may change. A new layer must provide all of them; a part that is `None` is not
/// optimized.
pub struct Parts<'l, 'a> {
    /// Functions that it applies to results; `None` if it cannot.
    pub epilogue: Option<&'l mut Vec<EpilogueOp>>,
    /// The clamp before these functions, if it may change.
    pub clamp: Option<&'l mut Clamp>,
    /// The window over input 0, if positions outside of the input count as zero.
    pub window: Option<&'l mut Window>,
    /// Values inside of the layer, such as a loop's, until the surrounding net takes them.
    pub values: Option<&'l mut Vec<Value<'a>>>,
}

impl Parts<'_, '_> {
    /// No parts.
    pub const NONE: Self = Parts { epilogue: None, clamp: None, window: None, values: None };
}

/// The limits of an engine.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most operations of an epilogue.
    pub epilogue: usize,
    /// The most taps of a convolution's filter.
    pub conv_taps: usize,
    /// The largest number of rows of a filter with more taps, if the taps of a row are adjacent in the input.
    pub conv_rows: usize,
    /// The most taps of a depthwise convolution's filter.
    pub depthwise_taps: usize,
    /// The most taps of a pool's window.
    pub pool_taps: usize,
    /// The most taps that contribute to one result of a transposed convolution.
    pub transpose_conv_taps: usize,
}

impl<'a> Common<'a> {
    /// The parts that passes may change.
    pub fn parts_mut(&mut self) -> Parts<'_, 'a> {
        match self {
            Common::Conv2d(Conv2d { epilogue, window, clamp, .. })
            | Common::DepthwiseConv2d(DepthwiseConv2d { epilogue, window, clamp, .. }) => {
                Parts { epilogue: Some(epilogue), clamp: Some(clamp), window: Some(window), values: None }
            }
            // The window of a gradient is over the output, and pools ignore padding.
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
            | Common::L2Norm(_)
            | Common::Softmax(_)
            | Common::Gather(_)
            | Common::Resize(_) => Parts::NONE,
        }
    }
}

impl<'a, X: EngineLayer<'a>> Layer<'a, X> {
    /// The parts that passes may change.
    pub fn parts_mut(&mut self) -> Parts<'_, 'a> {
        match self {
            Layer::Common(layer) => layer.parts_mut(),
            Layer::Engine(layer) => layer.parts_mut(),
        }
    }
}

/// The layer that computes nothing.
impl<X> Default for Layer<'_, X> {
    fn default() -> Self {
        Layer::Common(Common::Rename)
    }
}

impl<'a, X: EngineLayer<'a>> Layer<'a, X> {
    /// See [`EngineLayer::accesses_variable`].
    pub fn accesses_variable(&self) -> bool {
        matches!(self, Layer::Engine(layer) if layer.accesses_variable())
    }
}

impl<X> Layer<'_, X> {
    /// Whether the output has the bytes of the input.
    pub fn is_rename(&self) -> bool {
        matches!(self, Layer::Common(Common::Rename))
    }
}

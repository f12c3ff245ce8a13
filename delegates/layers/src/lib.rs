//! What delegates share, whatever device they run on: from a partition of a model's nodes to a net of layers that has been rewritten
//! so that few values go through memory.
//!
//! ```text
//!  partition ─► net ──────────► net, rewritten ─► the engine's own: passes, steps, kernels
//!             (ops: lower)    (rewrite)
//! ```
//! * `ops` lowers nodes to layers, one op family one file; its table has a row for each op.
//! * `rewrite` has a pass per file, each on the whole net, and says the order of passes and why each comes where it does.
//!
//! An engine puts layers of its own beside the common ones ([`Own`]), and says what it can do ([`Limits`]). Nothing here knows how a
//! layer runs, or on what.
//!
//! # Words
//!
//! | word | what it is |
//! |---|---|
//! | value | a tensor of a partition, or one that rewriting added; named by its [`Id`] |
//! | constant | a value whose bytes are known: the model's, or computed by rewriting |
//! | stored weights | constant weights as the model has them: `f32`, of half precision, or bytes with scales |
//! | to pack | to copy weights into the order in which kernels read them, once |
//! | layer | what a node computes, with its sizes and constants, and not how |
//! | own layer | one that only this engine has |
//! | node | a layer, the values that it reads and writes, and the constants that it packs |
//! | net | nodes in execution order, their values, and what is read outside |
//! | to lower | to make a node of layers of a node of the model, or to say why not |
//! | pass | a function that rewrites a net and changes no result that a user sees, but for rounding where it says so |
//! | window | where a filter or a pool reads: taps, strides, dilations and padding along rows and columns |
//! | tap | one element of a window; of a filter, the weights that meet it |
//! | position | one place of a window, that is a pixel of the output |
//! | point | a window of one tap: a convolution that is a product of matrices |
//! | group | channels of a convolution that have filters of their own |
//! | multiplier | results per channel of a depthwise convolution |
//! | epilogue | operations on a layer's results while they are in the cache or in registers, in order |
//! | row operand | an operand of an epilogue that is as long as the innermost dimension, and used for each row again |
//! | clamp | what a fused activation makes of results: the range that they stay in |
//! | parts | what passes may change of a layer, whichever it is |
//! | box | elements that go to other places as they are, with a stride per dimension on either side |
//! | view | matrices inside of a tensor, at any strides, so that a transposed operand is read where it is |
//! | loops | how operands of other shapes are broadcast to a result |
//! | real | a float that a byte stands for |
//! | grid | the reals that the bytes of a tensor stand for |
//! | rename | an output that has the input's bytes under another shape |
#![forbid(unsafe_code)]

mod aligned;
mod claim;
mod clamp;
mod epilogue;
mod layer;
mod loops;
mod net;
pub mod ops;
mod reals;
mod replace;
pub mod rewrite;
mod stored;
mod values;
mod window;

pub use aligned::Aligned;
pub use claim::refusals;
pub use clamp::Clamp;
pub use epilogue::{Binary, EpilogueOp, Unary};
pub use layer::{Common, Layer, Limits, Own, Parts};
pub use loops::Loops;
pub use net::{Net, Node};
pub use ops::{Source, lower};
pub use reals::{Grid, Real, Reals};
pub use replace::replace;
pub use stored::{Rows, Stored};
pub use values::{Id, Quant, Subgraphs, Value, Values, is_aligned};
pub use window::{Axis, Window};

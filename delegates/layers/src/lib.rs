//! Turns a partition of a model's nodes into a net of layers, for any delegate. Passes rewrite the net so that few
//! values go through memory.
//!
//! ```text
//!  partition ─► net ──────────► rewritten net ─► the engine's passes, steps and kernels
//!             (lower)         (rewrite)
//! ```
//! | folder | contents | uses |
//! |---|---|---|
//! | `net` | values, nodes and nets of any layers | |
//! | `layer` | the kinds of layers, one per file | `net` |
//! | `lower` | from nodes of a model to layers: one op family per file, one row per op in `table` | `net`, `layer` |
//! | `rewrite` | passes on nets, one per file, and their order | `net`, `layer` |
//!
//! An engine can add its own layers ([`EngineLayer`], [`EngineLowering`]), and states its [`Limits`]. This crate does
//! not know how or where layers run.
//!
//! # Words
//!
//! | word | meaning |
//! |---|---|
//! | value | a tensor of a partition, or one that a pass added; identified by its [`Id`] |
//! | constant | a value with known bytes, from the model or computed by a pass |
//! | stored weights | constant weights in the model's form: `f32`, half precision, or bytes with scales |
//! | to pack | to copy weights once into the order in which kernels read them |
//! | layer | the computation of a node, with its sizes and constants, independent of the engine |
//! | own layer | a layer that only one engine has |
//! | node | a layer with the values that it reads and writes, and the constants that it packs |
//! | net | nodes in execution order, their values, and the outputs |
//! | to lower | to convert a node of the model to a layer, or to give the reason for a refusal |
//! | pass | a function that rewrites a net without changing outputs, except for documented rounding |
//! | window | the taps, strides, dilations and padding of a filter or a pool along rows and columns |
//! | tap | one element of a window, and the filter's weights for it |
//! | position | a placement of the window, which is a pixel of the output |
//! | point | a window with one tap: the convolution is a product of matrices |
//! | group | channels of a convolution with separate filters |
//! | multiplier | results per channel of a depthwise convolution |
//! | epilogue | operations on a layer's results while they are in registers or in the cache |
//! | row operand | an operand of an epilogue with the length of the innermost dimension, applied to each row |
//! | clamp | the range of results, usually from a fused activation |
//! | parts | the parts of a layer that passes may change |
//! | box | elements that are copied, with a stride per dimension on both sides |
//! | view | matrices inside of a tensor with any strides, so that transposed operands are read in place |
//! | loops | the iteration over a result with broadcast operands |
//! | real | the real value of a quantized element |
//! | grid | the real values that a quantized tensor can hold |
//! | rename | a layer whose output has the input's bytes with another shape |
#![forbid(unsafe_code)]

pub mod layer;
pub mod lower;
pub mod net;
pub mod rewrite;

pub use layer::{Axis, Common, EngineLayer, EpilogueOp, Layer, Limits, Loops, Net, Parts, Window};
pub use lower::{EngineLowering, Source, Subgraphs, Values, clamp_of, lower_node, refusals};
pub use net::{Grid, Id, Node, Real, Reals, Value, aligned_zeros, is_aligned};

//! Lowers nodes of a model to layers: one op family per file.
//!
//! `table` has one row per op. A lowering runs when nodes are claimed (its error is the reason for a refusal), when a
//! partition is compiled, and when it is prepared for other shapes.

mod activation;
pub mod batch_matmul;
mod batches;
mod claim;
pub mod conv_2d;
pub mod depthwise_conv_2d;
mod elementwise;
mod facts;
pub mod fully_connected;
mod gather;
mod l2_normalization;
mod moves;
mod node;
mod pads;
mod partition;
pub mod pool_2d;
mod reduce;
mod reshape;
pub mod resize;
mod slices;
mod softmax;
mod source;
mod table;
pub mod transpose_conv;
mod values;

pub use activation::clamp_of;
pub use claim::refusals;
pub use facts::{LayerFacts, OpFacts, Operations, ProductShapes, Quantized};
pub use node::{EngineLowering, lower_node};
pub use source::{Source, expect_elements, fused_activation};
pub use table::{facts, facts_of};
pub use values::{Subgraphs, Values};

//! Code that delegates and microkernels share: plain values, checked memory, atomic replacement of files.
//!
//! Nothing here knows models, layers or tensors, and the crate depends on no other crate of arenite. So microkernels
//! can be used without the plugin contract.
//!
//! | file | contains |
//! |---|---|
//! | `memory` | sources and targets: the memory that kernels read and write, checked where an address leaves safe code |
//! | `aligned` | blocks at multiples of 64 bytes |
//! | `stored` | constant weights as a model stores them |
//! | `clamp`, `functions` | clamps, and the names of elementwise functions, reductions and pools |
//! | `dim`, `quant` | a dimension with its strides; a scale with its zero point |
//! | `files` | atomic replacement of a file |

mod aligned;
mod clamp;
mod dim;
pub mod files;
mod functions;
pub mod memory;
mod quant;
mod stored;

pub use aligned::{Aligned, OutOfMemory};
pub use clamp::Clamp;
pub use dim::Dim;
pub use functions::{Binary, PoolKind, Reduction, Unary};
pub use quant::Quant;
pub use stored::{Stored, StoredRows};

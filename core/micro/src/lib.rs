//! Runs `.tflite` models in one block of memory from the caller: without a heap or the standard library, and without
//! allocation while a model runs.
//!
//! ```
//! use arenite_micro::{Interpreter, OpRegistration, Resolver};
//! use arenite_ops::{fully_connected::FullyConnected, relu::Relu};
//!
//! # fn main() -> arenite_micro::Result<()> {
//! let ops = Resolver::<2>::new().add::<FullyConnected>()?.add::<Relu>()?;
//! # let model: &[u8] = &[]; // aligned to 16 bytes
//! let mut arena = [0u8; 4096];
//! if let Ok(mut interpreter) = Interpreter::new(model, ops.as_slice(), &mut arena) {
//!     interpreter.input(0)?.fill(0);
//!     interpreter.invoke()?;
//!     let answer = interpreter.output(0)?;
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Use the ops of `arenite-ops`, or any others that implement the contract. Only the ops you name are linked. They are
//! the same kernels that the large runtime uses, so results are equal byte for byte.
//!
//! | folder | contains |
//! |---|---|
//! | `arena` | the caller's block: head, temporaries, tail; how much of it is used, by category |
//! | `model` | the model's subgraphs, tensors, nodes and resources, in the compact form in which the arena stores them |
//! | `work` | preparing and running nodes: expanding them to the contract's structs, and the host that ops see |
//! | `phases` | `LoadedModel`, `PreparedModel`, `Interpreter`; planning the head; plans stored in the model |
//! | `elsewhere` | how much arena a model needs, on this machine and on others |
//! | `embedding` | prepared models as source files for other machines |
//! | `embedded` | runs them there |
//!
//! Not supported: shapes that depend on data; strings; calling one subgraph with different shapes; calls nested more
//! than eight levels deep.
#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![deny(missing_docs)]

#[cfg(feature = "alloc")]
extern crate alloc;

mod arena;
mod elsewhere;
pub mod embedded;
#[cfg(feature = "std")]
mod embedding;
mod error;
mod model;
mod ops;
mod phases;
mod work;

pub use arena::{Category, Recording, Sizes};
#[cfg(feature = "std")]
pub use arenite_abi::plain::PointerWidth;
pub use arenite_planners::few::Records;
pub use elsewhere::write_layouts;
#[cfg(feature = "alloc")]
pub use elsewhere::{Target, required_arena, required_arena_on};
#[cfg(feature = "std")]
pub use embedding::{EmbeddableOp, Embedding, RustSource, SourceFile, Sources};
pub use error::{Error, Result};
pub use model::observer::{NodeObserver, RunningNode};
pub use ops::{OpRegistration, Ops, Resolver};
#[cfg(feature = "std")]
pub use phases::OfflinePlan;
pub use phases::{
    AnyPhase, Interpreter, LoadedModel, Planner, PreparedModel, SharedArena, SharedMemory, SharedModel,
    Stage, TensorInfo, Turn,
};
pub use work::message::host;

//! Runs `.tflite` models from one caller-owned block of memory: no heap, no standard library, no allocation once a model is ready.
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
//! Ops are those of `arenite-ops`, or any others that keep the contract; only those that are named are linked. The same kernels run
//! in the large runtime, so the answers are the same, byte by byte.
//!
//! | file | what |
//! |---|---|
//! | `arena` | the block: head, temporaries, tail |
//! | `graph` | bookkeeping of a model's tensors and nodes |
//! | `work` | the node in work, expanded to the structs of the contract |
//! | `host` | what ops may ask for |
//! | `prepare`, `plan`, `interpreter` | the phases |
//! | `offline`, `embed` | a plan that stands in the model: reading and writing it |
//! | `ops`, `message`, `error`, `sizes` | which op serves a node; what went wrong; what is needed |
//!
//! Not served here: shapes that depend on data, sparse constants and quantization by blocks, subgraphs that are called, resources.
#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![deny(missing_docs)]

#[cfg(feature = "alloc")]
extern crate alloc;

mod arena;
#[cfg(feature = "std")]
mod embed;
mod error;
mod graph;
mod host;
mod interpreter;
mod message;
mod offline;
mod ops;
mod plan;
mod prepare;
#[cfg(feature = "alloc")]
mod required;
mod sizes;
mod work;

#[cfg(feature = "std")]
pub use embed::OfflinePlan;
pub use error::{Error, Result};
pub use interpreter::{Interpreter, Loaded, PreparedModel, TensorInfo};
pub use message::host;
pub use ops::{OpRegistration, Ops, Resolver};
pub use plan::Planner;
#[cfg(feature = "alloc")]
pub use required::required_arena;
pub use sizes::Sizes;

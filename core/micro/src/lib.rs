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
//! | `graph`, `node`, `build` | bookkeeping of a subgraph's tensors and nodes |
//! | `machine`, `resources` | a model: its subgraphs, and values that they share |
//! | `work`, `entry`, `describe` | the node in work, and a subgraph that it looks into, expanded to the structs of the contract |
//! | `host`, `called` | what ops may ask for: of their own node, of the model around it |
//! | `prepare`, `lives`, `plan`, `planned`, `parts`, `interpreter`, `shared` | the phases, of one model or of several over one block |
//! | `offline`, `embed` | a plan that stands in the model: reading and writing it |
//! | `layouts`, `target`, `elsewhere` | what a model would take of an arena on another machine |
//! | `ops`, `message`, `error`, `sizes` | which op serves a node; what went wrong; what is needed |
//!
//! Not served here: shapes that depend on data, and text; a subgraph that is called with more than one shape; calls that are nested more
//! than eight levels deep.
#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![deny(missing_docs)]

#[cfg(feature = "alloc")]
extern crate alloc;

mod arena;
mod build;
mod called;
mod describe;
#[cfg(feature = "alloc")]
mod elsewhere;
#[cfg(feature = "std")]
mod embed;
mod entry;
mod error;
mod graph;
mod host;
mod interpreter;
mod layouts;
mod lives;
mod machine;
mod message;
mod node;
mod offline;
mod ops;
mod parts;
mod plan;
mod planned;
mod prepare;
#[cfg(feature = "alloc")]
mod required;
mod resources;
mod shared;
mod sizes;
#[cfg(feature = "alloc")]
mod target;
mod work;

#[cfg(feature = "std")]
pub use embed::OfflinePlan;
pub use error::{Error, Result};
pub use interpreter::{Interpreter, Loaded, PreparedModel, TensorInfo, Turn};
pub use layouts::write_layouts;
pub use message::host;
pub use ops::{OpRegistration, Ops, Resolver};
pub use plan::Planner;
#[cfg(feature = "alloc")]
pub use required::{required_arena, required_arena_on};
pub use shared::SharedArena;
pub use sizes::{Category, Recording, Sizes};
#[cfg(feature = "alloc")]
pub use target::Target;

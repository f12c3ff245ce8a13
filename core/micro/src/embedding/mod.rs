//! `Embedding`: a prepared and planned model as tables, for a program on another machine that contains them and only
//! runs kernels.
//!
//! ```text
//! bytes ─► LoadedModel ─► PreparedModel ─► Interpreter ─► Embedding ─► source files
//!                    (on this machine)              (`collect`)  (`c`, `rust`)
//! ```
//!
//! Constants, tables and states are in the program's read-only memory. One arena has the planned tensors and scratch
//! buffers, and one block the variables and the states that ops keep between invocations.

mod c;
mod c_model;
mod collect;
mod collector;
mod nodes;
mod ports;
mod rust;
mod rust_model;
mod rust_values;
mod tables;
mod write;

pub use rust::RustSource;
pub use tables::{EmbeddableOp, Embedding};
pub use write::{SourceFile, Sources};

//! The phases of a model. Each is a type that the previous one turns into, so a call at the wrong time does not
//! compile.
//!
//! ```text
//! bytes, ops, arena ─► LoadedModel ─► PreparedModel ─► Interpreter ─► invoke, any number of times
//!                      verified       every node       the head
//!                                     has its op       is planned
//! ```

mod any;
pub(crate) mod buffer;
#[cfg(feature = "std")]
mod embed;
mod instance;
mod interpreter;
mod loaded;
mod offline;
pub(crate) mod plan;
mod prepared;
mod shared;

pub use any::{AnyPhase, Stage};
#[cfg(feature = "std")]
pub use embed::OfflinePlan;
pub use instance::TensorInfo;
pub use interpreter::{Interpreter, Turn};
pub use loaded::LoadedModel;
pub use plan::Planner;
pub use prepared::PreparedModel;
pub use shared::{SharedArena, SharedMemory, SharedModel};

//! How much arena a model needs, on this machine and on others.

mod layouts;
#[cfg(feature = "alloc")]
mod ledger;
#[cfg(feature = "alloc")]
mod required;
#[cfg(feature = "alloc")]
mod target;

pub use layouts::write_layouts;
#[cfg(feature = "alloc")]
#[cfg(feature = "std")]
pub(crate) use required::with_room;
#[cfg(feature = "alloc")]
pub use required::{required_arena, required_arena_on};
#[cfg(feature = "alloc")]
pub use target::Target;

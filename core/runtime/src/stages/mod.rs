//! The stages between a graph and its results. Each stage is a value that owns its data. Each arrow is the function in
//! the file of that name:
//!
//! ```text
//! Graph ─► Inferred ─────► Delegated ─────► Prepared ─────► Placed ─────► Runner
//!        (shapes,         (steps,          (steps ready    (offsets,     (segments: Vec<Segment
//!         constants)       partitions,      to run, what    addresses)     {Prepared, Placed}>)
//!                          refusals)        they share)
//! ```
//!
//! A called subgraph stops at `Inferred` until it is run. The stages share one mutable state, [`memory`].
//!
//! The execution plan is divided into *segments*. A segment ends after a step whose output shapes are known only once
//! it has run. The next segment goes through the stages when those shapes are known, and again only when they change.
//!
//! ```text
//!   ├──── segment 0 ────┤├── segment 1 ──┤├─ segment 2 ─┤
//!   CONV  RELU  RESHAPE*  ADD  SLICE*      SOFTMAX          * dynamic output
//! ```

mod bound;
pub(crate) mod calls;
mod claims;
pub(crate) mod constants;
pub(crate) mod delegate_device;
pub(crate) mod delegated;
pub(crate) mod delegates;
pub(crate) mod executor;
pub(crate) mod failure;
mod fallback;
mod fold;
mod forgotten;
pub(crate) mod inferred;
mod kept;
pub(crate) mod lent;
mod loans;
pub(crate) mod memory;
mod named_plan;
mod node;
mod offer;
mod outside;
pub mod partition;
pub(crate) mod partition_device;
pub(crate) mod partition_kernel;
pub(crate) mod pending;
pub(crate) mod placed;
pub(crate) mod prepared;
pub(crate) mod preview;
pub(crate) mod report;
mod required;
mod rounds;
pub(crate) mod runner;
pub(crate) mod site;
pub(crate) mod step;
pub(crate) mod table;
mod tied;
pub(crate) mod values;

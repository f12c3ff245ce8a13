//! The CPU delegate of arenite: takes nodes over, fuses them into steps, packs weights once, and runs on vectors.
//!
//! ```text
//!  partition ─► net ─────────► net, rewritten ─► program ───────────► run
//!             (ops: lower)    (fuse, unsign)    (ops: build, layout)  (steps ─► kernels)
//! ```
//! * `ops` lowers nodes to layers, one op family one file, and builds a step from each layer.
//! * `steps` run: they cut work into ranges for the host's threads and call microkernels.
//! * `kernels` has a folder per family of microkernels with a table, one line per instruction set: what is not in a table cannot
//!   run, and what is in it is tested against plain code.
//!
//! A step gives the same bits for any number of threads: ranges depend on shapes alone.

pub mod isa;
pub mod kernels;
pub mod simd;

mod borders;
mod cache_file;
mod cascade;
mod delegate;
mod fixed_point;
mod fuse;
mod fuse_bytes;
mod kernel;
mod line;
mod memory;
mod net;
mod normalize;
mod ops;
mod pads;
mod program;
mod requantize;
mod rescale;
mod scan;
mod steps;
mod store;
mod stored;
mod straighten;
mod unsign;
mod views;
mod window;

use arenite_abi::{Plugin, plugin};

pub use delegate::Cpu;

/// The plugin.
pub static PLUGIN: Plugin = plugin! {
    id: "org.arenite.cpu",
    description: "The CPU delegate: packed, fused, vectorised kernels for x86-64 and aarch64",
    delegates: [Cpu],
};

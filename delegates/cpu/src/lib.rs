//! The CPU delegate of arenite. It fuses nodes into steps, packs weights once, and runs vectorized kernels.
//!
//! ```text
//!  partition ─► net ────────────────────► net, rewritten ─► program ───────────► run
//!             (arenite_layers, lower) (rewrite)        (ops: build, layout)  (steps ─► kernels)
//! ```
//! * `arenite_layers` lowers nodes to layers. `ops` lowers nodes to layers that only this delegate has, one file per
//!   family, and builds a step from each layer.
//! * `rewrite` has the delegate's own passes and the order of all passes.
//! * `step` is the interface between programs and steps.
//! * `steps` has one file per step. A step cuts its work into ranges for the host's threads and calls microkernels.
//! * `reach` has the ways to reach data that several steps share: pointers, patches, phases, planes, tiles, panels.
//! * `arenite_kernels` has the microkernels, a folder per family.
//!
//! A step computes the same bits with any number of threads: ranges depend on shapes alone.
//!
//! # Words
//!
//! [`arenite_layers`] explains the words of layers, nets and windows.
//!
//! | word | meaning |
//! |---|---|
//! | step | runs a node; it knows places, not tensors |
//! | place | the address and the length of a value in this call |
//! | source, target | elements of a place that a step reads or writes; every access is checked |
//! | disjoint | a target that several threads write, each in separate parts |
//! | record | one buffer of scratch memory, placed by the host's planner |
//! | family | microkernels that compute the same on several instruction sets; member: one of them |
//! | tile | the results of one call of a microkernel: some rows by some columns |
//! | panel | packed weights of the columns of one tile, over the whole depth |
//! | depth | the number of products in a sum |
//! | patch | the pixels under a window, read through pointers and not copied |
//! | plane | a copy of some rows of one vector of channels, in the order of a depthwise kernel |
//! | phase | the results of a transposed convolution that are computed from the same taps |
//! | lane | an element of a vector register; block: constants for as many channels as a vector has lanes |
//! | grain | the least number of items for a thread |
//! | store | packed weights of all steps; block: the weights of one step |
//! | hybrid | `f32` layers with weights of bytes: rows are quantized while the model runs |
//! | multiplier, factor | a scale as a fixed-point number; factor: prepared for vectors |
//! | ties | how halves are rounded: up, or away from zero |
//! | line | a function of a byte as a straight line of 32 bits with the same 256 results |
//! | table | a function of a byte as its 256 results |
//! | flip | adds 128 to bytes, which makes signed ones unsigned |
//! | cascade | consecutive layers, computed a few rows at a time |
//! | scan | a loop with a known number of rounds; feed: a row that it reads in each round |
//! | state, list | a value that one round passes to the next; a tensor of which each round writes a row |
//! | follow, prefetch target | the next step's weights, which are prefetched |

mod cache_file;
mod contents;
mod delegate;
mod kernel;
mod line;
mod net;
mod ops;
mod program;
mod reach;
mod rewrite;
mod settings;
mod step;
mod steps;
mod store;

use arenite_abi::{Plugin, plugin};
use arenite_base::memory;
use arenite_kernels as kernels;
use arenite_kernels::{fixed_point, requantize, rescale, simd};

pub use arenite_kernels::isa;
pub use delegate::Cpu;

/// The plugin.
pub static PLUGIN: Plugin = plugin! {
    id: "org.arenite.cpu",
    description: "The CPU delegate: packed, fused, vectorised kernels for x86-64 and aarch64",
    delegates: [Cpu],
};

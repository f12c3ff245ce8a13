//! The CPU delegate of arenite: takes nodes over, fuses them into steps, packs weights once, and runs on vectors.
//!
//! ```text
//!  partition ─► net ────────────────────► net, rewritten ─► program ───────────► run
//!             (arenite_layers, ops: lower) (rewrite)        (ops: build, layout)  (steps ─► kernels)
//! ```
//! * `arenite_layers` lowers nodes to layers; `ops` lowers those to layers that only this delegate has, one family one file, and
//!   builds a step from each layer.
//! * `rewrite` has the delegate's own passes, and says the order of all.
//! * `steps` run: they cut work into ranges for the host's threads and call microkernels.
//! * `arenite_kernels` has the microkernels, a folder per family.
//!
//! A step gives the same bits for any number of threads: ranges depend on shapes alone.
//!
//! # Words
//!
//! Those of layers, nets and windows are explained by [`arenite_layers`].
//!
//! | word | what it is |
//! |---|---|
//! | step | what runs a node: it knows places, not tensors |
//! | place | where a value lies in this call |
//! | source, target | elements of a place that a step reads, or writes; what is reached through them is checked to be there |
//! | disjoint | a target that threads share, each of which writes parts of its own |
//! | record | one buffer of scratch memory, which the host's planner lays out |
//! | family | microkernels that compute the same on several instruction sets; member: one of them |
//! | tile | the results of one call of a microkernel: some rows by some columns |
//! | panel | packed weights of the columns of one tile, over the whole depth |
//! | depth | the number of products that a sum is made of |
//! | patch | the pixels under a window, read by pointers and not copied |
//! | plane | a copy of some rows of one vector of channels, in the order of a depthwise kernel |
//! | phase | the results of a transposed convolution that meet the same taps |
//! | lane | an element of a vector register; block: constants for as many channels as there are lanes |
//! | grain | items that are worth a thread's while |
//! | store | packed weights of all steps; block of it: one step's |
//! | hybrid | of floats with weights of bytes: rows are quantized while the model runs |
//! | multiplier, factor | a scale as a fixed-point number; factor: ready for vectors |
//! | ties | which way halves are rounded: up, or away from zero |
//! | line | a function of a byte as a straight line of 32 bits with the same 256 results |
//! | table | a function of a byte by its 256 results |
//! | flip | adds 128 to bytes, which makes signed ones unsigned |
//! | cascade | layers one behind the other, some rows of each at a time |
//! | scan | a loop whose number of rounds is known; feed: a row that it reads in each round |
//! | state, list | what a round leaves for the next; what each round writes a row of |
//! | soon, follow | weights that are wanted next are asked for ahead of time |

mod cache_file;
mod contents;
mod delegate;
mod kernel;
mod line;
mod net;
mod ops;
mod program;
mod rewrite;
mod steps;
mod store;

use arenite_abi::{Plugin, plugin};
use arenite_kernels as kernels;
use arenite_kernels::{fixed_point, memory, requantize, rescale, simd};

pub use arenite_kernels::isa;
pub use delegate::Cpu;

/// The plugin.
pub static PLUGIN: Plugin = plugin! {
    id: "org.arenite.cpu",
    description: "The CPU delegate: packed, fused, vectorised kernels for x86-64 and aarch64",
    delegates: [Cpu],
};

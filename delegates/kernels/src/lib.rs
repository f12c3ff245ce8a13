//! Microkernels of the CPU delegate: what a step computes of a tile, a row or a run, on each instruction set.
//!
//! A folder per family with a table, one line per instruction set: what is not in a table cannot run, and what is in it is tested against
//! plain code. Here is all that pays by being compiled for speed; steps, packing and programs stand in `arenite-cpu`, which explains the
//! words.
//!
//! ```text
//! isa ─► family: the best member that a machine has ─► body, for any `simd` ─► results: requantize, rescale, fixed_point
//! ```
//! * `memory` has the checked sources and targets that kernels are called with.

#[macro_use]
pub mod family;
mod calls;
pub mod copies;
pub mod f32_dwconv;
pub mod f32_fold;
pub mod f32_gemm;
pub mod f32_map;
pub mod f32_norm;
pub mod f32_pool;
pub mod f32_softmax;
pub mod f32_winograd;
pub mod pixels;
pub mod transpose;
pub mod u8_fold;
pub mod u8_lines;
pub mod u8_map;
pub mod u8_pair;
pub mod u8_pool;
pub mod u8_real;
pub mod u8_winograd;
pub mod u8i8_dwconv;
pub mod u8i8_gemm;
pub mod widen;

pub mod fixed_point;
pub mod isa;
pub mod memory;
pub mod requantize;
pub mod rescale;
pub mod simd;

#[doc(hidden)]
pub mod random;

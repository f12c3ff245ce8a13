//! Microkernels of the CPU delegate: the computation of one tile, row or run of elements, for each instruction set.
//!
//! Each folder is a family of kernels with a table, one line per instruction set. Only kernels in a table can run, and
//! every kernel in a table is tested against plain code. This crate contains all code that is compiled for speed.
//! Steps, packing and programs are in `arenite-cpu`, which explains the terms.
//!
//! ```text
//! isa ─► family: the best member for the machine ─► body, for any `simd` ─► results: requantize, rescale, fixed_point
//! ```
//! * `arenite_base::memory` provides the checked sources and targets that kernels are called with.

#[macro_use]
pub mod family;
pub mod blend;
mod calls;
pub mod copies;
pub mod f32_attention;
pub mod f32_blend;
pub mod f32_dwconv;
pub mod f32_fold;
pub mod f32_gemm;
pub mod f32_lstm;
pub mod f32_map;
pub mod f32_norm;
pub mod f32_pool;
pub mod f32_pow;
pub mod f32_product;
pub mod f32_softmax;
pub mod f32_svdf;
pub mod f32_winograd;
pub mod i16_lstm;
pub mod i16_map;
pub mod i16_pair;
pub mod i16_svdf;
pub mod i16i8_dot;
pub mod int_fold;
pub mod pixels;
pub mod scatter;
pub mod transpose;
pub mod u8_arg;
pub mod u8_blend;
pub mod u8_lines;
pub mod u8_map;
pub mod u8_pair;
pub mod u8_pool;
pub mod u8_real;
pub mod u8_winograd;
pub mod u8i2_gemm;
pub mod u8i4_gemm;
pub mod u8i8_dwconv;
pub mod u8i8_gemm;
pub mod widen;
pub mod x32_arg;

pub mod f64_fft;
pub mod fixed_point;
pub mod isa;
pub mod requantize;
pub mod rescale;
pub mod simd;

pub use calls::StridedRows;

#[doc(hidden)]
pub mod random;

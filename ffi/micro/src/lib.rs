//! `libarenite_micro.a`: the micro interpreter for programs in C, with `include/arenite_micro.h`.
//!
//! | file | what |
//! |---|---|
//! | `calls` | the functions of the header |
//! | `shared`, `planner`, `measure` | the functions for several models, for planners of the program, and for costs |
//! | `embedded` | the functions that generated files call |
//! | `micro` | an interpreter in the program's memory, and its phases |
//! | `status` | statuses, and the message of the last error |
//! | `ops` | a symbol per op, so that the linker keeps only those the program names |
//! | `panic` | passes panics to the program |
//! | `memory` | Arm's names for `memcpy`, `memmove` and `memset` |
//!
//! `build.sh` builds it without the standard library. The program must only define `memcpy`, `memmove`, `memset`,
//! `memcmp` and `arenite_micro_panic`.
#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![deny(missing_docs)]

mod calls;
mod embedded;
mod lent;
mod measure;
#[cfg(all(target_arch = "arm", not(any(feature = "std", test))))]
mod memory;
mod micro;
mod ops;
#[cfg(not(any(feature = "std", test)))]
mod panic;
mod planner;
mod shared;
mod status;
#[cfg(test)]
mod tests;

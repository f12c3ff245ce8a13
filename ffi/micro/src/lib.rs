//! `libarenite_micro.a`: the micro interpreter for programs in C, with `include/arenite_micro.h`.
//!
//! | file | what |
//! |---|---|
//! | `calls` | the functions of the header |
//! | `micro` | the phases of an interpreter in memory that the program owns |
//! | `status` | what a call gives back, and the text of the last error |
//! | `ops` | a symbol per op: the linker keeps those that the program names |
//! | `panic` | the end of a program that breaks down |
//!
//! `build.sh` builds it: a library without the standard one that needs no more of the program than `memcpy`, `memmove`, `memset`,
//! `memcmp` and `arenite_micro_panic`.
#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![deny(missing_docs)]

mod calls;
mod lent;
mod micro;
mod ops;
#[cfg(not(any(feature = "std", test)))]
mod panic;
mod status;
#[cfg(test)]
mod tests;

//! `libtensorflowlite_c`: TensorFlow Lite's C interface on arenite's runtime. Programs that call TensorFlow Lite's library run with this
//! one in its place; the README tells what differs.
//!
//! | header | modules |
//! |---|---|
//! | `c_api.h` | `model`, `options`, `interpreter`, `signature`, `tensor` |
//! | `c_api_experimental.h` | `experimental`, `options`, `resolver` |
//! | `operator.h`, `c_api_opaque.h` | `operator`, `opaque/` |
//! | `common.h` | `types`, `arrays`, `common`, `kernel/types`, `delegate/types` |
//! | `builtin_op_data.h` | `builtin_data` |
//!
//! Behind them: `create` (options become a registry and an interpreter), `state` (the interpreter, and what the program sees of it),
//! `table` (a `TfLiteTensor` per tensor), `kernel/` (ops of the program's own), `delegate/` (its delegates), `report` (error reporters, with `c/report.c`).
//!
//! Handles are shared references to C: an interpreter keeps its state in a lock that is only ever tried, so that two threads that use one
//! interpreter at once get an error and no data race. No panic crosses: [`guard`](guard::guard) ends it.
#![deny(missing_docs)]
#![allow(non_snake_case, non_upper_case_globals, reason = "TensorFlow Lite's names")]

mod arrays;
mod builtin_data;
mod common;
mod create;
mod delegate;
mod describe;
mod experimental;
mod fallback;
mod guard;
mod interpreter;
mod kernel;
#[cfg(all(test, target_pointer_width = "64"))]
mod layout;
mod model;
mod opaque;
mod operator;
mod options;
mod report;
mod resolver;
mod signature;
mod state;
mod table;
mod tensor;
mod types;

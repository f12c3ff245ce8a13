//! `libtensorflowlite_c`: TensorFlow Lite's C interface, implemented by arenite. A program that calls TensorFlow Lite's
//! library runs with this one unchanged; the README lists the differences.
//!
//! | header | modules |
//! |---|---|
//! | `c_api.h` | `model`, `options`, `interpreter`, `signature`, `tensor` |
//! | `c_api_experimental.h` | `experimental`, `options`, `resolver` |
//! | `operator.h`, `c_api_opaque.h` | `operator`, `opaque/` |
//! | `common.h` | `types`, `arrays`, `common`, `kernel/types`, `delegate/types` |
//! | `builtin_op_data.h` | `builtin_data` |
//! | `xnnpack_delegate.h`, `nnapi_delegate_c_api.h` | `xnnpack`, `nnapi` |
//! | `async/interop/c/types.h`, `telemetry_setting.h` | `interop`, `telemetry` |
//!
//! Other modules: `create` turns options into a registry and an interpreter, `rebuild` replaces it, `state` is the
//! interpreter with the tensors that the program sees, `table` keeps one `TfLiteTensor` per tensor, `kernel/` runs ops
//! that the program registers, `delegate/` runs its delegates, `handles` and `stale` find values in their memory, and
//! `report` calls error reporters (with `c/report.c`).
//!
//! To C, a handle is a shared reference. An interpreter keeps its state in a lock that is never waited for: if two
//! threads use one interpreter at the same time, the second gets an error instead of a data race. No panic reaches C:
//! [`guard`](guard::guard) catches it.
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
mod handles;
mod interop;
mod interpreter;
mod kernel;
#[cfg(all(test, target_pointer_width = "64"))]
mod layout;
mod model;
mod nnapi;
mod opaque;
mod operator;
mod options;
mod rebuild;
mod report;
mod resolver;
mod signature;
mod stale;
mod state;
mod table;
mod telemetry;
mod tensor;
mod types;
mod xnnpack;

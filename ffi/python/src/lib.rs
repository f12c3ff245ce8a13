//! The native half of the Python package `arenite`. `python/arenite` has the other half.
//!
//! | file | contents |
//! |---|---|
//! | `arrays` | NumPy arrays from and to tensors; all unsafe code |
//! | `elements` | the array type of each element type |
//! | `shared` | an interpreter that several Python objects use, and the count of arrays that share its memory |
//! | `interpreter` | the calls of `ai_edge_litert`'s interpreter |
//! | `place` | tensors by number |
//! | `details` | descriptions of tensors, nodes and signatures, as `ai_edge_litert` gives them |
//! | `settings` | arguments of constructors |
//! | `errors` | errors as exceptions |
//! | `model`, `ports` | `arenite.Model`: inputs and outputs by name; the crate `arenite-pool` keeps its interpreters |
//! | `pictures` | encoded pictures as inputs |
//! | `raised` | exceptions of these functions, on their way to the caller |
//! | `deadline` | time limits of single calls |
//! | `functions` | ops and planners that are Python functions |
//! | `evaluation` | comparisons and measurements |
//! | `fork` | locks that stay usable in a child process |
//! | `waiting` | long calls that Ctrl-C cancels |
//! | `command` | the command line |
#![deny(unsafe_code)]

use arenite_builtin as _;
use pyo3::prelude::*;

#[allow(unsafe_code)]
mod arrays;
mod command;
mod deadline;
mod details;
mod elements;
mod errors;
mod evaluation;
mod fork;
mod functions;
mod interpreter;
mod model;
mod pictures;
mod place;
mod ports;
mod raised;
mod settings;
mod shared;
mod waiting;

/// Counts heap bytes, so that the command line can limit them.
#[global_allocator]
static HEAP: arenite_limits::Heap = arenite_limits::Heap;

/// The extension module `arenite._native`.
#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use super::command::run_command;
    #[pymodule_export]
    use super::evaluation::{benchmark, compare};
    #[pymodule_export]
    use super::fork::{after_fork, before_fork};
    #[pymodule_export]
    use super::interpreter::{NativeInterpreter, TensorFunction};
    #[pymodule_export]
    use super::model::NativeModel;
    #[pymodule_export]
    use super::settings::delegate_names;
}

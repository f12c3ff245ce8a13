//! The command line, `python -m arenite`.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command line with these arguments, of which the first is the name of the program. Returns the exit status.
#[pyfunction]
pub(crate) fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| arenite_cli::run_command(arguments))
}

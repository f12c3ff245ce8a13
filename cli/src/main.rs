//! The `arenite` program.
#![forbid(unsafe_code)]

use std::process::ExitCode;

/// Counts what `arenite_cli` limits.
#[global_allocator]
static HEAP: arenite_limits::Heap = arenite_limits::Heap;

fn main() -> ExitCode {
    arenite_cli::main()
}

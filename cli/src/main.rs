//! The `arenite` program.
#![forbid(unsafe_code)]

use std::process::ExitCode;

/// Counts heap bytes, so that `arenite_cli` can limit them.
#[global_allocator]
static HEAP: arenite_limits::Heap = arenite_limits::Heap;

fn main() -> ExitCode {
    arenite_cli::main()
}

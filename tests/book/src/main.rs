//! The `arenite` program, built for the tests of the book.
#![forbid(unsafe_code)]

use std::process::ExitCode;

/// As in the program itself: counts heap bytes, so that `arenite_cli` can limit them.
#[global_allocator]
static HEAP: arenite_limits::Heap = arenite_limits::Heap;

fn main() -> ExitCode {
    arenite_cli::main()
}

//! The `arenite` program.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    arenite_cli::main()
}

//! Prints the outputs of all models, as `tests/micro/rust.c` does on the board.
#![forbid(unsafe_code)]

use arenite_test_embedded::{Failure, Value, run_all};

fn main() -> Result<(), Failure> {
    run_all(&mut |Value { model, is_input, index, bytes }| {
        if !is_input {
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            println!("{model} output {index} {hex}");
        }
    })
}

//! Runs spoilt models in the micro interpreter: `micro_fuzz --models 1000000`. It ends with a panic that says which model panicked.
#![forbid(unsafe_code)]

use arenite_tests::micro::{self, Aligned, Fuzzed};
use clap::Parser;

/// Runs spoilt models in the micro interpreter, from loading to an invocation.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// How many.
    #[arg(long, value_name = "N", default_value = "1000000")]
    models: usize,
    /// Where random numbers begin.
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,
}

fn main() {
    let Arguments { models, seed } = Arguments::parse();
    let Fuzzed { ran, refused } = micro::fuzz(models, seed, Aligned::new(0, micro::FUZZ_ARENA).bytes_mut());
    println!("{models} spoilt models: {ran} ran, {refused} were refused, none panicked");
}

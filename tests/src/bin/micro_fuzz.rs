//! Runs damaged models in the micro interpreter: `micro_fuzz --models 1000000`. If a model panics, the message names
//! it.
#![forbid(unsafe_code)]

use arenite_tests::micro::{self, Aligned, Fuzzed};
use clap::Parser;

/// Runs damaged models in the micro interpreter, from loading to an invocation.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// The number of models.
    #[arg(long, value_name = "N", default_value = "1000000")]
    models: usize,
    /// The seed of the random numbers.
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,
}

fn main() {
    let Arguments { models, seed } = Arguments::parse();
    let Fuzzed { ran, refused } = micro::fuzz(models, seed, Aligned::new(0, micro::FUZZ_ARENA).bytes_mut());
    println!("{models} damaged models: {ran} ran, {refused} failed with an error, none panicked");
}

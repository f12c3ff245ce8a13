//! Runs a model so often, in the micro interpreter or in the large runtime with reference ops on one thread, and nothing else. What counts
//! instructions, or time, tells from two such numbers what one invocation takes: `tests/micro_speed.sh`.
#![forbid(unsafe_code)]

use std::path::PathBuf;

use arenite::Model;
use arenite_micro::{Interpreter, Planner, required_arena};
use arenite_tests::micro::{Aligned, ops};
use clap::Parser;

/// Runs a model so often.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// The model.
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// How often.
    #[arg(long, value_name = "N", default_value = "1")]
    invocations: usize,
    /// In the micro interpreter, in the least arena.
    #[arg(long)]
    micro: bool,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Arguments { model, invocations, micro } = Arguments::parse();
    match micro {
        true => in_micro(&std::fs::read(model)?, invocations),
        false => in_large(&Model::from_file(model)?, invocations),
    }
}

fn in_micro(bytes: &[u8], invocations: usize) -> Result<(), Box<dyn std::error::Error>> {
    let (model, ops) = (Aligned::of(bytes), ops());
    let sizes = required_arena(model.as_slice(), &ops, Planner::Greedy)?;
    let mut arena = Aligned::new(0, sizes.arena);
    let mut interpreter = Interpreter::new(model.as_slice(), &ops, arena.bytes_mut())?;
    for i in 0..interpreter.input_count() {
        interpreter.input(i)?.fill(0);
    }
    Ok((0..invocations).try_for_each(|_| interpreter.invoke())?)
}

fn in_large(model: &Model, invocations: usize) -> Result<(), Box<dyn std::error::Error>> {
    let mut interpreter = arenite_tests::reference_ops(model).threads(1).build()?;
    interpreter.allocate()?;
    for i in 0..interpreter.input_count() {
        interpreter.input_mut(i)?.into_bytes()?.fill(0);
    }
    Ok((0..invocations).try_for_each(|_| interpreter.invoke())?)
}

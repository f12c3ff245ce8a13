//! Runs a model many times, in the micro interpreter or in the large runtime with reference ops on one thread, and does
//! nothing else. `tests/micro_speed.sh` derives the instructions or the time of one invocation from two such runs.
#![forbid(unsafe_code)]

use std::path::PathBuf;

use arenite::Model;
use arenite_micro::{Interpreter, Planner, required_arena};
use arenite_tests::micro::{Aligned, ops};
use clap::Parser;

/// Runs a model a number of times.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// The model.
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// The number of invocations.
    #[arg(long, value_name = "N", default_value = "1")]
    invocations: usize,
    /// Run in the micro interpreter, in an arena of the minimum size.
    #[arg(long)]
    micro: bool,
    /// Print the number of nodes in the main subgraph, and run nothing.
    #[arg(long)]
    nodes: bool,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Arguments { model, invocations, micro, nodes } = Arguments::parse();
    if nodes {
        return print_nodes(&std::fs::read(model)?);
    }
    match micro {
        true => in_micro(&std::fs::read(model)?, invocations),
        false => in_large(&Model::from_file(model)?, invocations),
    }
}

fn print_nodes(bytes: &[u8]) -> Result<(), Box<dyn std::error::Error>> {
    let main = arenite_model::Model::new(bytes)?.subgraph(0);
    println!("{}", main.map_or(0, |graph| graph.operators().len()));
    Ok(())
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

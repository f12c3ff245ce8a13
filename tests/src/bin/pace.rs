//! Draws nodes, and lists those that the CPU delegate runs slower than the reference op does: `pace [--nodes N] [--seed
//! S]`. With `--seed S` alone, it prints and times the node of that seed.
//!
//! Exit status: 0 if no node is slower, 1 if some are.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use arenite_tests::differential::pace::{Pace, pace};
use clap::Parser;

/// Lists drawn nodes that the CPU delegate runs slower than the reference op does.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// The number of seeds; not every seed draws a node that the delegate claims.
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// The first seed.
    #[arg(long, value_name = "S", default_value = "0")]
    seed: u64,
    /// The instruction set [default: the best one].
    #[arg(long, value_name = "NAME")]
    isa: Option<String>,
    /// Times of the delegate above this multiple of the reference op's are listed.
    #[arg(long, value_name = "X", default_value = "1.1")]
    above: f64,
    /// The number of nodes that are listed, the slowest first.
    #[arg(long, value_name = "N", default_value = "20")]
    list: usize,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let seeds = arguments.seed..arguments.seed + arguments.nodes.unwrap_or(1);
    let timed = |seed| pace(seed, arguments.isa.as_deref());
    let (mut count, mut slower) = (0, Vec::new());
    for first in seeds.filter_map(timed) {
        count += 1;
        // A disturbance slows one measurement, not two.
        let is_slow = |pace: &Pace| pace.ratio() > arguments.above;
        if is_slow(&first)
            && let Some(second) = timed(first.graph.seed).filter(is_slow)
        {
            slower.push(if second.ratio() < first.ratio() { second } else { first });
        } else if arguments.nodes.is_none() {
            println!("{}", line(&first));
        }
    }
    slower.sort_by(|a, b| b.ratio().total_cmp(&a.ratio()));
    slower.iter().take(arguments.list).for_each(|pace| println!("{}", line(pace)));
    println!("{} of {count} nodes are slower on the delegate", slower.len());
    if slower.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn line(pace: &Pace) -> String {
    let Pace { graph, reference, delegate } = pace;
    let [reference, delegate] = [reference, delegate].map(|seconds| seconds * 1e6);
    format!("{:.2}: {delegate:.2} µs instead of {reference:.2} µs\n{graph}", pace.ratio())
}

//! Draws nodes, and lists those that the CPU delegate runs slower than the reference op does: `pace [--nodes N] [--seed
//! S]`. With `--seed S` alone, it prints and measures the node of that seed. `--counted` counts instructions instead of
//! measuring times, so that the result is the same on a busy machine.
//!
//! Exit status: 0 if no node is slower, 1 if some are, 2 if instructions cannot be counted.
#![forbid(unsafe_code)]

use std::ops::Range;
use std::process::ExitCode;

use arenite_tests::differential::pace::{Pace, count, pace, run_to_be_counted};
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
    /// The instruction set [default: the best one; with --counted, the best one that valgrind supports].
    #[arg(long, value_name = "NAME")]
    isa: Option<String>,
    /// Costs of the delegate above this multiple of the reference op's are listed.
    #[arg(long, value_name = "X", default_value = "1.1")]
    above: f64,
    /// The number of nodes that are listed, the slowest first.
    #[arg(long, value_name = "N", default_value = "20")]
    list: usize,
    /// Count instructions with valgrind instead of measuring times.
    #[arg(long)]
    counted: bool,
    /// Run each node once per side and print its seed: what valgrind runs for --counted.
    #[arg(long, hide = true)]
    run_once: bool,
}

impl Arguments {
    fn seeds(&self) -> Range<u64> {
        self.seed..self.seed + self.nodes.unwrap_or(1)
    }

    fn isa(&self) -> Option<&str> {
        self.isa.as_deref()
    }

    fn is_slow(&self, pace: &Pace) -> bool {
        pace.ratio() > self.above
    }

    fn run_once(&self) -> ExitCode {
        for seed in self.seeds() {
            match run_to_be_counted(seed, self.isa()) {
                Ok(true) => println!("{seed}"),
                Ok(false) => {}
                Err(error) => {
                    eprintln!("the node of seed {seed}: {error}");
                    return ExitCode::from(2);
                }
            }
        }
        ExitCode::SUCCESS
    }

    fn timed(&self) -> impl Iterator<Item = Pace> {
        let paces = self.seeds().filter_map(|seed| pace(seed, self.isa()));
        // A disturbance slows one measurement, not two.
        paces.map(|first| {
            let second = if self.is_slow(&first) { pace(first.graph.seed, self.isa()) } else { None };
            second.filter(|second| second.ratio() < first.ratio()).unwrap_or(first)
        })
    }

    fn counted(&self) -> Result<Vec<Pace>, String> {
        let Range { start, end } = self.seeds();
        let mut arguments =
            vec!["--run-once".to_owned(), format!("--seed={start}"), format!("--nodes={}", end - start)];
        arguments.extend(self.isa().map(|isa| format!("--isa={isa}")));
        count(&arguments)
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if arguments.run_once {
        return arguments.run_once();
    }
    let (paces, unit): (Box<dyn Iterator<Item = Pace>>, Unit) = if arguments.counted {
        match arguments.counted() {
            Ok(paces) => {
                (Box::new(paces.into_iter()), Unit { name: "instructions", per_unit: 1.0, digits: 0 })
            }
            Err(error) => {
                eprintln!("{error}");
                return ExitCode::from(2);
            }
        }
    } else {
        (Box::new(arguments.timed()), Unit { name: "µs", per_unit: 1e-6, digits: 2 })
    };
    // Only slow nodes are kept: a graph has all of its constants.
    let (mut count, mut slower) = (0, Vec::new());
    for pace in paces {
        count += 1;
        if arguments.is_slow(&pace) {
            slower.push(pace);
        } else if arguments.nodes.is_none() {
            println!("{}", unit.line(&pace));
        }
    }
    slower.sort_by(|a, b| b.ratio().total_cmp(&a.ratio()));
    slower.iter().take(arguments.list).for_each(|pace| println!("{}", unit.line(pace)));
    println!("{} of {count} nodes are slower on the delegate", slower.len());
    if slower.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The unit of a cost.
struct Unit {
    name: &'static str,
    per_unit: f64,
    digits: usize,
}

impl Unit {
    fn line(&self, pace: &Pace) -> String {
        let Unit { name, per_unit, digits } = *self;
        let [reference, delegate] = [pace.reference, pace.delegate].map(|cost| cost / per_unit);
        let ratio = pace.ratio();
        format!(
            "{ratio:.2}: {delegate:.digits$} {name} instead of {reference:.digits$} {name}\n{}",
            pace.graph
        )
    }
}

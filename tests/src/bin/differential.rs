//! Runs random graphs on a delegate and on the reference ops, and compares: `differential [--graphs N] [--delegate
//! NAME] [--isa NAME] …`. With `--seed N` alone, it prints, saves and runs the graph of that seed.
//!
//! Exit status: 0 if all results agree, 1 if some differ, 2 after a usage error.
#![forbid(unsafe_code)]

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use arenite_tests::differential::campaign::{Campaign, Fixed, Seeds, report, work};
use arenite_tests::differential::judge::Verdict;
use arenite_tests::differential::{Reference, draw};
use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};

/// Runs random graphs on a delegate and on the reference ops, and compares the results.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// The number of graphs.
    #[arg(long, value_name = "N")]
    graphs: Option<u64>,
    /// The seed of the first graph; without --graphs, of the only one.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// The delegate: cpu, or a GPU delegate such as opencl.
    #[arg(long, value_name = "NAME")]
    delegate: Option<String>,
    /// The instruction sets that run every graph, separated by commas [default: the seed decides].
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    isa: Vec<String>,
    /// Threads for all graphs [default: the seed decides].
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Whether Winograd convolutions are enabled, for all graphs [default: the seed decides].
    #[arg(long, value_name = "BOOL")]
    winograd: Option<bool>,
    /// The number of processes that run at the same time.
    #[arg(long, value_name = "N", default_value = "2")]
    workers: u64,
    /// The folder for models that differ.
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
    /// Print one JSON document instead of text.
    #[arg(long)]
    json: bool,
    /// Run as a worker process: use every Nth seed, and report to the parent process.
    #[arg(long, value_name = "N", hide = true)]
    stride: Option<u64>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("differential: {message}");
            ExitCode::from(2)
        }
    }
}

/// Whether all results agree.
fn run(arguments: &Arguments) -> Result<bool, Box<dyn std::error::Error>> {
    let Arguments { delegate, isa, threads, winograd, save, .. } = arguments;
    let fixed =
        Fixed { delegate: delegate.clone(), isa: isa.clone(), threads: *threads, winograd: *winograd };
    let first = arguments.seed.unwrap_or(0);
    if let (Some(stride), Some(count)) = (arguments.stride, arguments.graphs) {
        work(Seeds { first, stride, count }, &fixed, save.as_ref())?;
        return Ok(true);
    }
    if let (Some(seed), None) = (arguments.seed, arguments.graphs) {
        return one(seed, &fixed, save.as_deref().unwrap_or(Path::new(".")));
    }
    let (graphs, save) = (arguments.graphs.unwrap_or(20_000), save.clone());
    let program = std::env::current_exe()?;
    let campaign = Campaign { program, first, graphs, workers: arguments.workers, fixed, save };
    let bar = match std::io::stderr().is_terminal() {
        true => ProgressBar::new(graphs),
        false => ProgressBar::hidden(),
    };
    bar.set_style(ProgressStyle::with_template("{bar:40} {pos}/{len} {per_sec} {eta}")?);
    let tally = campaign.run(&|| bar.inc(1))?;
    bar.finish_and_clear();
    match arguments.json {
        true => println!("{}", serde_json::to_string_pretty(&tally)?),
        false => println!("{tally}"),
    }
    Ok(tally.found.is_empty())
}

/// Prints, saves and runs the graph of one seed.
fn one(seed: u64, fixed: &Fixed, folder: &Path) -> Result<bool, Box<dyn std::error::Error>> {
    let graph = draw(seed);
    std::fs::create_dir_all(folder)?;
    let path = folder.join(format!("{seed}.tflite"));
    std::fs::write(&path, graph.model.finish())?;
    println!("{graph}written to {}", path.display());
    let reference = Reference::new(graph);
    let mut agree = true;
    for setting in fixed.settings(seed) {
        println!("{setting:?}");
        let checked = reference.check(&setting);
        for (kind, _) in checked.nodes.iter().filter(|(_, delegated)| *delegated) {
            println!("delegated: {kind}");
        }
        match checked.verdict {
            Verdict::Differs(text) => {
                println!("{text}\nreduced to: {}", report(&checked.graph, &setting, None)?);
                agree = false;
            }
            verdict => println!("{verdict:?}"),
        }
    }
    Ok(agree)
}

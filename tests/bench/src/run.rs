//! `run`: measures models and prints the result.

use clap::Args;

use crate::csv;
use crate::failure::Result;
use crate::measure::Lineup;
use crate::options::Options;
use crate::peak::Peak;
use crate::report::Report;
use crate::selection::Selection;

#[derive(Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    selection: Selection,

    /// The number of new processes per contender for start time and memory
    #[arg(long, value_name = "N", default_value_t = 3)]
    starts: usize,

    #[command(flatten)]
    options: Options,
}

/// The default seconds per contender.
const SECONDS: f64 = 3.0;

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let options = &arguments.options;
    let places = options.places()?;
    let definitions = options.definitions()?;
    let contenders = options.contenders(&definitions)?;
    let names: Vec<String> = contenders.iter().map(|contender| contender.name.clone()).collect();
    let subjects = arguments.selection.subjects(&definitions, &places)?;
    let threads = options.threads(&definitions);
    let peaks = threads.iter().map(|&threads| Peak::measure(threads)).collect();
    let mut report = Report { machine: options.machine(), peaks, cases: Vec::new() };
    let effort = options.effort(SECONDS, arguments.starts);
    let mut lineup = Lineup::new(&contenders, &places);
    for subject in &subjects {
        for &threads in &threads {
            lineup.empty();
            match lineup.measure(subject, threads, &effort) {
                Ok(case) => {
                    eprintln!("{}", case.line(&names));
                    report.cases.push(case);
                    report.peaks.iter_mut().for_each(Peak::look_again);
                    if options.record {
                        let last = report.cases.last().map_or(&[][..], std::slice::from_ref);
                        csv::record_models(
                            &report.machine,
                            &report.peaks,
                            last,
                            &places.bench.join("results"),
                        )?;
                    }
                }
                Err(failure) => eprintln!("{}: {failure}", subject.title()),
            }
        }
    }
    options.print(&report)
}

//! `run`: measures models and shows the result.

use std::path::PathBuf;

use clap::Args;

use crate::csv;
use crate::definitions::{Definitions, Places, Subject};
use crate::failure::{Failure, Result};
use crate::machine::Machine;
use crate::measure::Lineup;
use crate::options::Options;
use crate::peak::Peak;
use crate::report::Report;

#[derive(Args)]
pub struct Arguments {
    /// Only models whose name has one of these in it
    names: Vec<String>,

    /// Only these kinds
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    kind: Vec<String>,

    /// Measure this .tflite file, or all of this folder, in place of the defined models (repeatable)
    #[arg(long, value_name = "PATH")]
    models: Vec<PathBuf>,

    /// Fresh processes per contender, for time to start and memory
    #[arg(long, value_name = "N", default_value_t = 3)]
    starts: usize,

    #[command(flatten)]
    options: Options,
}

/// Seconds that a contender runs by default.
const SECONDS: f64 = 3.0;

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    let options = &arguments.options;
    let places = options.places()?;
    let definitions = options.definitions()?;
    let contenders = options.contenders(&definitions)?;
    let names: Vec<String> = contenders.iter().map(|contender| contender.name.clone()).collect();
    let subjects = subjects(arguments, &definitions, &places)?;
    let threads = options.threads(&definitions);
    let peaks = threads.iter().map(|&threads| Peak::measure(threads)).collect();
    let mut report = Report { machine: Machine::here(), peaks, cases: Vec::new() };
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

/// The files that are there and asked for.
fn subjects(arguments: &Arguments, definitions: &Definitions, places: &Places) -> Result<Vec<Subject>> {
    let all = match arguments.models.is_empty() {
        true => definitions.subjects(places),
        false => {
            let found = arguments.models.iter().map(|path| Subject::all_in(path));
            found.collect::<Result<Vec<_>>>()?.concat()
        }
    };
    let named = |subject: &Subject| {
        let names = &arguments.names;
        names.is_empty() || names.iter().any(|name| subject.model.contains(name))
    };
    let of_kind = |subject: &Subject| arguments.kind.is_empty() || arguments.kind.contains(&subject.kind);
    let (there, missing): (Vec<_>, Vec<_>) = all
        .into_iter()
        .filter(|subject| named(subject) && of_kind(subject))
        .partition(|subject| subject.file.is_file());
    if !missing.is_empty() {
        let titles: Vec<String> = missing.iter().map(Subject::title).collect();
        eprintln!("not there: {} (README.md: make the zoo)", titles.join(", "));
    }
    match there.is_empty() {
        true => Err(Failure::new("no model is left to measure")),
        false => Ok(there),
    }
}

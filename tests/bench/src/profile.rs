//! `profile`: arenite's own time per node, with the arithmetic rate of each node.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use arenite::{Interpreter, NodeProvider, ProfileRow};
use arenite_model::ModelBuffer;
use clap::Args;

use crate::failure::{Failure, Result};
use crate::inputs;
use crate::peak::Peak;
use crate::serve::{self, Setup};
use crate::table::{Table, digits};
use crate::work::{self, NodeWork, Unit};

#[derive(Args)]
pub(crate) struct Arguments {
    /// The model, a .tflite file
    model: PathBuf,

    /// Number of threads
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,

    /// Seconds to run
    #[arg(long, value_name = "S", default_value_t = 2.0)]
    seconds: f64,

    #[command(flatten)]
    setup: Setup,
}

/// Runs the command.
pub(crate) fn profile(arguments: &Arguments) -> Result<()> {
    let peak = Peak::measure(arguments.threads);
    let name = arguments.model.display();
    let file = ModelBuffer::from_file(&arguments.model).map_err(|error| Failure::with(&name, error))?;
    let works = work::of_model(&file.model());
    let mut interpreter = arguments.setup.interpreter(&arguments.model, arguments.threads)?;
    serve::fill(&mut interpreter, &inputs::draw(&file.model())?)?;
    interpreter.invoke()?;
    interpreter.start_profile();
    let length = Duration::try_from_secs_f64(arguments.seconds).unwrap_or_default();
    let begin = Instant::now();
    while begin.elapsed() < length {
        interpreter.invoke()?;
    }
    print!("{}", table(&interpreter, &works, &peak));
    Ok(())
}

fn table(interpreter: &Interpreter, works: &[NodeWork], peak: &Peak) -> Table {
    let heads = ["op", "output", "mean µs", "min µs", "% of time", "MOP", "G/s", "% of peak"];
    let mut table = Table::new(2, heads.map(str::to_owned));
    let rows = interpreter.profile().map_or(&[][..], |profile| profile.rows());
    let partitions = partitions(interpreter, works);
    let all: Duration = rows.iter().map(|row| row.total).sum();
    let mut delegated = partitions.iter();
    for row in rows.iter().filter(|row| row.runs > 0) {
        let done = match row.op.starts_with("delegate ") {
            true => delegated.next().copied(),
            false => own_work(row, works),
        };
        let mean = row.total.as_secs_f64() / row.runs as f64;
        let (operations, unit) = done.unwrap_or((0, Unit::Float));
        let rate = operations as f64 / row.min.as_secs_f64() / 1e9;
        let shown = |text: String| if operations > 0 { text } else { "–".to_owned() };
        table.row([
            row.op.clone(),
            row.output.chars().take(48).collect(),
            digits(mean * 1e6),
            digits(row.min.as_secs_f64() * 1e6),
            digits(100.0 * row.total.as_secs_f64() / all.as_secs_f64()),
            shown(digits(operations as f64 / 1e6)),
            shown(digits(rate)),
            shown(digits(100.0 * rate / peak.of(unit))),
        ]);
    }
    table
}

/// The arithmetic of the node with this row's name.
fn own_work(row: &ProfileRow, works: &[NodeWork]) -> Option<(u64, Unit)> {
    let work = works.iter().find(|work| work.op == row.op && work.output == row.output)?;
    Some((work.operations, work.unit))
}

/// The arithmetic of each partition, in order of execution. Its unit is the larger part's.
fn partitions(interpreter: &Interpreter, works: &[NodeWork]) -> Vec<(u64, Unit)> {
    let served = interpreter.served_by();
    let mut sums: Vec<(u64, u64)> = Vec::new();
    for (operator, work) in works.iter().enumerate() {
        for node in interpreter.nodes_of(operator) {
            let Some(NodeProvider::Delegate { partition, .. }) = served.get(node) else { continue };
            if sums.len() <= *partition {
                sums.resize(partition + 1, (0, 0));
            }
            match work.unit {
                Unit::Float => sums[*partition].0 += work.operations,
                Unit::Int8 => sums[*partition].1 += work.operations,
            }
        }
    }
    let with_unit =
        |(float, int8): (u64, u64)| (float + int8, if float >= int8 { Unit::Float } else { Unit::Int8 });
    sums.into_iter().map(with_unit).collect()
}

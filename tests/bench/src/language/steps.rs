//! `language --steps`: where the time of an invocation goes.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use arenite::ProfileRow;
use arenite_model::ModelBuffer;

use super::{Arguments, Own, SECONDS, signatures};
use crate::failure::{Failure, Result};
use crate::table::{Table, digits};

/// The columns. Times are of all steps of a kind together, in one invocation.
const HEADS: [&str; 7] =
    ["model", "signature", "threads", "step", "steps", "mean \u{b5}s", "sum of min \u{b5}s"];

/// Steps of one kind.
#[derive(Default)]
struct Kind {
    steps: u64,
    mean: f64,
    min: f64,
}

impl Kind {
    fn add(&mut self, row: &ProfileRow) {
        self.steps += 1;
        self.mean += row.total.as_secs_f64() * 1e6 / row.runs as f64;
        self.min += row.min.as_secs_f64() * 1e6;
    }

    /// Adds the time of a partition minus that of its steps.
    fn add_rest(&mut self, row: &ProfileRow) {
        self.add(row);
        for part in &row.parts {
            self.mean -= part.total.as_secs_f64() * 1e6 / row.runs as f64;
            self.min -= part.min.as_secs_f64() * 1e6;
        }
    }
}

/// Prints the table of all models, signatures and numbers of threads.
pub(super) fn show(arguments: &Arguments) -> Result<()> {
    let mut table = Table::new(4, HEADS.map(str::to_owned));
    for model in &arguments.models {
        let name = model.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let file = ModelBuffer::from_file(model).map_err(|error| Failure::with(model.display(), error))?;
        for key in signatures(arguments, &file) {
            for threads in arguments.options.thread_counts(&[1]) {
                let mut own = Own::new(arguments, model, &key, threads)?;
                for (step, kind) in measure(&mut own, arguments.options.effort(SECONDS, 1).race)? {
                    table.row([
                        name.clone(),
                        key.clone(),
                        threads.to_string(),
                        step,
                        kind.steps.to_string(),
                        digits(kind.mean),
                        digits(kind.min),
                    ]);
                }
            }
        }
    }
    print!("{table}");
    Ok(())
}

/// The kinds of steps, the longest first, and the whole invocation, which is also measured without a profile.
fn measure(own: &mut Own, length: Duration) -> Result<Vec<(String, Kind)>> {
    let mut whole = Kind { steps: 0, mean: 0.0, min: f64::INFINITY };
    let begin = Instant::now();
    while begin.elapsed() < length || whole.steps == 0 {
        let start = Instant::now();
        own.invoke()?;
        let time = start.elapsed().as_secs_f64() * 1e6;
        whole = Kind { steps: whole.steps + 1, mean: whole.mean + time, min: whole.min.min(time) };
    }
    whole = Kind { steps: 1, mean: whole.mean / whole.steps as f64, ..whole };
    own.interpreter.start_profile();
    let begin = Instant::now();
    loop {
        own.invoke()?;
        if begin.elapsed() >= length {
            break;
        }
    }
    let mut kinds: BTreeMap<String, Kind> = BTreeMap::new();
    let rows = own.interpreter.profile_of(own.subgraph).map_or(&[][..], |profile| profile.rows());
    for row in rows.iter().filter(|row| row.runs > 0) {
        if row.parts.is_empty() {
            kinds.entry(row.op.clone()).or_default().add(row);
            continue;
        }
        kinds.entry(format!("{}, between steps", row.op)).or_default().add_rest(row);
        for part in row.parts.iter().filter(|part| part.runs > 0) {
            kinds.entry(part.op.clone()).or_default().add(part);
        }
    }
    let mut kinds: Vec<(String, Kind)> = kinds.into_iter().collect();
    kinds.sort_by(|a, b| b.1.mean.total_cmp(&a.1.mean));
    kinds.push(("all, without a profile".to_owned(), whole));
    Ok(kinds)
}

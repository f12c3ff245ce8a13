//! The report as text.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};
use std::path::Path;

use arenite_common::profile::OpTime;

use super::report::{Report, Row};
use crate::devices::show_facts;
use crate::text::{self, Align, HEAD, Table, time};

/// The longest name of a contender.
const LABEL: usize = 50;

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.rows[..] {
            [] => Ok(()),
            [row] => show_one(f, row),
            rows => show_several(f, rows),
        }
    }
}

fn show_one(f: &mut Formatter<'_>, row: &Row) -> fmt::Result {
    writeln!(f, "{}", row.setup)?;
    let times = &row.times;
    let names = ["min", "median", "90 %", "99 %", "max", "mean", "std dev", "runs"];
    let mut table = Table::new(&names.map(|name| (name, Align::Right)));
    let shown =
        [times.min_ms, times.median_ms, times.p90_ms, times.p99_ms, times.max_ms, times.mean_ms, times.sd_ms];
    table.row(shown.into_iter().map(time).chain([text::thousands(times.runs)]));
    writeln!(f, "{table}")?;
    let names = ["init", "first run", "arena", "persistent", "delegates", "devices", "peak memory"];
    let mut table = Table::new(&names.map(|name| (name, Align::Right)));
    let memory = &row.memory;
    let held = [memory.arena_bytes, memory.persistent_bytes, memory.delegate_bytes, memory.device_bytes];
    let peak = memory.peak_rss_bytes.map_or("unknown".to_owned(), bytes);
    let start = [row.init_ms, row.first_ms].map(time);
    table.row(start.into_iter().chain(held.map(bytes)).chain([peak]));
    table.fmt(f)?;
    show_facts(f, &row.facts)?;
    show_details(f, row)
}

/// A row per contender, then how each compares.
fn show_several(f: &mut Formatter<'_>, rows: &[Row]) -> fmt::Result {
    if let Some(first) = rows.first() {
        writeln!(f, "{}", first.setup)?;
    }
    let labels = labels(rows);
    let names = ["median", "min", "90 %", "std dev", "runs", "init", "arena"];
    let columns = names.map(|name| (name, Align::Right));
    let mut table = Table::new(&[&[("", Align::Left)], &columns[..]].concat());
    for (row, label) in rows.iter().zip(&labels) {
        let times = &row.times;
        let figures = [times.median_ms, times.min_ms, times.p90_ms, times.sd_ms].map(time);
        let rest = [text::thousands(times.runs), time(row.init_ms), bytes(row.memory.arena_bytes)];
        table.row([label.clone()].into_iter().chain(figures).chain(rest));
    }
    table.fmt(f)?;
    if rows.iter().any(|row| row.ratio.is_some()) {
        writeln!(f, "\n{HEAD}measured in turns, with 95 % confidence intervals{HEAD:#}")?;
    }
    let mut first = "";
    for (row, label) in rows.iter().zip(&labels) {
        match row.ratio {
            Some(ratio) => writeln!(f, "  {label}, against {first}: {}", ratio.verdict())?,
            None => first = label,
        }
    }
    for (row, label) in
        rows.iter().zip(&labels).filter(|(row, _)| row.ops.is_some() || row.explanation.is_some())
    {
        writeln!(f, "\n{HEAD}{label}{HEAD:#}")?;
        show_details(f, row)?;
    }
    Ok(())
}

/// A different label for each contender of one command: the setting that is compared, or the name of the file, or its
/// path if several files have that name.
fn labels(rows: &[Row]) -> Vec<String> {
    let models: BTreeSet<&Path> = rows.iter().map(|row| row.setup.model.as_path()).collect();
    let label = |row: &Row| {
        let name = row.setup.model.file_name();
        let is_alone = models.iter().filter(|model| model.file_name() == name).count() == 1;
        let path = if is_alone { name.map(Path::new).unwrap_or(&row.setup.model) } else { &row.setup.model };
        let compared = row.setup.compare.clone().filter(|_| row.ratio.is_some());
        text::shorten(&compared.unwrap_or_else(|| path.display().to_string()), LABEL)
    };
    rows.iter().map(label).collect()
}

fn bytes(n: u64) -> String {
    format!("{} bytes", text::thousands(n))
}

fn show_details(f: &mut Formatter<'_>, row: &Row) -> fmt::Result {
    if let Some(ops) = &row.ops {
        show_ops(f, ops)?;
    }
    row.explanation.iter().try_for_each(|explanation| explanation.fmt(f))
}

/// The delegate that ran a row, or `no delegate`.
fn runner(op: &OpTime) -> String {
    op.delegate.clone().unwrap_or_else(|| "no delegate".to_owned())
}

fn show_ops(f: &mut Formatter<'_>, ops: &[OpTime]) -> fmt::Result {
    writeln!(f, "\n{HEAD}nodes, in execution order{HEAD:#}")?;
    let columns = [("mean", Align::Right), ("min", Align::Right), ("%", Align::Right)];
    let rest = [("run by", Align::Left), ("op", Align::Left), ("output", Align::Left)];
    let mut nodes = Table::new(&[&columns[..], &rest].concat());
    for op in ops {
        let times = [time(op.mean_ms), time(op.min_ms), format!("{:.1}", op.percent)];
        let names = [runner(op), op.step().to_owned(), text::shorten(&op.output, 50)];
        nodes.row(times.into_iter().chain(names));
    }
    nodes.fmt(f)?;
    writeln!(f, "\n{HEAD}ops, slowest first{HEAD:#}")?;
    let mut sums: Vec<(String, &str, usize, f64, f64)> = Vec::new();
    for op in ops {
        let (by, name) = (runner(op), op.step());
        match sums.iter_mut().find(|sum| sum.0 == by && sum.1 == name) {
            Some(sum) => (sum.2, sum.3, sum.4) = (sum.2 + 1, sum.3 + op.mean_ms, sum.4 + op.percent),
            None => sums.push((by, name, 1, op.mean_ms, op.percent)),
        }
    }
    sums.sort_by(|a, b| b.3.total_cmp(&a.3));
    let columns = [("mean", Align::Right), ("%", Align::Right), ("nodes", Align::Right)];
    let mut table = Table::new(&[&columns[..], &rest[..2]].concat());
    for (by, op, count, mean, percent) in sums {
        table.row([time(mean), format!("{percent:.1}"), count.to_string(), by, op.to_owned()]);
    }
    table.fmt(f)
}

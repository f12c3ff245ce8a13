//! `ops`: measures one node per op, element type and size, and lists those that are slowest relative to the peers
//! first.

mod node;

use std::fmt::{self, Display};
use std::path::Path;
use std::time::Duration;

use arenite::NodeProvider;
use clap::Args;
use serde::Serialize;

use crate::definitions::Subject;
use crate::failure::{Failure, Result};
use crate::machine::Machine;
use crate::measure::{Effort, Lineup};
use crate::options::Options;
use crate::peak::Peak;
use crate::report::Case;
use crate::statistics::geometric_mean;
use crate::table::{Table, digits};
use node::{Node, Nodes, SIZES};

#[derive(Args)]
pub(crate) struct Arguments {
    /// Only ops whose name contains one of these
    #[arg(long, value_name = "OP", value_delimiter = ',')]
    op: Vec<String>,

    /// Only these element types, as in `ops.txt`
    #[arg(long = "type", value_name = "TYPE", value_delimiter = ',')]
    ty: Vec<String>,

    /// Only these sizes: small, typical, large
    #[arg(long, value_name = "SIZE", value_delimiter = ',', value_parser = SIZES)]
    size: Vec<String>,

    /// The contenders of the definitions that are measured besides arenite
    #[arg(long, value_name = "NAME", value_delimiter = ',', default_value = "litert")]
    peer: Vec<String>,

    /// Use this table of nodes in place of tests/bench/ops.txt
    #[arg(long, value_name = "FILE")]
    table: Option<std::path::PathBuf>,

    #[command(flatten)]
    options: Options,
}

/// The default seconds per contender, and the longest turn.
const SECONDS: f64 = 0.1;
const TURN: Duration = Duration::from_millis(10);

/// The time of the peer above which a row should not be slower, and the ratio that a shorter one should have.
const LONG_MS: f64 = 0.02;
const LEAST_OF_SHORT: f64 = 0.8;

/// A node and its measurements.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    pub op: String,
    #[serde(rename = "type")]
    pub ty: String,
    pub size: &'static str,
    /// `1×32×32×32 32 → 1×32×32×32`, without constants.
    pub shapes: String,
    /// The delegate that runs the node in arenite, or the plugin of the reference op.
    pub runs_on: String,
    /// The best peer's time divided by arenite's.
    pub ratio: Option<f64>,
    pub case: Case,
}

#[derive(Debug, Serialize)]
pub(crate) struct OpReport {
    pub machine: Machine,
    pub peaks: Vec<Peak>,
    /// The worst ratio first; rows without one at the end.
    pub rows: Vec<Row>,
    #[serde(skip)]
    pub contenders: Vec<String>,
}

/// Runs the command.
pub(crate) fn ops(arguments: &Arguments) -> Result<()> {
    let options = &arguments.options;
    let places = options.places()?;
    let definitions = options.definitions()?;
    let mut contenders = options.contenders(&definitions)?;
    let is_peer = |name: &String| definitions.contenders.iter().all(|known| known.name != *name);
    let own = contenders.first().map(|first| first.name.clone());
    contenders.retain(|contender| {
        let name = &contender.name;
        own.as_ref() == Some(name) || arguments.peer.contains(name) || is_peer(name)
    });
    let names: Vec<String> = contenders.iter().map(|contender| contender.name.clone()).collect();
    let nodes = match &arguments.table {
        None => Nodes::parse(node::BUILTIN)?,
        Some(path) => {
            let text = std::fs::read_to_string(path).map_err(|error| Failure::with(path.display(), error))?;
            Nodes::parse(&text)?
        }
    };
    let folder = tempfile::tempdir().map_err(|error| Failure::with("temporary folder", error))?;
    let asked = options.effort(SECONDS, 0);
    let effort = Effort { slice: asked.slice.min(TURN), ..asked };
    let mut lineup = Lineup::new(&contenders, &places);
    let mut report = OpReport {
        machine: options.machine(),
        peaks: vec![Peak::measure(1)],
        rows: Vec::new(),
        contenders: names,
    };
    for node in nodes.nodes.iter().filter(|node| arguments.wants(node)) {
        match measure(arguments, &mut lineup, &nodes, node, folder.path(), &effort) {
            Ok(mut row) => {
                row.ratio = row.case.ratio(&report.contenders).map(|ratio| ratio.of_minima);
                eprintln!("{}", row.case.line(&report.contenders));
                report.rows.push(row);
            }
            Err(failure) => eprintln!("{} {} {}: {failure}", node.op, node.ty, SIZES[node.size]),
        }
    }
    report.rows.sort_by(|a, b| {
        let key = |row: &Row| row.ratio.unwrap_or(f64::INFINITY);
        key(a).total_cmp(&key(b))
    });
    options.print(&report)
}

impl Arguments {
    fn wants(&self, node: &Node) -> bool {
        let size = SIZES[node.size];
        (self.op.is_empty() || self.op.iter().any(|part| node.op.contains(part.as_str())))
            && (self.ty.is_empty() || self.ty.contains(&node.ty))
            && (self.size.is_empty() || self.size.iter().any(|wanted| wanted == size))
    }
}

fn measure(
    arguments: &Arguments,
    lineup: &mut Lineup<'_>,
    nodes: &Nodes,
    node: &Node,
    folder: &Path,
    effort: &Effort,
) -> Result<Row> {
    let (bytes, shapes) = nodes.model(node)?;
    let file = folder.join("node.tflite");
    // A contender of the last node may still map the file, so its bytes must not change.
    let _ = std::fs::remove_file(&file);
    std::fs::write(&file, bytes).map_err(|error| Failure::with(file.display(), error))?;
    let interpreter = arguments.options.interpreter(&file)?;
    let runs_on = match interpreter.served_by().first() {
        Some(NodeProvider::Delegate { name, .. }) => name.clone(),
        Some(NodeProvider::Plugin(name)) => name.clone(),
        Some(NodeProvider::Folded(_)) => "folded".to_owned(),
        _ => "–".to_owned(),
    };
    let model = format!("{} {}", node.op, shapes);
    let case = lineup.measure(&Subject { model, kind: node.ty.clone(), file }, 1, effort)?;
    let (op, ty, size) = (node.op.clone(), node.ty.clone(), SIZES[node.size]);
    Ok(Row { op, ty, size, shapes, runs_on, ratio: None, case })
}

impl Display for OpReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}, {} cores", self.machine.processor, self.machine.cores)?;
        for peak in &self.peaks {
            writeln!(f, "{peak}")?;
        }
        let own = self.contenders.first().map_or("", String::as_str);
        writeln!(f, "\ntimes: minimum of one node, µs; ratio: best peer / {own}\n")?;
        self.table().fmt(f)?;
        writeln!(f)?;
        self.summary().fmt(f)?;
        let mut failures: Vec<(&str, String)> = Vec::new();
        for row in &self.rows {
            for score in &row.case.scores {
                for text in score.failure.iter().chain(&score.disagreement) {
                    // A peer that is not installed fails on each row alike.
                    if !failures.iter().any(|(known, _)| known == text) {
                        failures.push((text, format!("{} {} {}", row.op, row.ty, row.shapes)));
                    }
                }
            }
        }
        failures.iter().try_for_each(|(text, first)| writeln!(f, "\n{first}: {text}"))
    }
}

impl OpReport {
    fn table(&self) -> Table {
        let heads = ["op", "type", "shapes", "runs on"].map(str::to_owned).into_iter();
        let rest = ["ratio", "differs by"].map(str::to_owned);
        let mut table = Table::new(4, heads.chain(self.contenders.iter().cloned()).chain(rest));
        let or_dash = |value: Option<f64>| value.map_or("–".to_owned(), digits);
        for row in &self.rows {
            let time =
                |name: &String| or_dash(row.case.score(name).and_then(|score| Some(score.min_ms? * 1e3)));
            let own = self.contenders.first().and_then(|own| row.case.score(own)?.difference);
            let differs = own.map_or("–".to_owned(), |difference| difference.short());
            let title = [&row.op, &row.ty, &row.shapes, &row.runs_on].map(String::clone);
            let times = self.contenders.iter().map(time);
            table.row(title.into_iter().chain(times).chain([or_dash(row.ratio), differs]));
        }
        table
    }

    /// One line per element type, and one for all.
    fn summary(&self) -> Table {
        let heads = ["type", "rows", "mean ratio", "ahead", "peer ≥ 20 µs, behind", "shorter, below 0.8"];
        let mut table = Table::new(1, heads.map(str::to_owned));
        let mut types: Vec<&str> = Vec::new();
        for row in &self.rows {
            if !types.contains(&row.ty.as_str()) {
                types.push(&row.ty);
            }
        }
        types.sort_unstable();
        for ty in types.iter().map(|ty| Some(*ty)).chain([None]) {
            let rows = self.rows.iter().filter(|row| ty.is_none_or(|ty| row.ty == ty));
            let peer = |row: &Row| row.case.best_peer(&self.contenders)?.min_ms;
            let rows: Vec<(f64, f64)> = rows.filter_map(|row| Some((row.ratio?, peer(row)?))).collect();
            let ratios: Vec<f64> = rows.iter().map(|row| row.0).collect();
            let count = |wanted: fn(f64, f64) -> bool| rows.iter().filter(|row| wanted(row.0, row.1)).count();
            table.row([
                ty.unwrap_or("all").to_owned(),
                rows.len().to_string(),
                digits(geometric_mean(&ratios)),
                count(|ratio, _| ratio >= 1.0).to_string(),
                count(|ratio, ms| ms >= LONG_MS && ratio < 1.0).to_string(),
                count(|ratio, ms| ms < LONG_MS && ratio < LEAST_OF_SHORT).to_string(),
            ]);
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::{case, report};

    #[test]
    fn rows_print_their_times_and_types_are_summed_up() {
        let row = |op: &str, ty: &str, own: f64, peer: f64| Row {
            op: op.into(),
            ty: ty.into(),
            size: "small",
            shapes: "1×4 → 1×4".into(),
            runs_on: "cpu".into(),
            ratio: Some(peer / own),
            case: case(ty, own, peer),
        };
        let whole = report();
        let rows =
            vec![row("ABS", "I8", 2.0, 1.0), row("NEG", "I8", 0.01, 0.02), row("ABS", "F32", 0.02, 0.01)];
        let report =
            OpReport { contenders: whole.contenders(), machine: whole.machine, peaks: whole.peaks, rows };
        let text = report.to_string();
        let words = |start: &str| {
            let line = text.lines().find(|line| line.starts_with(start)).unwrap();
            line.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(words("ABS"), "ABS I8 1×4 → 1×4 cpu 2000 1000 – 0.500 –");
        assert_eq!(words("I8"), "I8 2 1.00 1 1 0");
        assert_eq!(words("F32"), "F32 1 0.500 0 0 1");
        assert_eq!(words("all"), "all 3 0.794 1 1 1");
    }
}

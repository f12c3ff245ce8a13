//! `layers`: measures the nodes of a model one by one, each extracted as a separate model.

use std::fmt::{self, Display};
use std::path::{Path, PathBuf};
use std::process::Command;

use arenite_model::{Model, ModelBuffer};
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::csv;
use crate::definitions::{Places, Subject};
use crate::failure::{Failure, Result};
use crate::machine::Machine;
use crate::measure::Lineup;
use crate::options::Options;
use crate::peak::Peak;
use crate::report::{Case, Score};
use crate::table::{Table, digits};
use crate::work::{self, Unit};

#[derive(Args)]
pub(crate) struct Arguments {
    /// The model, a .tflite file
    model: PathBuf,

    /// Only nodes whose op name contains one of these
    #[arg(long, value_name = "OP", value_delimiter = ',')]
    op: Vec<String>,

    #[command(flatten)]
    options: Options,
}

/// The default seconds per contender.
const SECONDS: f64 = 0.3;

/// A kind of node as reported by `cut.py`.
#[derive(Debug, Deserialize)]
struct Cut {
    file: PathBuf,
    op: String,
    output: String,
    count: usize,
}

/// A kind of node and its measurements.
#[derive(Debug, Serialize)]
pub(crate) struct Layer {
    /// Its index among the model's kinds of nodes.
    pub index: usize,
    pub op: String,
    /// The name of the first such node's output.
    pub output: String,
    /// The number of such nodes in the model.
    pub count: usize,
    /// `112×112×32 by 3×3 → 112×112×64`.
    pub shapes: String,
    pub case: Case,
}

#[derive(Debug, Serialize)]
pub(crate) struct LayerReport {
    pub machine: Machine,
    pub peaks: Vec<Peak>,
    pub model: String,
    pub kind: String,
    pub layers: Vec<Layer>,
    #[serde(skip)]
    pub contenders: Vec<String>,
}

/// Runs the command.
pub(crate) fn layers(arguments: &Arguments) -> Result<()> {
    let options = &arguments.options;
    let places = options.places()?;
    let definitions = options.definitions()?;
    let contenders = options.contenders(&definitions)?;
    let threads = options.threads(&definitions);
    let subject = Subject::from_path(&arguments.model);
    let folder = tempfile::tempdir().map_err(|error| Failure::with("temporary folder", error))?;
    let mut cuts = cut(&places, &arguments.model, folder.path())?;
    let wanted =
        |op: &str| arguments.op.is_empty() || arguments.op.iter().any(|part| op.contains(part.as_str()));
    cuts.retain(|cut| wanted(&cut.op));
    let mut report = LayerReport {
        machine: options.machine(),
        peaks: threads.iter().map(|&threads| Peak::measure(threads)).collect(),
        model: subject.model,
        kind: subject.kind,
        layers: Vec::new(),
        contenders: contenders.iter().map(|contender| contender.name.clone()).collect(),
    };
    let effort = options.effort(SECONDS, 0);
    let mut lineup = Lineup::new(&contenders, &places);
    for &threads in &threads {
        for (index, cut) in cuts.iter().enumerate() {
            match measure(&mut lineup, cut, index, threads, &effort) {
                Ok(layer) => {
                    eprintln!("{}", layer.case.line(&report.contenders));
                    report.layers.push(layer);
                    report.peaks.iter_mut().for_each(Peak::look_again);
                }
                Err(failure) => eprintln!("{} '{}': {failure}", cut.op, cut.output),
            }
        }
    }
    options.print(&report)?;
    if options.record {
        let path = csv::record_layers(&report, &places.bench.join("results"))?;
        eprintln!("written: {}", path.display());
    }
    Ok(())
}

fn cut(places: &Places, model: &Path, folder: &Path) -> Result<Vec<Cut>> {
    let script = places.bench.join("cut.py");
    let run = Command::new(&places.python).arg(&script).arg(model).arg(folder).output();
    let run = run.map_err(|error| Failure::with(places.python.display(), error))?;
    if !run.status.success() {
        let text = String::from_utf8_lossy(&run.stderr);
        return Err(Failure::with(script.display(), text.lines().last().unwrap_or("failed")));
    }
    let index = folder.join("index.json");
    let text = std::fs::read_to_string(&index).map_err(|error| Failure::with(index.display(), error))?;
    serde_json::from_str(&text).map_err(|error| Failure::with(index.display(), error))
}

fn measure(
    lineup: &mut Lineup<'_>,
    cut: &Cut,
    index: usize,
    threads: usize,
    effort: &crate::measure::Effort,
) -> Result<Layer> {
    let file = ModelBuffer::from_file(&cut.file).map_err(|error| Failure::with(&cut.op, error))?;
    let works = work::of_model(&file.model());
    let kind = match works.iter().any(|work| work.operations > 0 && work.unit == Unit::Int8) {
        true => "i8",
        false => "f32",
    };
    let shapes = shapes(&file.model(), &cut.op);
    let model = format!("{} {shapes}", cut.op);
    let subject = Subject { model, kind: kind.to_owned(), file: cut.file.clone() };
    let case = lineup.measure(&subject, threads, effort)?;
    Ok(Layer { index, op: cut.op.clone(), output: cut.output.clone(), count: cut.count, shapes, case })
}

/// The first input, the window and the output: enough to identify a layer.
fn shapes(model: &Model<'_>, op: &str) -> String {
    let last = model.subgraph(0).and_then(|graph| Some((graph, graph.operators().iter().next_back()?)));
    let Some((graph, operator)) = last else { return String::new() };
    let dims = |index: Option<i32>| -> Vec<i32> {
        let tensor = index.and_then(|index| graph.tensors().get(usize::try_from(index).ok()?));
        tensor.map_or(Vec::new(), |tensor| tensor.shape().iter().collect())
    };
    let text = |dims: &[i32]| match dims {
        [1, rest @ ..] if !rest.is_empty() => join(rest),
        all => join(all),
    };
    let input = dims(operator.inputs().get(usize::from(op == "TRANSPOSE_CONV") * 2));
    let second = dims(operator.inputs().get(1));
    let window = match (op, second.as_slice()) {
        ("CONV_2D" | "DEPTHWISE_CONV_2D" | "TRANSPOSE_CONV", [_, height, width, _]) => {
            format!(" by {height}×{width}")
        }
        ("BATCH_MATMUL" | "ADD" | "MUL" | "SUB", second) if !second.is_empty() => {
            format!(" and {}", text(second))
        }
        _ => String::new(),
    };
    format!("{}{window} → {}", text(&input), text(&dims(operator.outputs().get(0))))
}

fn join(dims: &[i32]) -> String {
    dims.iter().map(i32::to_string).collect::<Vec<_>>().join("×")
}

impl Layer {
    /// Microseconds of all such nodes of the model together.
    fn all_us(&self, contender: &str) -> Option<f64> {
        Some(self.case.score(contender)?.min_ms? * 1e3 * self.count as f64)
    }
}

impl Display for LayerReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} {}: {}, {} cores",
            self.model, self.kind, self.machine.processor, self.machine.cores
        )?;
        for peak in &self.peaks {
            writeln!(f, "{peak}")?;
            writeln!(f, "\ntimes: best of one such node, µs; ratio: best peer / {}\n", self.first())?;
            self.table(peak).fmt(f)?;
            writeln!(f)?;
        }
        for layer in &self.layers {
            for score in &layer.case.scores {
                for text in score.failure.iter().chain(&score.disagreement) {
                    writeln!(f, "{} {}: {text}", layer.op, layer.shapes)?;
                }
            }
        }
        Ok(())
    }
}

impl LayerReport {
    fn first(&self) -> &str {
        self.contenders.first().map_or("", String::as_str)
    }

    fn table(&self, peak: &Peak) -> Table {
        let heads =
            ["op", "shapes", "n"].into_iter().map(str::to_owned).chain(self.contenders.iter().cloned());
        let rest = ["ratio", "MOP", "G/s", "% of peak", "peer's %", "differs by"];
        let mut table = Table::new(2, heads.chain(rest.map(str::to_owned)));
        let layers: Vec<&Layer> =
            self.layers.iter().filter(|layer| layer.case.threads == peak.threads).collect();
        let or_dash = |value: Option<f64>| value.map_or("–".to_owned(), digits);
        for layer in &layers {
            let case = &layer.case;
            let own = case.score(self.first());
            let percent = |score: Option<&Score>| {
                or_dash(score.and_then(|score| case.percent_of_peak(score, std::slice::from_ref(peak))))
            };
            let time = |name: &String| or_dash(case.score(name).and_then(|score| Some(score.min_ms? * 1e3)));
            let operations = case.operations.filter(|&count| count > 0);
            let cells = [
                or_dash(case.ratio(&self.contenders).map(|ratio| ratio.of_minima)),
                or_dash(operations.map(|count| count as f64 / 1e6)),
                or_dash(own.and_then(|own| case.rate(own))),
                percent(own),
                percent(case.best_peer(&self.contenders)),
                own.and_then(|own| own.difference).map_or("–".to_owned(), |difference| difference.short()),
            ];
            let title = [layer.op.clone(), layer.shapes.clone(), layer.count.to_string()];
            table.row(title.into_iter().chain(self.contenders.iter().map(time)).chain(cells));
        }
        let sum = |name: &String| or_dash(layers.iter().map(|layer| layer.all_us(name)).sum());
        let nodes: usize = layers.iter().map(|layer| layer.count).sum();
        let title =
            ["all, weighted by their count in the model".to_owned(), String::new(), nodes.to_string()];
        table.row(title.into_iter().chain(self.contenders.iter().map(sum)));
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::{case, report};
    use arenite_model::tensor_type;
    use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor};

    #[test]
    fn a_layer_is_identified_by_its_shapes() {
        let mut model = ModelBuilder::new();
        let code = model.builtin("CONV_2D", 1);
        let mut graph = SubGraph::new("main");
        let float = tensor_type::FLOAT32;
        let x = graph.input(Tensor::new("x", float, &[1, 9, 8, 3]));
        let w = graph.input(Tensor::new("w", float, &[4, 3, 2, 3]));
        let y = graph.output(Tensor::new("y", float, &[1, 5, 4, 4]));
        graph.operator(Operator::new(code, &[x, w], &[y]));
        model.subgraph(graph);
        let bytes = model.finish();
        let model = Model::new(&bytes).unwrap();
        assert_eq!(shapes(&model, "CONV_2D"), "9×8×3 by 3×2 → 5×4×4");
        assert_eq!(shapes(&model, "RELU"), "9×8×3 → 5×4×4");
    }

    #[test]
    fn nodes_count_as_often_as_they_occur() {
        let whole = report();
        let layer = |count| Layer {
            index: 0,
            op: "CONV_2D".into(),
            output: "y".into(),
            count,
            shapes: "s".into(),
            case: case("f32", 1.0, 2.0),
        };
        let report = LayerReport {
            contenders: whole.contenders(),
            machine: whole.machine,
            peaks: whole.peaks,
            model: "net".into(),
            kind: "f32".into(),
            layers: vec![layer(2), layer(3)],
        };
        let text = report.to_string();
        let words = |start: &str| {
            let line = text.lines().find(|line| line.starts_with(start)).unwrap();
            line.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(words("CONV_2D"), "CONV_2D s 2 1000 2000 – 2.00 4.00 4.00 20.0 10.0 –");
        assert_eq!(words("all"), "all, weighted by their count in the model 5 5000 10000 –");
    }
}

//! `arenite compare`: runs a model in two ways on the same inputs, or against values of another runtime, and finds the
//! first tensor that differs.

pub(crate) mod comparison;
pub(crate) mod dumps;
pub(crate) mod narrow;
pub(crate) mod recording;
mod show;
pub(crate) mod verdict;

use std::path::PathBuf;
use std::sync::Arc;

use arenite::config::{DelegateConfig, PlannerConfig};
use arenite::{Config, ElementType, Interpreter, Model, NO_DELEGATE, Registry};
use clap::Args;
use serde::Serialize;

use crate::answer::{Answer, Failure, Result};
use crate::inputs::{self, InputOptions, InputReport, note_random};
use crate::limits;
use crate::options::{Choice, Common, choose, load_model};
use crate::picture::{self, PictureOptions};
use crate::readings::ReadingOptions;
use crate::session::Session;
use comparison::{Comparison, Expected};
use recording::Recording;
use verdict::ComparedTensor;

const NOTES: &str = "\
Sides:
  --delegate A --delegate B   compares the two; 'none' means the reference ops
  --delegate B                compares B with the reference ops
  no --delegate               compares the default delegate with the reference ops
  --against-planner P         compares two planners: the usual one, and P
  --dumps DIR                 compares with files of another runtime: N.npy for tensor N, NAME.npy
                              for a tensor's name, out_K.npy for output K
Each node's outputs are compared right after it ran, in execution order and as real numbers: stored
values times the tensor's own scale. Two values agree if they differ by at most the tolerance times
the largest value of the tensor, or by one step of its scale. The exit status is 1 if a tensor
differs by more.
A delegate's partition is one step, and tensors inside it do not exist. If a difference arises
there, the model runs again with these tensors kept, and the first one that differs is shown. If
none does, the difference comes from nodes that the delegate computes as one: the report names the
tensor between them.";

#[derive(Args)]
#[command(after_help = format!("{NOTES}\n\n{}\n\n{}", inputs::RULE, picture::rule()))]
pub(crate) struct Arguments {
    /// The model, a .tflite file
    model: PathBuf,

    /// Compare with the values in this folder instead of another run
    #[arg(long, value_name = "DIR", conflicts_with = "against_planner")]
    dumps: Option<PathBuf>,

    /// Compare the planner of the settings with this one
    #[arg(long, value_name = "NAME")]
    against_planner: Option<String>,

    /// The largest difference that counts as equal, as a share of the largest value of the tensor
    #[arg(long, value_name = "T", default_value_t = 1e-3, value_parser = parse_tolerance)]
    tolerance: f64,

    /// Write every tensor that the second side computed to DIR/N.npy, where N is the tensor's index
    #[arg(long, value_name = "DIR")]
    write_dumps: Option<PathBuf>,

    #[command(flatten)]
    picture: PictureOptions,

    #[command(flatten)]
    inputs: InputOptions,

    #[command(flatten)]
    pub common: Common,
}

fn parse_tolerance(text: &str) -> Result<f64, String> {
    let value = text.parse::<f64>().ok().filter(|tolerance| (0.0..=1.0).contains(tolerance));
    value.ok_or_else(|| "expected a number from 0 to 1".into())
}

/// The result of the command.
#[derive(Serialize)]
struct Report {
    model: PathBuf,
    /// The two sides: a delegate, a planner or a folder each.
    sides: [String; 2],
    tolerance: f64,
    inputs: Vec<InputReport>,
    #[serde(flatten)]
    comparison: Comparison,
    /// Files in the folder that belong to no tensor.
    unused: Vec<String>,
    error: Option<String>,
}

/// Settings of one side.
struct Side {
    name: String,
    config: Config,
}

/// Runs the command.
pub(crate) fn compare(arguments: &Arguments) -> Result<Answer> {
    let config = arguments.common.settings()?;
    let model = load_model(&arguments.model)?;
    limits::limit_heap(&config, arguments.common.json, &[]);
    let registry = Arc::new(Registry::discover(&config)?);
    let [first, second] = sides(arguments, &config)?;
    let case = Case { arguments, model: &model, registry: &registry };
    let main = model.view().subgraph(0).ok_or_else(|| Failure::new("the model has no subgraph"))?;
    let (mut unused, mut inputs) = (Vec::new(), None);
    let mut record_first = |kept: &[usize]| Ok(case.record(&first, kept)?.0);
    let expected = match &arguments.dumps {
        Some(dir) => Expected::Values(dumps::read(dir, &main, &mut unused)?),
        None => Expected::Run(&mut record_first),
    };
    let mut record_second = |kept: &[usize]| {
        let (got, reports) = case.record(&second, kept)?;
        if inputs.is_none() {
            note_random(&reports);
            inputs = Some(reports);
            if let Some(dir) = &arguments.write_dumps {
                dumps::write(dir, &got)?;
            }
        }
        Ok(got)
    };
    let comparison = Comparison::of(&main, expected, &mut record_second, arguments.tolerance)?;
    let mut report = Report {
        model: arguments.model.clone(),
        sides: [first.name.clone(), second.name.clone()],
        tolerance: arguments.tolerance,
        inputs: inputs.unwrap_or_default(),
        comparison,
        unused,
        error: None,
    };
    match report.failure() {
        None => Answer::new(&report, arguments.common.json),
        Some(failure) => Answer::failed(&report, arguments.common.json, failure),
    }
}

impl Report {
    /// The first difference as an error, if there is one.
    fn failure(&mut self) -> Option<Failure> {
        let ComparedTensor { tensor, name, .. } = self.comparison.first_difference()?;
        let (name, [a, b]) = (crate::text::shorten(name, 60), &self.sides);
        let failure = Failure::new(format!("{a} and {b} differ first at tensor {tensor} '{name}'"));
        self.error = Some(failure.to_string());
        Some(failure)
    }
}

/// The two sides, the reference first.
fn sides(arguments: &Arguments, config: &Config) -> Result<[Side; 2]> {
    let chosen = &arguments.common.delegate;
    let named = |choice: &Choice| {
        let mut config = config.clone();
        config.delegates = vec![choose(choice, &config.delegates)];
        Side { name: side_name(choice.name()), config }
    };
    let none = || {
        let mut config = config.clone();
        config.delegates = vec![DelegateConfig::new(NO_DELEGATE)];
        Side { name: side_name(NO_DELEGATE), config }
    };
    let usual = || {
        let names: Vec<&str> = config.delegates.iter().map(|delegate| delegate.name.as_str()).collect();
        let name = if names.is_empty() { "the default delegate".to_owned() } else { names.join(" and ") };
        Side { name, config: config.clone() }
    };
    if let Some(dir) = &arguments.dumps {
        return Ok([Side { name: dir.display().to_string(), config: config.clone() }, usual()]);
    }
    if let Some(planner) = &arguments.against_planner {
        let mut other = config.clone();
        other.planner = Some(PlannerConfig::new(planner.as_str()));
        let usual = config.planner.as_ref().map_or(arenite::DEFAULT_PLANNER, |planner| &planner.name);
        let side = |planner: &str, config: Config| Side { name: format!("planner {planner}"), config };
        return Ok([side(usual, config.clone()), side(planner, other)]);
    }
    match &chosen[..] {
        [] => Ok([none(), usual()]),
        [only] if only.name() == NO_DELEGATE => Err(Failure::new(
            "--delegate none would be compared with itself; name another delegate too: --delegate none --delegate cpu",
        )),
        [only] => Ok([none(), named(only)]),
        [first, second] => Ok([named(first), named(second)]),
        more => Err(Failure::new(format!("--delegate is given {} times; two can be compared", more.len()))),
    }
}

fn side_name(delegate: &str) -> String {
    if delegate == NO_DELEGATE { "the reference ops".to_owned() } else { format!("delegate {delegate}") }
}

/// The model and its inputs.
struct Case<'a> {
    arguments: &'a Arguments,
    model: &'a Model,
    registry: &'a Arc<Registry>,
}

impl Case<'_> {
    /// Runs the model once, and records the tensors that nodes of the main subgraph write. The tensors `kept` are
    /// recorded even inside a partition.
    fn record(&self, side: &Side, kept: &[usize]) -> Result<(Recording, Vec<InputReport>)> {
        let builder =
            Interpreter::builder(self.model).config(&side.config).registry(Arc::clone(self.registry));
        let interpreter = builder.expose(kept).build();
        let mut interpreter = interpreter.map_err(|error| self.arguments.common.explain(error))?;
        let context = ReadingOptions::default().context(self.model, None)?;
        let normalization = |input: usize, ty: ElementType| context.normalization(input, ty);
        let decoded = self.arguments.picture.load()?;
        let picture = decoded.as_ref().map(|picture| picture.with(&normalization));
        let mut session = Session::open(&mut interpreter, None)?;
        inputs::resize(&mut session, &self.arguments.inputs.resize)?;
        session.allocate()?;
        let sample_rate = |input: usize| context.sample_rate(input);
        let inputs = inputs::fill(&mut session, &self.arguments.inputs, picture.as_ref(), &sample_rate)?;
        Ok((Recording::of(&mut interpreter, 0)?, inputs))
    }
}

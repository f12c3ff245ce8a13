//! `arenite run`: one invocation, and what came out of it.

use std::fmt::{self, Display};
use std::path::{Path, PathBuf};
use std::time::Instant;

use arenite::{ElementType, Tensor};
use clap::Args;
use serde::Serialize;

use crate::answer::{Answer, Failure, Result};
use crate::inputs::{self, InputOptions, InputReport};
use crate::labels::{self, Ranked};
use crate::logging;
use crate::npy;
use crate::options::{Common, load_model};
use crate::picture::{self, PictureOptions};
use crate::session::Session;
use crate::text::{self, DIM, HEAD};
use arenite_common::values::{Number, Scale, element, element_count};

#[derive(Args)]
#[command(after_help = picture::RULE)]
pub struct Arguments {
    /// The model, a .tflite file
    model: PathBuf,

    #[command(flatten)]
    picture: PictureOptions,

    #[command(flatten)]
    inputs: InputOptions,

    #[command(flatten)]
    outputs: OutputOptions,

    #[command(flatten)]
    pub common: Common,
}

#[derive(Args)]
#[command(next_help_heading = "What to run and to show")]
struct OutputOptions {
    /// Run the signature with this key; inputs and outputs then have its names
    #[arg(long, value_name = "KEY")]
    signature: Option<String>,

    /// Show the best classes, with names: line n of the file, from 0, names class n
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,

    /// How many of the best classes to show
    #[arg(long, value_name = "N", default_value_t = 5, requires = "labels")]
    top: usize,

    /// How many values of each output to show
    #[arg(long, value_name = "N", default_value_t = 8)]
    values: usize,

    /// Write each output K to DIR/out_K.npy, one of strings to DIR/out_K.json
    #[arg(long, value_name = "DIR")]
    output_dir: Option<PathBuf>,
}

#[derive(Serialize)]
struct Report {
    model: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
    inputs: Vec<InputReport>,
    invoke_ms: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    top: Option<Vec<Ranked>>,
    #[serde(skip)]
    probabilities: bool,
    outputs: Vec<OutputReport>,
}

#[derive(Serialize)]
struct OutputReport {
    index: usize,
    name: String,
    #[serde(rename = "type")]
    ty: &'static str,
    shape: Vec<i32>,
    scale: Option<f32>,
    zero_point: Option<i64>,
    /// Number of elements.
    count: usize,
    /// Smallest and largest stored value, not-a-number left out.
    min: Option<Number>,
    max: Option<Number>,
    nan: usize,
    /// The first stored values.
    values: Vec<Number>,
    /// The same as real numbers, if the tensor is quantized.
    #[serde(skip_serializing_if = "Option::is_none")]
    real_values: Option<Vec<f32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    strings: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<PathBuf>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Answer> {
    let options = &arguments.outputs;
    let model = load_model(&arguments.model)?;
    let names = options.labels.as_deref().map(labels::read).transpose()?;
    let picture = arguments.picture.load()?;
    let mut interpreter = arguments.common.interpreter(&model)?;
    let mut session = Session::open(&mut interpreter, options.signature.as_deref())?;
    inputs::resize(&mut session, &arguments.inputs.resize)?;
    session.allocate()?;
    let inputs = inputs::fill(&mut session, &arguments.inputs, picture.as_ref())?;
    for input in inputs.iter().filter(|input| input.source.starts_with("random")) {
        let InputReport { index, name, ty, shape, source } = input;
        let shape = text::shape(shape);
        logging::note(format_args!(
            "input {index} '{name}' ({ty} {shape}) is {source}; --input and --image fill it"
        ));
    }
    let start = Instant::now();
    session.invoke()?;
    let invoke_ms = start.elapsed().as_secs_f64() * 1e3;
    let ranking = match &names {
        Some(names) => Some(rank(&session, names, options.top)?),
        None => None,
    };
    if let (Some(path), Some(names), Some(ranking)) = (&options.labels, &names, &ranking)
        && names.len() != ranking.classes
    {
        let (path, names, classes) = (path.display(), names.len(), ranking.classes);
        logging::note(format_args!(
            "{path} names {names} classes, the model has {classes}: names may be those of other classes"
        ));
    }
    if let Some(dir) = &options.output_dir {
        std::fs::create_dir_all(dir).map_err(|e| Failure::with(dir.display(), e))?;
    }
    let outputs =
        (0..session.outputs().len()).map(|i| output(&session, i, options)).collect::<Result<_>>()?;
    let report = Report {
        model: arguments.model.clone(),
        signature: options.signature.clone(),
        inputs,
        invoke_ms,
        probabilities: ranking.as_ref().is_some_and(|r| r.probabilities),
        top: ranking.map(|r| r.top),
        outputs,
    };
    Answer::new(&report, arguments.common.json)
}

/// Ranks the first output that has one score per class.
fn rank(session: &Session<'_>, names: &[String], count: usize) -> Result<labels::Ranking> {
    for i in 0..session.outputs().len() {
        let tensor = session.output(i)?;
        if labels::is_scores(&tensor) {
            return labels::rank(&tensor, names, count);
        }
    }
    if session.outputs().is_empty() {
        return Err(Failure::new("the model has no output, as --labels needs"));
    }
    labels::rank(&session.output(0)?, names, count)
}

fn output(session: &Session<'_>, index: usize, options: &OutputOptions) -> Result<OutputReport> {
    let tensor = session.output(index)?;
    let name = session.outputs().get(index).cloned().unwrap_or_default();
    let file = match &options.output_dir {
        Some(dir) => Some(write(dir, index, &tensor)?),
        None => None,
    };
    let strings = match tensor.ty {
        ElementType::String => Some(strings(&tensor)?),
        _ => None,
    };
    let has_values = !matches!(tensor.ty, ElementType::String | ElementType::Resource | ElementType::Variant);
    let bytes = if has_values { tensor.bytes()? } else { &[] };
    let count = element_count(tensor.shape);
    let all = || (0..count).map_while(|i| element(tensor.ty, bytes, i));
    let values: Vec<Number> = all().take(options.values).collect();
    let real = |scale: Scale<'_>| {
        let reals = values.iter().enumerate().map(|(i, v)| v.real().map(|stored| scale.real(i, stored)));
        reals.flatten().map(|value| value as f32).collect::<Vec<f32>>()
    };
    let ordered = || all().filter_map(|n| n.real().filter(|r| !r.is_nan()).map(|real| (real, n)));
    let is_quantized = tensor.ty.is_quantizable();
    Ok(OutputReport {
        index,
        name,
        ty: tensor.ty.name(),
        shape: tensor.shape.to_vec(),
        scale: tensor.scales.first().copied(),
        zero_point: tensor.zero_points.first().copied().filter(|_| !tensor.scales.is_empty()),
        count,
        min: ordered().min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, n)| n),
        max: ordered().max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, n)| n),
        nan: all().filter(|n| n.real().is_some_and(f64::is_nan)).count(),
        real_values: Scale::of(&tensor).filter(|_| is_quantized).map(real),
        values,
        strings: strings.map(|all| all.into_iter().take(options.values).collect()),
        file,
    })
}

fn strings(tensor: &Tensor<'_>) -> Result<Vec<String>> {
    Ok(tensor.strings()?.into_iter().map(|s| String::from_utf8_lossy(s).into_owned()).collect())
}

fn write(dir: &Path, index: usize, tensor: &Tensor<'_>) -> Result<PathBuf> {
    if tensor.ty != ElementType::String {
        let path = dir.join(format!("out_{index}.npy"));
        npy::write(&path, tensor)?;
        return Ok(path);
    }
    let path = dir.join(format!("out_{index}.json"));
    let text = serde_json::to_string(&strings(tensor)?).map_err(|e| Failure::with(path.display(), e))?;
    std::fs::write(&path, text).map_err(|e| Failure::with(path.display(), e))?;
    Ok(path)
}

impl Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.top {
            Some(top) => top.iter().try_for_each(|ranked| show_ranked(f, ranked, self.probabilities))?,
            None => self.outputs.iter().try_for_each(|output| output.fmt(f))?,
        }
        for (output, file) in self.outputs.iter().filter_map(|o| Some((o, o.file.as_ref()?))) {
            writeln!(f, "{DIM}output {} written to {}{DIM:#}", output.index, file.display())?;
        }
        Ok(())
    }
}

fn show_ranked(f: &mut fmt::Formatter<'_>, ranked: &Ranked, probabilities: bool) -> fmt::Result {
    let Ranked { index, label, confidence } = ranked;
    let shown =
        if probabilities { format!("{:.1} %", confidence * 100.0) } else { format!("{confidence:.4}") };
    writeln!(f, "{shown:>8}  {HEAD}{}{HEAD:#}  {DIM}(class {index}){DIM:#}", text::Visible(label))
}

impl Display for OutputReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = text::shorten(&self.name, 60);
        write!(f, "{HEAD}output {} '{name}'{HEAD:#}  {} {}", self.index, self.ty, text::shape(&self.shape))?;
        if let (Some(scale), Some(zero_point)) = (self.scale, self.zero_point) {
            write!(f, "  scale {scale} zero point {zero_point}")?;
        }
        writeln!(f)?;
        if let (Some(min), Some(max)) = (&self.min, &self.max) {
            write!(f, "  min {min}  max {max}")?;
            if self.nan > 0 {
                write!(f, "  not a number {}", self.nan)?;
            }
            writeln!(f)?;
        }
        let rest = if self.count > self.values.len() { " …" } else { "" };
        if !self.values.is_empty() {
            writeln!(f, "  values  {}{rest}", text::join(&self.values, " "))?;
        }
        if let Some(reals) = self.real_values.as_ref().filter(|r| !r.is_empty()) {
            let reals: Vec<Number> = reals.iter().map(|&real| Number::Float(real)).collect();
            writeln!(f, "  real    {}{rest}", text::join(&reals, " "))?;
        }
        for string in self.strings.iter().flatten() {
            writeln!(f, "  {string:?}")?;
        }
        Ok(())
    }
}

//! `serve`: arenite as a contender.
//!
//! Unsafe code: model files are mapped.

use std::io::{self, BufRead, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arenite::config::{DelegateConfig, MAX_THREADS, PlannerConfig};
use arenite::{Config, Interpreter, Model, Registry};
use clap::Args;
use serde::Serialize;

use crate::failure::{Failure, Result};
use crate::machine;
use crate::protocol::{Hello, Opened, Output, Outputs, Refused, Request, Resized, Stage, Times};
use crate::stopwatch::Stopwatch;

/// The settings of arenite.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "arenite")]
pub(crate) struct Setup {
    /// Read plugins, planner and delegates from this arenite.toml
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Run nodes on this delegate (repeatable)
    #[arg(long, value_name = "NAME[:KEY=VALUE,…]")]
    pub delegate: Vec<Choice>,

    /// Plan memory with this planner
    #[arg(long, value_name = "NAME[:KEY=VALUE,…]")]
    pub planner: Option<Choice>,

    /// Read model files into memory instead of mapping them, as LiteRT and OpenVINO do
    #[arg(long)]
    pub read: bool,
}

/// A planner or a delegate, with options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    name: String,
    options: Vec<(String, String)>,
    text: String,
}

impl FromStr for Choice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let option = |pair: &str| match pair.split_once('=') {
            Some((key, value)) => Ok((key.to_owned(), value.to_owned())),
            None => Err(format!("'{pair}' is not KEY=VALUE")),
        };
        let options =
            rest.split(',').filter(|pair| !pair.is_empty()).map(option).collect::<Result<_, _>>()?;
        Ok(Choice { name: name.to_owned(), options, text: text.to_owned() })
    }
}

impl Setup {
    /// The arguments for the same settings.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let config = self.config.iter().map(|path| ("--config", path.display().to_string()));
        let delegates = self.delegate.iter().map(|choice| ("--delegate", choice.text.clone()));
        let planner = self.planner.iter().map(|choice| ("--planner", choice.text.clone()));
        let pairs = config.chain(delegates).chain(planner).flat_map(|(key, value)| [key.to_owned(), value]);
        pairs.chain(self.read.then(|| "--read".to_owned())).collect()
    }

    /// The configuration for the runtime.
    fn settings(&self, threads: usize) -> Result<Config> {
        let mut config = match &self.config {
            Some(path) => Config::from_file(path).map_err(|error| Failure::with(path.display(), error))?,
            None => Config::default(),
        };
        config.threads = NonZeroUsize::new(threads.min(MAX_THREADS));
        if let Some(planner) = &self.planner {
            let mut chosen = PlannerConfig::new(planner.name.as_str());
            chosen.options = planner.options.clone();
            config.planner = Some(chosen);
        }
        if !self.delegate.is_empty() {
            let delegate = |choice: &Choice| {
                let mut chosen = DelegateConfig::new(choice.name.as_str());
                chosen.options = choice.options.clone();
                chosen
            };
            config.delegates = self.delegate.iter().map(delegate).collect();
        }
        Ok(config)
    }

    /// An interpreter that is ready to run.
    pub(crate) fn interpreter(&self, model: &Path, threads: usize) -> Result<Interpreter> {
        let mut interpreter = self.load(model, threads)?;
        interpreter.allocate()?;
        Ok(interpreter)
    }

    /// An interpreter that is not allocated.
    pub(crate) fn load(&self, model: &Path, threads: usize) -> Result<Interpreter> {
        let model = if self.read {
            Model::from_file(model)?
        } else {
            // SAFETY: benchmarks measure files that exist before the run starts; no part of arenite-bench writes to a
            // model file afterwards, and tests/bench/README.md requires the same of its user.
            unsafe { Model::map_file(model) }?
        };
        let config = self.settings(threads)?;
        let registry = Arc::new(Registry::discover(&config)?);
        Ok(Interpreter::builder(&model).config(&config).registry(registry).build()?)
    }
}

/// Answers requests until stdin ends.
pub(crate) fn serve(setup: &Setup) -> Result<()> {
    let lost = |error: io::Error| Failure::with("the suite", error);
    let mut out = io::stdout().lock();
    let mut say = |line: &str| writeln!(out, "{line}").and_then(|()| out.flush()).map_err(lost);
    say(&json(&Hello { name: "arenite".into(), version: env!("CARGO_PKG_VERSION").into() })?)?;
    let mut opened = None;
    for line in io::stdin().lock().lines() {
        let line = line.map_err(lost)?;
        let request = serde_json::from_str(&line).map_err(|error| Failure::with("request", error));
        let reply = request.and_then(|request| answer(setup, &mut opened, request));
        say(&reply.or_else(|failure| json(&Refused { error: failure.to_string() }))?)?;
    }
    Ok(())
}

fn answer(setup: &Setup, opened: &mut Option<Interpreter>, request: Request) -> Result<String> {
    if let Request::Open { model, threads, inputs } = request {
        let (interpreter, times) = open(setup, &model, threads, &inputs)?;
        *opened = Some(interpreter);
        return json(&times);
    }
    if let Request::Resize { model, threads, inputs, shapes } = request {
        *opened = None;
        return json(&resize(setup, &model, threads, &inputs, &shapes)?);
    }
    let interpreter = opened.as_mut().ok_or_else(|| Failure::new("no model has been opened"))?;
    match request {
        Request::Run { for_ns, batch } => json(&run(interpreter, Duration::from_nanos(for_ns), batch)?),
        Request::Outputs { folder } => json(&outputs(interpreter, &folder)?),
        Request::Memory {} | Request::Open { .. } | Request::Resize { .. } => json(&machine::memory()),
    }
}

fn open(setup: &Setup, model: &Path, threads: usize, inputs: &[PathBuf]) -> Result<(Interpreter, Opened)> {
    let data = read(inputs)?;
    let before = machine::memory();
    let start = Instant::now();
    let mut interpreter = setup.interpreter(model, threads)?;
    let load_ns = start.elapsed().as_nanos() as u64;
    fill(&mut interpreter, &data)?;
    let start = Instant::now();
    interpreter.invoke()?;
    let first_ns = start.elapsed().as_nanos() as u64;
    Ok((interpreter, Opened { load_ns, first_ns, before }))
}

fn read(files: &[PathBuf]) -> Result<Vec<Vec<u8>>> {
    let read = |path: &PathBuf| std::fs::read(path).map_err(|error| Failure::with(path.display(), error));
    files.iter().map(read).collect()
}

/// Copies bytes to the inputs.
pub(crate) fn fill(interpreter: &mut Interpreter, data: &[Vec<u8>]) -> Result<()> {
    for (i, bytes) in data.iter().enumerate() {
        interpreter.input_mut(i)?.copy_from_bytes(bytes)?;
    }
    Ok(())
}

fn resize(
    setup: &Setup,
    model: &Path,
    threads: usize,
    inputs: &[PathBuf],
    shapes: &[Vec<i32>],
) -> Result<Resized> {
    let data = read(inputs)?;
    let mut watch = Stopwatch::default();
    let mut interpreter = watch.time(Stage::Load, || setup.load(model, threads))?;
    let interpreter = &mut interpreter;
    watch.time(Stage::Allocate, || Ok(interpreter.allocate()?))?;
    fill(interpreter, &data)?;
    watch.time(Stage::First, || Ok(interpreter.invoke()?))?;
    watch.time_often(Stage::Run, || Ok(interpreter.invoke()?))?;
    watch.time_often(Stage::Again, || Ok(interpreter.allocate()?))?;
    let shape = |i: usize| Ok(interpreter.input(i)?.shape.to_vec());
    let own = (0..interpreter.input_count()).map(shape).collect::<Result<Vec<_>>>()?;
    watch.time_often(Stage::Same, || give_shapes(interpreter, &own))?;
    let mut there_and_back = || {
        for (stage, shapes) in [(Stage::There, shapes), (Stage::Back, &own)] {
            watch.time(stage, || give_shapes(interpreter, shapes))?;
            run_on_zeros(interpreter)?;
        }
        Ok::<_, Failure>(())
    };
    let refused = there_and_back().err().map(|failure| failure.to_string());
    Ok(Resized { ns: watch.ns, refused })
}

fn give_shapes(interpreter: &mut Interpreter, shapes: &[Vec<i32>]) -> Result<()> {
    for (i, shape) in shapes.iter().enumerate() {
        interpreter.resize_input(i, shape)?;
    }
    Ok(interpreter.allocate()?)
}

/// Zeros are valid for every input, including indices.
fn run_on_zeros(interpreter: &mut Interpreter) -> Result<()> {
    for i in 0..interpreter.input_count() {
        interpreter.input_mut(i)?.into_bytes()?.fill(0);
    }
    Ok(interpreter.invoke()?)
}

fn run(interpreter: &mut Interpreter, length: Duration, batch: u32) -> Result<Times> {
    let batch = batch.max(1);
    let begin = Instant::now();
    let mut ns = Vec::new();
    for round in 0.. {
        let start = Instant::now();
        for _ in 0..batch {
            interpreter.invoke()?;
        }
        let end = Instant::now();
        // The first round is not timed, because other contenders have filled the caches.
        if round > 0 {
            ns.push((end - start).as_nanos() as f64 / f64::from(batch));
        }
        if !ns.is_empty() && end - begin >= length {
            break;
        }
    }
    Ok(Times { ns })
}

fn outputs(interpreter: &Interpreter, folder: &Path) -> Result<Outputs> {
    let output = |i: usize| {
        let tensor = interpreter.output(i)?;
        let file = folder.join(format!("{i}.bin"));
        std::fs::write(&file, tensor.bytes()?).map_err(|error| Failure::with(file.display(), error))?;
        Ok(Output {
            file,
            ty: numpy_name(tensor.ty),
            shape: tensor.shape.iter().map(|&dim| dim as usize).collect(),
            scale: tensor.scales.first().copied().unwrap_or(0.0).into(),
            zero_point: tensor.zero_points.first().copied().unwrap_or(0),
        })
    };
    let outputs = (0..interpreter.output_count()).map(output).collect::<Result<_>>()?;
    Ok(Outputs { outputs })
}

/// NumPy's name of a type.
fn numpy_name(ty: arenite::ElementType) -> String {
    use arenite::ElementType::*;
    match ty {
        F32 => "float32".into(),
        F16 => "float16".into(),
        F64 => "float64".into(),
        I8 => "int8".into(),
        U8 => "uint8".into(),
        I16 => "int16".into(),
        I32 => "int32".into(),
        I64 => "int64".into(),
        Bool => "bool".into(),
        other => format!("{other:?}").to_lowercase(),
    }
}

fn json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Failure::with("reply", error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_survive_a_round_trip_through_arguments() {
        let setup = Setup {
            config: None,
            delegate: vec!["cpu:winograd=false,isa=avx2".parse().unwrap()],
            planner: Some("naive".parse().unwrap()),
            read: true,
        };
        let arguments = ["--delegate", "cpu:winograd=false,isa=avx2", "--planner", "naive", "--read"];
        assert_eq!(setup.arguments(), arguments);
        let config = setup.settings(2).unwrap();
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        assert_eq!(config.delegates[0].options, [pair("winograd", "false"), pair("isa", "avx2")]);
        assert_eq!(config.threads.map(NonZeroUsize::get), Some(2));
        assert_eq!("cpu:x".parse::<Choice>().unwrap_err(), "'x' is not KEY=VALUE");
    }
}

//! `arenite.compare` and `arenite.benchmark`, which share the code of the command line's `compare` and `bench`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use arenite::model_file::SubGraph;
use arenite::{Interpreter, MemoryUse};
use arenite_cli::comparison::{self, Comparison, Expected, Failure, Recording};
use arenite_cli::timing::{Contend, Length, Measurement, Ratio, Times, measure};
use numpy::PyUntypedArray;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use serde::Serialize;

use crate::errors::{self, Phase};
use crate::model::{Instance, NativeModel};
use crate::ports::Ports;
use crate::waiting::without_gil;

/// The side that is right: a folder of .npy files, or a model.
#[derive(FromPyObject)]
pub(crate) enum Reference<'py> {
    #[pyo3(transparent)]
    Model(PyRef<'py, NativeModel>),
    #[pyo3(transparent)]
    Folder(PathBuf),
}

/// What Python receives.
#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    comparison: Comparison,
    /// Files in the folder that belong to no tensor.
    unused: Vec<String>,
}

/// Compares the tensors of two models, or one model's tensors with files, on the same inputs. Returns JSON.
#[pyfunction]
pub(crate) fn compare<'py>(
    py: Python<'py>,
    expected: Reference<'py>,
    got: PyRef<'py, NativeModel>,
    inputs: &Bound<'py, PyTuple>,
    named: Option<&Bound<'py, PyDict>>,
    tolerance: f64,
) -> PyResult<String> {
    let mut failed = None;
    let mut unused = Vec::new();
    let graph = graph_of(py, &got)?;
    let arrays = got.arrays(inputs, named)?;
    let mut record_first = |kept: &[usize]| match &expected {
        Reference::Model(model) => {
            let arrays = model.arrays(inputs, named);
            let recording = arrays.and_then(|arrays| record(py, model, &arrays, kept));
            let renamed = recording.and_then(|recording| renamed(py, recording, model, &got));
            renamed.map_err(|error| noted(&mut failed, error))
        }
        Reference::Folder(_) => Err(Failure::new("a folder cannot run")),
    };
    let expected = match &expected {
        Reference::Folder(folder) => {
            let values = comparison::read(folder, &graph, &mut unused);
            Expected::Values(values.map_err(|failure| PyRuntimeError::new_err(failure.to_string()))?)
        }
        Reference::Model(_) => Expected::Run(&mut record_first),
    };
    let mut second_failed = None;
    let mut record_second =
        |kept: &[usize]| record(py, &got, &arrays, kept).map_err(|error| noted(&mut second_failed, error));
    let compared = Comparison::of(&graph, expected, &mut record_second, tolerance);
    let comparison = compared.map_err(|failure| {
        let raised = failed.or(second_failed);
        raised.unwrap_or_else(|| PyRuntimeError::new_err(failure.to_string()))
    })?;
    json(py, &Report { comparison, unused })
}

/// Keeps an exception, and turns it into a failure.
fn noted(place: &mut Option<PyErr>, error: PyErr) -> Failure {
    let failure = Failure::new(error.to_string());
    *place = Some(error);
    failure
}

/// Runs a model once and records its tensors.
fn record(
    py: Python<'_>,
    model: &NativeModel,
    arrays: &[Bound<'_, PyUntypedArray>],
    kept: &[usize],
) -> PyResult<Recording> {
    let subgraph = model.ports().subgraph;
    if subgraph != 0 && !kept.is_empty() {
        let message =
            format!("tensors inside a partition can be kept in subgraph 0, not in subgraph {subgraph}");
        return Err(errors::state_error(py, &message, Phase::Run));
    }
    let mut instance = model.exposing(py, kept)?;
    instance.fill(py, model.ports(), arrays, false)?;
    let mut recording = Recording::default();
    without_gil(py, &mut instance.interpreter, &instance.pace, Phase::Run, |interpreter| {
        recording = Recording::of(interpreter, subgraph)?;
        Ok(())
    })?;
    Ok(recording)
}

/// A recording of one model with the tensor numbers of another model: outputs correspond by position, other tensors by
/// name. Tensors that the other model lacks are dropped.
fn renamed(
    py: Python<'_>,
    recording: Recording,
    from: &NativeModel,
    to: &NativeModel,
) -> PyResult<Recording> {
    let is_same = from.ports().subgraph == to.ports().subgraph;
    if is_same && from.model().view().bytes() == to.model().view().bytes() {
        return Ok(recording);
    }
    let (from, to) = (graph_of(py, from)?, graph_of(py, to)?);
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    for (number, tensor) in to.tensors().iter().enumerate() {
        if let Some(name) = tensor.name() {
            numbers.insert(name.to_owned(), number);
        }
    }
    let outputs: BTreeMap<i32, i32> = from.outputs().iter().zip(to.outputs().iter()).collect();
    let number = |index: usize, name: &str| {
        let output = i32::try_from(index).ok().and_then(|index| outputs.get(&index));
        output.and_then(|&output| usize::try_from(output).ok()).or_else(|| numbers.get(name).copied())
    };
    let tensors = recording.tensors.into_iter();
    let tensors = tensors.filter_map(|(index, recorded)| Some((number(index, &recorded.name)?, recorded)));
    Ok(Recording { tensors: tensors.collect(), order: Vec::new() })
}

/// The subgraph that a model runs.
fn graph_of<'m>(py: Python<'_>, model: &'m NativeModel) -> PyResult<SubGraph<'m>> {
    let subgraph = model.ports().subgraph;
    let missing = || errors::state_error(py, &format!("the model has no subgraph {subgraph}"), Phase::Run);
    model.model().view().subgraph(subgraph).ok_or_else(missing)
}

/// A model that is measured.
struct Contender<'a> {
    instance: Instance,
    ports: &'a Ports,
    /// Loading plugins, preparing delegates and planning memory.
    init: Duration,
    first: Duration,
}

impl Contend for Contender<'_> {
    fn run(&mut self) -> comparison::Result<Duration> {
        let start = Instant::now();
        self.instance.interpreter.invoke_subgraph(self.ports.subgraph)?;
        Ok(start.elapsed())
    }
}

/// The figures of a model.
#[derive(Serialize)]
struct Figures {
    init_ms: f64,
    first_ms: f64,
    #[serde(flatten)]
    times: Times,
    /// Bytes that the interpreter uses.
    memory_bytes: u64,
    threads: usize,
    /// The time next to the first model's.
    ratio: Option<Ratio>,
}

/// How often the progress is reported.
const UPDATE: Duration = Duration::from_millis(100);

/// How much to measure.
#[derive(FromPyObject)]
pub(crate) struct Amount {
    seconds: f64,
    runs: Option<u64>,
    warmup: usize,
}

impl Amount {
    fn length(&self) -> PyResult<Length> {
        if let Some(runs) = self.runs {
            return Ok(Length::Runs(runs));
        }
        let seconds = Duration::try_from_secs_f64(self.seconds);
        seconds.map(Length::Time).map_err(|_| PyValueError::new_err("seconds must be a number from 0 on"))
    }
}

/// Measures models in turns. `progress` is called about every 100 ms with the seconds that their runs took. Returns
/// JSON.
#[pyfunction]
pub(crate) fn benchmark<'py>(
    py: Python<'py>,
    models: Vec<PyRef<'py, NativeModel>>,
    inputs: &Bound<'py, PyTuple>,
    named: Option<&Bound<'py, PyDict>>,
    amount: Amount,
    progress: Py<PyAny>,
) -> PyResult<String> {
    let length = amount.length()?;
    let ready = |model: &'_ PyRef<'py, NativeModel>| -> PyResult<(Instance, Duration)> {
        let start = Instant::now();
        let mut instance = model.exposing(py, &[])?;
        instance.fill(py, model.ports(), &model.arrays(inputs, named)?, false)?;
        Ok((instance, start.elapsed()))
    };
    let mut contenders = Vec::new();
    for model in &models {
        let (mut instance, init) = ready(model)?;
        let begin = Instant::now();
        // An error of the first run is an exception of its class.
        instance.invoke(py, model.ports())?;
        contenders.push(Contender { instance, ports: model.ports(), init, first: begin.elapsed() });
    }
    let mut update = Update { shown: Instant::now(), done: Duration::ZERO, progress, raised: None };
    let measured = py.detach(|| {
        for contender in &mut contenders {
            (0..amount.warmup).try_for_each(|_| contender.run().map(drop))?;
        }
        let mut all: Vec<&mut Contender<'_>> = contenders.iter_mut().collect();
        measure(&mut all, length, &mut |time| update.add(time))
    });
    if let Some(raised) = update.raised {
        return Err(raised);
    }
    let measured = measured.map_err(|failure| PyRuntimeError::new_err(failure.to_string()))?;
    json(py, &figures(&contenders, &measured))
}

fn figures(contenders: &[Contender<'_>], measured: &[Measurement]) -> Vec<Figures> {
    let first = measured.first().map(|first| &first.slices[..]);
    let figures = |(i, (contender, these)): (usize, (&Contender<'_>, &Measurement))| Figures {
        init_ms: contender.init.as_secs_f64() * 1e3,
        first_ms: contender.first.as_secs_f64() * 1e3,
        times: these.samples.times(),
        memory_bytes: bytes(&contender.instance.interpreter),
        threads: contender.instance.interpreter.threads(),
        ratio: first.filter(|_| i > 0).and_then(|first| Ratio::of(first, &these.slices)),
    };
    contenders.iter().zip(measured).enumerate().map(figures).collect()
}

/// Bytes of memory on the host.
fn bytes(interpreter: &Interpreter) -> u64 {
    let MemoryUse { arena, persistent, delegates, dynamic, .. } = interpreter.memory_use();
    arena + persistent + delegates + dynamic
}

/// Reports the progress of a measurement, and handles signals.
struct Update {
    shown: Instant,
    done: Duration,
    progress: Py<PyAny>,
    /// The exception of the progress function.
    raised: Option<PyErr>,
}

impl Update {
    fn add(&mut self, time: Duration) {
        self.done += time;
        if self.raised.is_none() && self.shown.elapsed() > UPDATE {
            self.shown = Instant::now();
            let seconds = self.done.as_secs_f64();
            self.raised = Python::attach(|py| self.progress.call1(py, (seconds,)).err());
        }
    }
}

fn json(py: Python<'_>, report: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(report).map_err(|error| errors::state_error(py, &error.to_string(), Phase::Run))
}

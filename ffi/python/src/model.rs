//! `arenite.Model`: a model that any number of threads can call.

use arenite::{Interpreter, Model};
use arenite_answers::{Metadata, OutputMetadata};
use arenite_pool::Pool;
use numpy::PyUntypedArray;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::deadline::Deadline;
use crate::errors::{self, Phase};
use crate::fork;
use crate::pictures::Encoded;
use crate::ports::{self, Port, Ports};
use crate::settings::{Settings, Source};
use crate::waiting::{Pace, without_gil};

/// The base class of `arenite.Model`.
#[pyclass(subclass, frozen, name = "Model", module = "arenite._native")]
pub(crate) struct NativeModel {
    model: Model,
    /// For errors.
    path: Option<String>,
    settings: Settings,
    ports: Ports,
    pool: Pool<Instance>,
}

/// An interpreter of the pool.
pub(crate) struct Instance {
    pub(crate) interpreter: Interpreter,
    is_allocated: bool,
    pub(crate) pace: Pace,
    /// Of the call that uses it.
    deadline: Option<Deadline>,
}

impl NativeModel {
    fn fresh(&self, py: Python<'_>) -> PyResult<Instance> {
        self.exposing(py, &[])
    }

    /// A new interpreter that keeps the values of these tensors of the main subgraph.
    pub(crate) fn exposing(&self, py: Python<'_>, tensors: &[usize]) -> PyResult<Instance> {
        let interpreter = built(py, &self.settings, &self.model, tensors, self.ports.subgraph)?;
        Ok(Instance {
            interpreter,
            is_allocated: false,
            pace: Pace::unknown(self.settings.has_functions()),
            deadline: None,
        })
    }

    fn described<'py>(&self, py: Python<'py>, ports: &[Port]) -> PyResult<Vec<Bound<'py, PyDict>>> {
        self.with(py, |instance| {
            let describe = |port: &Port| {
                port.described(py, &port.tensor(py, &instance.interpreter, self.ports.subgraph)?)
            };
            ports.iter().map(describe).collect()
        })
    }

    /// Calls `f` with an interpreter that no other call uses.
    fn with<R>(&self, py: Python<'_>, f: impl FnOnce(&mut Instance) -> PyResult<R>) -> PyResult<R> {
        self.pool.with(|| self.fresh(py), f).map_err(|error| self.located(py, error))
    }

    /// Adds the path of the model to an exception of `arenite.errors`.
    fn located(&self, py: Python<'_>, error: PyErr) -> PyErr {
        let value = error.value(py);
        if let (Some(path), Ok(true)) = (&self.path, value.hasattr("subgraph")) {
            // The attribute exists, so only a signal handler that raises can fail; the first exception matters more.
            let _ = value.setattr("file", path);
        }
        error
    }

    pub(crate) fn model(&self) -> &Model {
        &self.model
    }

    pub(crate) fn ports(&self) -> &Ports {
        &self.ports
    }

    /// The arguments of a call as arrays.
    pub(crate) fn arrays<'py>(
        &self,
        given: &Bound<'py, PyTuple>,
        named: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Vec<Bound<'py, PyUntypedArray>>> {
        ports::arrays(&self.ports.inputs, self.arranged(given, named)?)
    }

    /// The arguments of a call in the order of the inputs.
    fn arranged<'py>(
        &self,
        given: &Bound<'py, PyTuple>,
        named: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let inputs = &self.ports.inputs;
        let mut values: Vec<Option<Bound<'py, PyAny>>> = given.iter().map(Some).collect();
        if values.len() > inputs.len() {
            let (wanted, names) = (inputs.len(), ports::names(inputs));
            let message = format!("the model has {wanted} inputs, {} are given: {names}", values.len());
            return Err(PyTypeError::new_err(message));
        }
        values.resize(inputs.len(), None);
        for (name, value) in named.into_iter().flat_map(|named| named.iter()) {
            let name = name.cast::<PyString>()?.to_str()?;
            let place = ports::position(inputs, name).and_then(|i| values.get_mut(i));
            let Some(place) = place else {
                let names = ports::names(inputs);
                return Err(PyTypeError::new_err(format!(
                    "the model has no input '{name}'; its inputs: {names}"
                )));
            };
            if place.replace(value).is_some() {
                return Err(PyTypeError::new_err(format!("input '{name}' is given twice")));
            }
        }
        let missing = |i: usize| {
            let name = inputs.get(i).map_or("", |port| &port.name);
            PyTypeError::new_err(format!("input '{name}' is missing; the inputs: {}", ports::names(inputs)))
        };
        values.into_iter().enumerate().map(|(i, value)| value.ok_or_else(|| missing(i))).collect()
    }
}

/// An interpreter whose subgraph has tensors: any but the main one is built when it is first asked for.
fn built(
    py: Python<'_>,
    settings: &Settings,
    model: &Model,
    exposed: &[usize],
    subgraph: usize,
) -> PyResult<Interpreter> {
    let mut interpreter = settings.build(py, model, exposed)?;
    let asked = py.detach(|| fork::delay(|| interpreter.inputs_of(subgraph).map(drop)));
    asked.map_err(|error| errors::exception(py, error, Phase::Run))?;
    Ok(interpreter)
}

impl Instance {
    /// Gives the inputs the shapes of the arrays, and plans memory if a shape changed.
    fn fit(&mut self, py: Python<'_>, ports: &Ports, arrays: &[Bound<'_, PyUntypedArray>]) -> PyResult<()> {
        for (port, array) in ports.inputs.iter().zip(arrays) {
            // After a call that failed, inputs may have shapes that are not those of the tensors yet.
            let is_known = self.is_allocated;
            self.is_allocated &= !port.resize(py, &mut self.interpreter, ports.subgraph, array, is_known)?;
        }
        self.allocate(py, ports.subgraph)
    }

    /// Plans memory unless it is planned.
    fn allocate(&mut self, py: Python<'_>, subgraph: usize) -> PyResult<()> {
        if !self.is_allocated {
            self.limit_step();
            without_gil(py, &mut self.interpreter, &self.pace.preparing(), Phase::Run, |interpreter| {
                fork::delay(|| interpreter.allocate_subgraph(subgraph))
            })?;
            self.is_allocated = true;
        }
        Ok(())
    }

    /// Gives the next step the rest of the call's time.
    fn limit_step(&mut self) {
        if let Some(deadline) = &self.deadline {
            deadline.limit(&mut self.interpreter);
        }
    }

    /// Runs the model within the time that the caller allows.
    fn run_until(
        &mut self,
        py: Python<'_>,
        deadline: Option<Deadline>,
        ports: &Ports,
        arrays: &[Bound<'_, PyUntypedArray>],
        raw: bool,
    ) -> PyResult<()> {
        let Some(deadline) = deadline else { return self.run(py, ports, arrays, raw) };
        let deadline = deadline.with_quota_of(&self.interpreter);
        self.deadline = Some(deadline);
        let done = self.run(py, ports, arrays, raw);
        self.deadline = None;
        deadline.lift(&mut self.interpreter);
        done.map_err(|error| deadline.explain(py, error))
    }

    fn run(
        &mut self,
        py: Python<'_>,
        ports: &Ports,
        arrays: &[Bound<'_, PyUntypedArray>],
        raw: bool,
    ) -> PyResult<()> {
        self.fill(py, ports, arrays, raw)?;
        self.invoke(py, ports)
    }

    /// Plans memory for the shapes of the arrays, if they changed, and copies the arrays to the inputs.
    pub(crate) fn fill(
        &mut self,
        py: Python<'_>,
        ports: &Ports,
        arrays: &[Bound<'_, PyUntypedArray>],
        raw: bool,
    ) -> PyResult<()> {
        self.fit(py, ports, arrays)?;
        for (port, array) in ports.inputs.iter().zip(arrays) {
            port.set(py, &mut self.interpreter, ports.subgraph, array, raw)?;
        }
        Ok(())
    }

    /// Runs the model once, with the inputs that are set.
    pub(crate) fn invoke(&mut self, py: Python<'_>, ports: &Ports) -> PyResult<()> {
        let subgraph = ports.subgraph;
        self.limit_step();
        without_gil(py, &mut self.interpreter, &self.pace, Phase::Run, |interpreter| {
            interpreter.invoke_subgraph(subgraph)
        })
    }
}

#[pymethods]
impl NativeModel {
    #[new]
    #[pyo3(signature = (source, settings, signature, path))]
    fn new(
        py: Python<'_>,
        source: Source,
        mut settings: Settings,
        signature: Option<&str>,
        path: Option<String>,
    ) -> PyResult<Self> {
        let mut model = source.model(py)?;
        settings.retain_ops_of(&model);
        let mut interpreter = settings.build(py, &model, &[])?;
        let mut ports = Ports::of(py, &mut interpreter, signature)?;
        if let Some((rebatched, batch)) = settings.rebatched(py, &model, ports.subgraph)? {
            if !batch.resizable {
                return Err(errors::fixed_batch(py, &batch, ports.subgraph));
            }
            model = rebatched;
            interpreter = built(py, &settings, &model, &[], ports.subgraph)?;
            ports.rebatch(&interpreter, &batch, settings.wanted_batch().unwrap_or(batch.size));
        }
        let pace = Pace::unknown(settings.has_functions());
        let instance = Instance { interpreter, is_allocated: false, pace, deadline: None };
        Ok(NativeModel { model, path, settings, ports, pool: Pool::new(instance, fork::generation) })
    }

    /// Runs the model once. Returns the outputs by name.
    #[pyo3(signature = (*inputs, raw = false, timeout = None, deadline = None, **named))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        inputs: &Bound<'py, PyTuple>,
        raw: bool,
        timeout: Option<f64>,
        deadline: Option<f64>,
        named: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let deadline = Deadline::of(py, timeout, deadline)?;
        let arrays = self.arrays(inputs, named)?;
        self.with(py, |instance| {
            instance.run_until(py, deadline, &self.ports, &arrays, raw)?;
            let outputs = PyDict::new(py);
            for port in &self.ports.outputs {
                outputs
                    .set_item(&port.key, port.get(py, &instance.interpreter, self.ports.subgraph, raw)?)?;
            }
            Ok(outputs)
        })
    }

    /// What `arenite inspect --json` prints.
    fn _inspection(&self, py: Python<'_>, path: Option<std::path::PathBuf>) -> PyResult<String> {
        self.with(py, |instance| {
            instance.allocate(py, self.ports.subgraph)?;
            let report = arenite_common::inspection::Inspection::of(&instance.interpreter, path.as_deref());
            report.json().map_err(|error| errors::state_error(py, &error.to_string(), Phase::Run))
        })
    }

    /// Runs the model and returns the times of its nodes, as `arenite bench --profile --json` prints them.
    #[pyo3(signature = (runs, inputs, named))]
    fn _profile<'py>(
        &self,
        py: Python<'py>,
        runs: usize,
        inputs: &Bound<'py, PyTuple>,
        named: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<String> {
        let arrays = self.arrays(inputs, named)?;
        // Not from the pool: an interpreter that has collected times once goes on to do so.
        let mut instance = self.fresh(py)?;
        instance.run(py, &self.ports, &arrays, false)?;
        instance.interpreter.start_profile();
        for _ in 0..runs {
            instance.run(py, &self.ports, &arrays, false)?;
        }
        let profile = instance.interpreter.profile_of(self.ports.subgraph).cloned().unwrap_or_default();
        let json = arenite_common::profile::json(&arenite_common::profile::op_times(&profile));
        json.map_err(|error| errors::state_error(py, &error.to_string(), Phase::Run))
    }

    /// The inputs: name, name of the tensor, type, shape, and scale and zero point if there is one of each.
    #[getter]
    fn _input_ports<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        self.described(py, &self.ports.inputs)
    }

    /// The outputs, as `_input_ports` has them.
    #[getter]
    fn _output_ports<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        self.described(py, &self.ports.outputs)
    }

    /// The memory plan as an SVG picture.
    fn _plan_svg(&self, py: Python<'_>, name: &str) -> PyResult<Option<String>> {
        self.with(py, |instance| {
            instance.allocate(py, self.ports.subgraph)?;
            Ok(arenite_cli::drawing::svg_of(&instance.interpreter, name))
        })
    }

    /// An encoded picture as an array for an input, which is given by its name, or is the only one.
    fn _picture<'py>(
        &self,
        py: Python<'py>,
        encoded: Encoded,
        input: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let inputs = &self.ports.inputs;
        let port = match (input, &inputs[..]) {
            (Some(name), _) => ports::position(inputs, name).and_then(|i| inputs.get(i)),
            (None, [only]) => Some(only),
            (None, _) => None,
        };
        let Some(port) = port else {
            let (count, names) = (inputs.len(), ports::names(inputs));
            let message = match input {
                Some(name) => format!("the model has no input '{name}'; its inputs: {names}"),
                None => format!("the model has {count} inputs: name one of {names}"),
            };
            return Err(PyTypeError::new_err(message));
        };
        self.with(py, |instance| encoded.decoded(py, &mut instance.interpreter, &self.ports, port))
    }

    /// The names of classes in the file's metadata, a list for each output of the main subgraph.
    fn _labels(&self, py: Python<'_>) -> Vec<Vec<String>> {
        py.detach(|| {
            let Metadata { outputs, yolo, .. } = Metadata::of(&self.model);
            let names = yolo.map(|yolo| yolo.names).unwrap_or_default();
            let labels = |output: OutputMetadata| {
                let own =
                    [output.axis_labels, output.value_labels].into_iter().find(|labels| !labels.is_empty());
                own.unwrap_or_else(|| names.clone())
            };
            let mut labels: Vec<_> = outputs.into_iter().map(labels).collect();
            let count = self.model.view().subgraph(0).map_or(0, |main| main.outputs().len());
            labels.resize(count, names.clone());
            labels
        })
    }

    /// The names of the model's custom ops.
    #[getter]
    fn _custom_ops(&self) -> Vec<String> {
        let view = self.model.view();
        let codes = view.operator_codes().iter();
        codes.filter_map(|code| code.custom_code().map(str::to_owned)).collect()
    }

    /// The number of interpreters that no call uses.
    #[getter]
    fn _idle(&self) -> usize {
        self.pool.idle()
    }
}

//! The arguments with which interpreters are built.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use arenite::config::DelegateConfig;
use arenite::{Config, Interpreter, InterpreterBuilder, Model, Registry};
use arenite_common::batch::Batch;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::sync::PyOnceLock;

use crate::errors::{self, Phase};
use crate::fork;
use crate::functions::{PythonOp, PythonPlanner};

/// A model, as the caller gives it.
#[derive(FromPyObject)]
pub(crate) enum Source {
    /// The bytes of a file.
    #[pyo3(transparent)]
    Content(PyBackedBytes),
    /// A path.
    #[pyo3(transparent)]
    Path(PathBuf),
    /// The bytes of a file, and of other files with constants, by name.
    WithGroups(PyBackedBytes, HashMap<String, PyBackedBytes>),
}

impl Source {
    /// Reads and verifies the model. Bytes are not copied.
    pub(crate) fn model(self, py: Python<'_>) -> PyResult<Model> {
        let model = py.detach(|| match self {
            Source::Path(path) => Model::from_file(path),
            Source::Content(bytes) => Model::from_owner(Arc::new(bytes)),
            Source::WithGroups(bytes, groups) => {
                let source = |bytes| arenite::Source::from_owner(Arc::new(bytes));
                let groups: Vec<_> = groups.into_iter().map(|(name, bytes)| (name, source(bytes))).collect();
                let groups: Vec<_> =
                    groups.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect();
                Model::with_groups(source(bytes), &groups)
            }
        });
        model.map_err(|error| errors::exception(py, error, Phase::Access))
    }
}

/// The settings of an interpreter.
#[derive(FromPyObject)]
pub(crate) struct Settings {
    /// Names of delegates with their options.
    delegates: Vec<(String, Vec<(String, String)>)>,
    /// Whether the default delegate is omitted.
    without_default: bool,
    /// Libraries of plugins, in addition to the installed ones.
    libraries: Vec<PathBuf>,
    /// 0 is one per processor.
    threads: Option<usize>,
    planner: Option<String>,
    /// A planner that is a Python function, instead of `planner`.
    planner_function: Option<PythonPlanner>,
    /// Custom ops that are Python functions.
    ops: Vec<PythonOp>,
    preserve_all: bool,
    /// The batch size in place of the file's; −1 is any.
    batch: Option<i32>,
    /// Text in the format of `arenite.toml`.
    config: Option<String>,
}

impl Settings {
    /// Finds plugins and builds an interpreter that keeps the values of the `exposed` tensors.
    pub(crate) fn build(&self, py: Python<'_>, model: &Model, exposed: &[usize]) -> PyResult<Interpreter> {
        let folders = plugin_folders(py)?;
        let registry = self.registry(py).map_err(|error| errors::exception(py, error, Phase::Run))?;
        let build = || self.builder(model, folders, registry)?.expose(exposed).build();
        let built = py.detach(|| fork::delay(build));
        built.map_err(|error| errors::exception(py, error, Phase::Run))
    }

    /// Changes the batch size of a subgraph, if another one is set. `None` if none is set, or if the model cannot be
    /// prepared, which the first call will report.
    pub(crate) fn rebatched(
        &self,
        py: Python<'_>,
        model: &Model,
        subgraph: usize,
    ) -> PyResult<Option<(Model, Batch)>> {
        let Some(wanted) = self.batch else { return Ok(None) };
        let folders = plugin_folders(py)?;
        let mut registry = self.registry(py).map_err(|error| errors::exception(py, error, Phase::Run))?;
        let change = || {
            let config = self.config(folders)?;
            registry.add_discovered(&config)?;
            Ok(Batch::change(model, subgraph, (wanted > 0).then_some(wanted), &config, &Arc::new(registry)))
        };
        let tried = py.detach(|| fork::delay(change));
        tried.map_err(|error| errors::exception(py, error, Phase::Run))
    }

    /// The batch size that inputs have; −1 is any.
    pub(crate) fn wanted_batch(&self) -> Option<i32> {
        self.batch
    }

    /// Whether the program names delegates.
    pub(crate) fn has_delegates(&self) -> bool {
        !self.delegates.is_empty()
    }

    fn config(&self, folders: &[PathBuf]) -> arenite::Result<Config> {
        let mut config: Config = self.config.as_deref().map_or_else(|| Ok(Config::default()), str::parse)?;
        if !config.ties.is_empty() {
            let message = "the configuration has [tie], but the calls of a Model share several interpreters, each with \
                           memory of its own: use arenite.Interpreter and its tie()";
            return Err(arenite::Error::State(message.to_owned()));
        }
        config.plugins.dirs.extend_from_slice(folders);
        Ok(config)
    }

    /// Forgets ops that the model does not use.
    pub(crate) fn retain_ops_of(&mut self, model: &Model) {
        let view = model.view();
        let is_used = |op: &PythonOp| view.operator_codes().iter().any(|code| code.name() == op.name());
        self.ops.retain(is_used);
    }

    /// Whether the model calls Python functions.
    pub(crate) fn has_functions(&self) -> bool {
        !self.ops.is_empty() || self.planner_function.is_some()
    }

    /// A registry with the Python functions, which take precedence over plugins.
    fn registry(&self, py: Python<'_>) -> arenite::Result<Registry> {
        let mut registry = Registry::new();
        self.ops.iter().try_for_each(|op| op.share(py).register(&mut registry))?;
        self.planner_function.iter().try_for_each(|planner| planner.register(py, &mut registry))?;
        Ok(registry)
    }

    fn builder(
        &self,
        model: &Model,
        folders: &[PathBuf],
        mut registry: Registry,
    ) -> arenite::Result<InterpreterBuilder> {
        let config = self.config(folders)?;
        registry.add_discovered(&config)?;
        for library in &self.libraries {
            registry.load_file(library)?;
        }
        let mut builder = Interpreter::builder(model).registry(Arc::new(registry)).config(&config);
        for (name, options) in &self.delegates {
            let mut delegate = DelegateConfig::new(name);
            delegate.options = options.clone();
            builder = builder.delegate(delegate);
        }
        if self.without_default {
            builder = builder.without_default_delegate();
        }
        if let Some(threads) = self.threads {
            builder = builder.threads(threads);
        }
        let function = self.planner_function.as_ref().map(PythonPlanner::name);
        if let Some(planner) = function.or(self.planner.as_deref()) {
            builder = builder.planner(planner);
        }
        if self.preserve_all {
            // Inside partitions, too.
            let tensors = model.view().subgraph(0).map_or(0, |main| main.tensors().len());
            builder = builder.preserve_all().expose(&(0..tensors).collect::<Vec<_>>());
        }
        Ok(builder)
    }
}

/// The folders of plugins that are installed as packages. The first call looks for them.
fn plugin_folders(py: Python<'_>) -> PyResult<&'static [PathBuf]> {
    static FOLDERS: PyOnceLock<Vec<PathBuf>> = PyOnceLock::new();
    let find = |py: Python<'_>| py.import("arenite.plugins")?.call_method0("folders")?.extract();
    fork::once(py, &FOLDERS, find).map(Vec::as_slice)
}

/// The names of the delegates in a library of plugins; without one, of the installed delegates.
#[pyfunction]
#[pyo3(signature = (library = None))]
pub(crate) fn delegate_names(py: Python<'_>, library: Option<PathBuf>) -> PyResult<Vec<String>> {
    let folders = plugin_folders(py)?;
    let names = py.detach(|| {
        let Some(library) = library else {
            let mut config = Config::default();
            config.plugins.dirs.extend_from_slice(folders);
            return Ok(Registry::discover(&config)?.delegate_names());
        };
        let mut registry = Registry::new();
        registry.load_file(library)?;
        Ok(registry.delegate_names())
    });
    names.map_err(|error| errors::exception(py, error, Phase::Run))
}

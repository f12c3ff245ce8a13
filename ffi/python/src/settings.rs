//! The arguments with which interpreters are built.

use std::path::PathBuf;
use std::sync::Arc;

use arenite::config::DelegateConfig;
use arenite::{Config, Interpreter, InterpreterBuilder, Model, Registry};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::sync::PyOnceLock;

use crate::errors::{self, Phase};
use crate::fork;

/// A model, as the caller gives it.
#[derive(FromPyObject)]
pub(crate) enum Source {
    /// The bytes of a file.
    #[pyo3(transparent)]
    Content(PyBackedBytes),
    /// A path.
    #[pyo3(transparent)]
    Path(PathBuf),
}

impl Source {
    /// Reads and verifies the model. Bytes are not copied.
    pub(crate) fn model(self, py: Python<'_>) -> PyResult<Model> {
        let model = py.detach(|| match self {
            Source::Path(path) => Model::from_file(path),
            Source::Content(bytes) => Model::from_owner(Arc::new(bytes)),
        });
        model.map_err(|error| errors::exception(py, error, Phase::Access))
    }
}

/// The settings of an interpreter.
#[derive(Clone, FromPyObject)]
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
    preserve_all: bool,
    /// Text in the format of `arenite.toml`.
    config: Option<String>,
}

impl Settings {
    /// Finds plugins and builds an interpreter.
    pub(crate) fn build(&self, py: Python<'_>, model: &Model) -> PyResult<Interpreter> {
        let folders = plugin_folders(py)?;
        let built = py.detach(|| {
            let _building = fork::building();
            self.builder(model, folders)?.build()
        });
        built.map_err(|error| errors::exception(py, error, Phase::Run))
    }

    fn builder(&self, model: &Model, folders: &[PathBuf]) -> arenite::Result<InterpreterBuilder> {
        let mut config: Config = self.config.as_deref().map_or_else(|| Ok(Config::default()), str::parse)?;
        config.plugins.dirs.extend_from_slice(folders);
        let mut registry = Registry::discover(&config)?;
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
        if let Some(planner) = &self.planner {
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
    let find = || py.import("arenite.plugins")?.call_method0("folders")?.extract();
    FOLDERS.get_or_try_init(py, find).map(Vec::as_slice)
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

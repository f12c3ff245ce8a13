//! The errors of loading, preparing and running a model.

mod resource;
mod text;

pub use resource::Resource;

use std::path::PathBuf;

use arenite_abi::{ElementType, Status};

use crate::config::ConfigError;

/// The result type of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of the runtime. Its text names the op, the tensor, both values and the remedy. `Debug` writes the same
/// text, so a `main` that returns the error shows it.
#[non_exhaustive]
pub enum Error {
    /// The model file was rejected.
    Model(arenite_model::ModelError),
    /// The configuration was rejected.
    Config(ConfigError),
    /// A plugin failed to load, and none of its parts is registered.
    Plugin(LoadFailure),
    /// No plugin serves some of the model's ops.
    UnresolvedOps {
        /// The ops that no plugin serves.
        ops: Vec<UnresolvedOp>,
        /// Plugins and delegates that are missing and might serve them.
        missing: MissingPlugins,
    },
    /// An op or a delegate refused a node or failed to run it.
    Node {
        /// The op's name.
        op: String,
        /// The subgraph, and the node's position in its execution plan.
        subgraph: usize,
        /// See `subgraph`.
        node: usize,
        /// The name of the node's first output.
        output: String,
        /// The kind of failure.
        status: Status,
        /// The op's message.
        message: String,
    },
    /// Nothing has this name.
    NotFound {
        /// The kind of thing.
        what: ItemKind,
        /// The name.
        name: String,
        /// The names that exist.
        known: Vec<String>,
        /// Plugins that failed to load and might provide it.
        failures: Vec<LoadFailure>,
    },
    /// An op, planner or delegate of the program cannot be registered.
    Registration {
        /// Its kind.
        what: ItemKind,
        /// Its name.
        name: String,
        /// The reason.
        message: String,
    },
    /// A planner failed, or its plan is wrong.
    Plan {
        /// The planner's name.
        planner: String,
        /// The reason.
        message: String,
    },
    /// A delegate failed as a whole.
    Delegate {
        /// The delegate's name.
        delegate: String,
        /// The kind of failure.
        status: Status,
        /// The delegate's message.
        message: String,
    },
    /// A limit of [`Quota`](crate::Quota) would be exceeded.
    Quota {
        /// The limited resource.
        resource: Resource,
        /// The purpose for which the resource is needed.
        purpose: String,
        /// The amount needed, in [`Resource::unit`].
        needed: u64,
        /// The limit.
        limit: u64,
    },
    /// The system is out of memory.
    OutOfMemory {
        /// The number of bytes requested.
        bytes: usize,
    },
    /// The invocation was cancelled.
    Cancelled,
    /// A tensor does not fit the data or the request; for example another type or size.
    Tensor {
        /// The tensor's name.
        name: String,
        /// The reason.
        message: String,
    },
    /// The interpreter is not in the right state for the call; the text names the call that is missing.
    State(String),
    /// A file could not be read or written.
    Io(PathBuf, std::io::Error),
}

impl Error {
    /// Builds [`Error::UnresolvedOps`].
    pub(crate) fn unresolved(ops: Vec<UnresolvedOp>) -> Self {
        Error::UnresolvedOps { ops, missing: MissingPlugins::default() }
    }

    /// Builds [`Error::NotFound`] for something that plugins cannot provide.
    pub(crate) fn not_found(
        what: ItemKind,
        name: impl ToString,
        known: impl IntoIterator<Item = impl ToString>,
    ) -> Self {
        let known = known.into_iter().map(|known| known.to_string()).collect();
        Error::NotFound { what, name: name.to_string(), known, failures: Vec::new() }
    }

    /// Adds missing plugins and delegates if they may have caused the error.
    pub(crate) fn explained_by(mut self, missing: impl FnOnce() -> MissingPlugins) -> Self {
        match &mut self {
            Error::UnresolvedOps { missing: place, .. } => *place = missing(),
            Error::Node { status: Status::Unsupported, message, .. } => {
                message.push_str(&missing().to_string());
            }
            _ => {}
        }
        self
    }

    /// Builds [`Error::Quota`].
    pub(crate) fn quota(
        resource: Resource,
        purpose: impl Into<String>,
        needed: impl Into<u64>,
        limit: impl Into<u64>,
    ) -> Self {
        Error::Quota { resource, purpose: purpose.into(), needed: needed.into(), limit: limit.into() }
    }
}

/// The kinds of things with names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ItemKind {
    /// An op.
    Op,
    /// A planner of a plugin.
    Planner,
    /// A delegate of a plugin.
    Delegate,
    /// A signature of the model.
    Signature,
    /// A subgraph of the model; its number is its name.
    Subgraph,
    /// An input of the model or a signature.
    Input,
    /// An output of the model or a signature.
    Output,
}

/// An op that no plugin serves.
#[derive(Clone, Debug)]
pub struct UnresolvedOp {
    /// The op's name, and whether it is a custom op.
    pub op: String,
    /// See `op`.
    pub custom: bool,
    /// The version that the model uses.
    pub version: i32,
    /// Element types of its inputs and outputs.
    pub element_types: Vec<ElementType>,
    /// Positions of the nodes that use it, in `subgraph`.
    pub nodes: Vec<usize>,
    /// The subgraph.
    pub subgraph: usize,
    /// Why each candidate does not fit, for example its versions; empty without candidates.
    pub candidates: Vec<String>,
}

/// A delegate that is disabled as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DisabledDelegate {
    /// The delegate's name.
    pub delegate: String,
    /// The reason.
    pub reason: String,
    /// No plugin has it, and the settings permit that. Other reasons are reported as a warning.
    pub is_absent: bool,
}

impl DisabledDelegate {
    pub(crate) fn absent(delegate: &str, reason: String) -> Self {
        DisabledDelegate { delegate: delegate.to_owned(), reason, is_absent: true }
    }

    pub(crate) fn failed(delegate: &str, reason: String) -> Self {
        DisabledDelegate { delegate: delegate.to_owned(), reason, is_absent: false }
    }
}

/// Missing plugins and delegates that may have caused another error. The text has one line for each.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct MissingPlugins {
    /// The places that were searched for plugins.
    pub searched: Vec<String>,
    /// Plugins and plugin folders that failed to load.
    pub failures: Vec<LoadFailure>,
    /// Delegates that are disabled.
    pub left_out: Vec<DisabledDelegate>,
}

/// A plugin, or a folder of plugins, that failed to load.
#[derive(Clone, Debug)]
pub struct LoadFailure {
    /// The file or folder.
    pub path: PathBuf,
    /// The reason.
    pub reason: LoadError,
}

/// Why a plugin failed to load.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoadError {
    /// The file is missing, truncated, world-writable, or not a library.
    File(String),
    /// The system's loader rejected it.
    Open(String),
    /// `[plugins] sha256` does not list it, or lists another digest.
    Digest(String),
    /// Its sanitizers differ from this process's, or its panics end the process.
    Build(String),
    /// It has no symbol `arenite_plugin_v1`.
    NoEntry,
    /// The layout of its structs differs from the host's.
    Layout(String),
    /// It needs a newer or an older contract than the host supports.
    Version(String),
    /// Its descriptor is malformed.
    Descriptor(String),
    /// The configuration does not allow this id.
    NotAllowed(String),
    /// A plugin with the same id is already registered.
    Duplicate(String),
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Model(error) => Some(error),
            Error::Config(error) => Some(error),
            Error::Io(_, error) => Some(error),
            _ => None,
        }
    }
}

impl From<arenite_model::ModelError> for Error {
    fn from(error: arenite_model::ModelError) -> Self {
        Error::Model(error)
    }
}

impl From<ConfigError> for Error {
    fn from(error: ConfigError) -> Self {
        Error::Config(error)
    }
}

//! What can go wrong when a model is loaded, prepared or run.

mod text;

use std::path::PathBuf;

use arenite_abi::{ElementType, Status};

use crate::config::ConfigError;
use crate::quota::Resource;

/// The result of everything in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of the runtime. Its text names the op, the tensor, both values, and what to do; `Debug` writes it too, so that a `main`
/// that returns the error shows it.
#[non_exhaustive]
pub enum Error {
    /// The model file is refused.
    Model(arenite_model::ModelError),
    /// The configuration is refused.
    Config(ConfigError),
    /// A plugin cannot be loaded; nothing of it is registered.
    Plugin(LoadFailure),
    /// No plugin serves some of the model's ops.
    UnresolvedOps {
        /// All of them.
        ops: Vec<UnresolvedOp>,
        /// Who else might have served them.
        missing: Missing,
    },
    /// An op or a delegate refused a node, or failed to run it.
    Node {
        /// The op's name.
        op: String,
        /// The subgraph, and the node's position in its execution plan.
        subgraph: usize,
        /// See `subgraph`.
        node: usize,
        /// Name of the node's first output.
        output: String,
        /// What kind of failure.
        status: Status,
        /// What the op says.
        message: String,
    },
    /// Nothing of this name is there.
    NotFound {
        /// What kind of thing was asked for.
        what: Named,
        /// The name that was asked for.
        name: String,
        /// The names that are there.
        known: Vec<String>,
        /// The plugins that might have it and were not loaded.
        failures: Vec<LoadFailure>,
    },
    /// What a program handed over cannot be registered.
    Registration {
        /// What it is.
        what: Named,
        /// Its name.
        name: String,
        /// What is wrong.
        message: String,
    },
    /// A planner's answer is wrong, or it gave none.
    Plan {
        /// The planner.
        planner: String,
        /// What is wrong.
        message: String,
    },
    /// A delegate failed as a whole.
    Delegate {
        /// The delegate.
        delegate: String,
        /// What kind of failure.
        status: Status,
        /// What it says.
        message: String,
    },
    /// A limit of [`Quota`](crate::Quota) would be exceeded.
    Quota {
        /// Which one.
        resource: Resource,
        /// What for.
        purpose: String,
        /// The amount needed, in [`Resource::unit`].
        needed: u64,
        /// The limit.
        limit: u64,
    },
    /// The system gave no memory.
    OutOfMemory {
        /// How many bytes.
        bytes: usize,
    },
    /// The invocation was cancelled.
    Cancelled,
    /// A tensor was given data of another type or size.
    Tensor {
        /// The tensor's name.
        name: String,
        /// What is wrong.
        message: String,
    },
    /// The call does not fit the interpreter's state; the text says which call is missing.
    State(String),
    /// A file cannot be written or read.
    Io(PathBuf, std::io::Error),
}

impl Error {
    /// [`Error::UnresolvedOps`].
    pub(crate) fn unresolved(ops: Vec<UnresolvedOp>) -> Self {
        Error::UnresolvedOps { ops, missing: Missing::default() }
    }

    /// [`Error::NotFound`], of what plugins have nothing to do with.
    pub(crate) fn not_found(
        what: Named,
        name: impl ToString,
        known: impl IntoIterator<Item = impl ToString>,
    ) -> Self {
        let known = known.into_iter().map(|known| known.to_string()).collect();
        Error::NotFound { what, name: name.to_string(), known, failures: Vec::new() }
    }

    /// Puts in what is missing, if the error may follow from it.
    pub(crate) fn explained_by(mut self, missing: impl FnOnce() -> Missing) -> Self {
        match &mut self {
            Error::UnresolvedOps { missing: place, .. } => *place = missing(),
            Error::Node { status: Status::Unsupported, message, .. } => {
                message.push_str(&missing().to_string());
            }
            _ => {}
        }
        self
    }

    /// [`Error::Quota`].
    pub(crate) fn quota(
        resource: Resource,
        purpose: impl Into<String>,
        needed: impl Into<u64>,
        limit: impl Into<u64>,
    ) -> Self {
        Error::Quota { resource, purpose: purpose.into(), needed: needed.into(), limit: limit.into() }
    }
}

/// What has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Named {
    /// An op.
    Op,
    /// A planner of a plugin.
    Planner,
    /// A delegate of a plugin.
    Delegate,
    /// A signature of the model.
    Signature,
    /// A subgraph of the model; its name is its number.
    Subgraph,
    /// An input of the model or of a signature.
    Input,
    /// An output of the model or of a signature.
    Output,
}

/// An op that no plugin serves.
#[derive(Clone, Debug)]
pub struct UnresolvedOp {
    /// The op's name and whether it is a custom op.
    pub op: String,
    /// See `op`.
    pub custom: bool,
    /// The version that the model asks for.
    pub version: i32,
    /// Element types of its inputs and outputs.
    pub element_types: Vec<ElementType>,
    /// Positions of the nodes that use it, in `subgraph`.
    pub nodes: Vec<usize>,
    /// The subgraph.
    pub subgraph: usize,
    /// Why the candidates do not fit, for instance their versions; empty if there is none.
    pub candidates: Vec<String>,
}

/// A delegate that was left out as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftOut {
    /// The delegate.
    pub delegate: String,
    /// Why.
    pub reason: String,
    /// No plugin has it, and the settings say that it may be missing. Anything else is a warning.
    pub is_absent: bool,
}

impl LeftOut {
    pub(crate) fn absent(delegate: &str, reason: String) -> Self {
        LeftOut { delegate: delegate.to_owned(), reason, is_absent: true }
    }

    pub(crate) fn failed(delegate: &str, reason: String) -> Self {
        LeftOut { delegate: delegate.to_owned(), reason, is_absent: false }
    }
}

/// What is not there, and may be why something else fails. Its text has a line for each plugin and each delegate.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Missing {
    /// Where plugins were looked for.
    pub searched: Vec<String>,
    /// Plugins and plugin folders that could not be loaded.
    pub failures: Vec<LoadFailure>,
    /// Delegates that were left out.
    pub left_out: Vec<LeftOut>,
}

/// A plugin, or a folder of plugins, that was not loaded.
#[derive(Clone, Debug)]
pub struct LoadFailure {
    /// The file, or the folder.
    pub path: PathBuf,
    /// Why.
    pub reason: LoadError,
}

/// Why a plugin was not loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoadError {
    /// The file is missing, truncated, world-writable, or no library.
    File(String),
    /// The system's loader refused it.
    Open(String),
    /// `[plugins] sha256` does not list it, or with another digest.
    Digest(String),
    /// It was built with or without a sanitizer that this process has, or so that a panic ends the process.
    Build(String),
    /// It has no symbol `arenite_plugin_v1`.
    NoEntry,
    /// Its structs are laid out otherwise than the host's.
    Layout(String),
    /// It needs a newer contract than the host speaks, or an older one.
    Version(String),
    /// Its descriptor is malformed.
    Descriptor(String),
    /// The configuration does not allow this id.
    NotAllowed(String),
    /// A plugin with the same id is registered already.
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

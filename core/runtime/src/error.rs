//! What can go wrong when a model is loaded, prepared or run.

use std::fmt;
use std::path::PathBuf;

use arenite_abi::{ElementType, Status};

use crate::config::ConfigError;
use crate::quota::Resource;

/// The result of everything in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of the runtime. Its text names the op, the tensor, both values, and what to do.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The model file is refused.
    Model(arenite_model::ModelError),
    /// The configuration is refused.
    Config(ConfigError),
    /// A plugin cannot be loaded; nothing of it is registered.
    Plugin(LoadFailure),
    /// No plugin serves some of the model's ops; all of them are listed.
    UnresolvedOps(Vec<UnresolvedOp>),
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
    /// A planner or a delegate of this name is not there.
    NotFound {
        /// "planner", "delegate", "signature", …
        what: &'static str,
        /// The name that was asked for.
        name: String,
        /// The names that are there.
        known: Vec<String>,
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
    /// Where plugins were looked for.
    pub searched: Vec<String>,
}

/// A plugin that was not loaded.
#[derive(Clone, Debug)]
pub struct LoadFailure {
    /// The file.
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

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::File(m) | LoadError::Version(m) => f.write_str(m),
            LoadError::Open(m) => write!(f, "the system cannot open it: {m}"),
            LoadError::NoEntry => {
                write!(f, "it has no symbol {}: not an arenite plugin", arenite_abi::raw::ENTRY_SYMBOL)
            }
            LoadError::Layout(m) => {
                write!(f, "its layout differs from this host's; rebuild it against this contract: {m}")
            }
            LoadError::Descriptor(m) => write!(f, "its descriptor is malformed: {m}"),
            LoadError::NotAllowed(id) => write!(f, "'{id}' matches no pattern of [plugins] allow"),
            LoadError::Duplicate(m) => f.write_str(m),
        }
    }
}

impl fmt::Display for LoadFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "plugin {}: {}", self.path.display(), self.reason)
    }
}

impl fmt::Display for UnresolvedOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.custom { "custom op" } else { "op" };
        let types: Vec<_> = self.element_types.iter().map(|ty| ty.name()).collect();
        write!(
            f,
            "{kind} {} version {} ({}) at node{} {} of subgraph {}",
            self.op,
            self.version,
            types.join(", "),
            if self.nodes.len() == 1 { "" } else { "s" },
            List(&self.nodes, 8),
            self.subgraph
        )?;
        for candidate in &self.candidates {
            write!(f, "; {candidate}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Model(error) => error.fmt(f),
            Error::Config(error) => error.fmt(f),
            Error::Plugin(failure) => failure.fmt(f),
            Error::UnresolvedOps(ops) => unresolved(f, ops),
            Error::Node { op, subgraph, node, output, message, .. } => {
                write!(f, "{op} (node {node}")?;
                if *subgraph != 0 {
                    write!(f, " of subgraph {subgraph}")?;
                }
                write!(f, ", output '{output}'): {message}")
            }
            Error::NotFound { what, name, known } => {
                write!(f, "there is no {what} '{name}'")?;
                match (*what, known.is_empty()) {
                    ("planner", true) => {
                        return f.write_str(
                            "; no plugin has any: link the default ones (`use arenite_builtin as _;`) or name a plugin folder",
                        );
                    }
                    ("delegate", true) => {
                        return f.write_str(
                            "; no plugin that was found has one: give the folder of a plugin that has it \
                             (--plugin-dir, [plugins] dirs, ARENITE_PLUGIN_PATH)",
                        );
                    }
                    _ => {}
                }
                match crate::config::nearest(name, known.iter().map(String::as_str)) {
                    Some(near) => write!(f, "; did you mean '{near}'?")?,
                    None => f.write_str(";")?,
                }
                write!(f, " known: {}", if known.is_empty() { "none".into() } else { known.join(", ") })
            }
            Error::Plan { planner, message } => write!(f, "planner '{planner}': {message}"),
            Error::Delegate { delegate, message } => write!(f, "delegate '{delegate}': {message}"),
            Error::Quota { resource, purpose, needed, limit } => write!(
                f,
                "{purpose} needs {needed} {}, the quota is {limit}; raise `{resource}` in [quota] if that is right",
                resource.unit()
            ),
            Error::OutOfMemory { bytes } => write!(f, "the system gave no memory for {bytes} bytes"),
            Error::Cancelled => f.write_str("the invocation was cancelled"),
            Error::Tensor { name, message } => write!(f, "tensor '{name}': {message}"),
            Error::State(message) => f.write_str(message),
            Error::Io(path, error) => write!(f, "{}: {error}", path.display()),
        }
    }
}

fn unresolved(f: &mut fmt::Formatter<'_>, ops: &[UnresolvedOp]) -> fmt::Result {
    write!(f, "no plugin serves {} of the model's ops:", ops.len())?;
    for op in ops {
        write!(f, "\n  {op}")?;
    }
    if ops.iter().any(|op| op.custom && op.op.starts_with("Flex")) {
        f.write_str(
            "\n  those that begin with Flex are TensorFlow's own; the plugin org.arenite.flex serves many of them: build it \
             with `cargo build --release -p arenite-plugin-flex` and give its folder, or link it in with the feature `flex`",
        )?;
    }
    f.write_str("\n  searched: ")?;
    match ops.first().map(|op| &op.searched) {
        Some(places) if !places.is_empty() => f.write_str(&places.join(", "))?,
        _ => f.write_str("nowhere; no plugin folder is configured")?,
    }
    f.write_str(
        "\n  give the folder of a plugin that has them (--plugin-dir, [plugins] dirs, ARENITE_PLUGIN_PATH)",
    )
}

/// The first few elements of a list, and how many more there are.
struct List<'a>(&'a [usize], usize);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, value) in self.0.iter().take(self.1).enumerate() {
            write!(f, "{}{value}", if i == 0 { "" } else { ", " })?;
        }
        if self.0.len() > self.1 {
            write!(f, " and {} more", self.0.len() - self.1)?;
        }
        Ok(())
    }
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

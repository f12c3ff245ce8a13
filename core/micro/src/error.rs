//! Errors that need no heap.

use core::fmt;

use arenite_abi::Status;
use arenite_model::{Detail, ModelError};

/// Result with this crate's [`Error`].
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// Why a model cannot be loaded or run. Without the feature `messages`, most variants have no numbers.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The arena is too small.
    Arena {
        /// Size of the arena in bytes.
        given: Detail<usize>,
        /// Bytes needed to continue. A later step may need more.
        needed: usize,
    },
    /// The second of two blocks, for persistent memory, is too small.
    PersistentArena {
        /// Size of the block in bytes.
        given: Detail<usize>,
        /// Bytes needed to continue. A later step may need more.
        needed: usize,
    },
    /// The address of the model is not a multiple of 16.
    Misaligned {
        /// The address.
        address: Detail<usize>,
    },
    /// The model is malformed.
    Model(ModelError),
    /// None of the given ops serves a node: its code, version or element types differ.
    MissingOp {
        /// Index of the subgraph.
        subgraph: Detail<usize>,
        /// Position of the node.
        node: Detail<usize>,
        /// The schema's number of the op.
        code: Detail<i32>,
        /// The op version in the model.
        version: Detail<i32>,
    },
    /// An op refused its node or failed.
    Node {
        /// Index of the subgraph.
        subgraph: Detail<usize>,
        /// Position of the node.
        node: Detail<usize>,
        /// The schema's number of the op.
        code: Detail<i32>,
        /// The op's error.
        error: arenite_abi::Error,
    },
    /// A tensor is not supported.
    Tensor {
        /// Index of the subgraph.
        subgraph: Detail<usize>,
        /// Index of the tensor.
        tensor: Detail<usize>,
        /// The reason.
        reason: Detail<&'static str>,
    },
    /// The plan in the model's metadata is invalid.
    Offline {
        /// The reason.
        reason: Detail<&'static str>,
        /// The invalid number.
        found: Detail<i64>,
    },
    /// The planner failed.
    Plan(arenite_abi::Error),
    /// Two registrations serve the same nodes.
    Duplicate {
        /// Position of the second registration.
        second: Detail<usize>,
        /// The schema's number of the op.
        code: Detail<i32>,
    },
    /// The alignment of an op's state is not supported.
    Alignment {
        /// Position of the op.
        op: Detail<usize>,
        /// The alignment in bytes.
        alignment: Detail<u64>,
    },
    /// A list of ops or models is full.
    Full {
        /// Its capacity.
        capacity: Detail<usize>,
    },
    /// An input, output, tensor, node or model does not exist.
    Index {
        /// The index.
        index: Detail<usize>,
        /// The number of elements.
        count: Detail<usize>,
    },
    /// A call came at the wrong time.
    Phase(Detail<&'static str>),
}

impl From<ModelError> for Error {
    fn from(error: ModelError) -> Self {
        Error::Model(error)
    }
}

impl Error {
    /// The status of the plugin contract that fits best.
    pub fn status(&self) -> Status {
        match self {
            Error::Arena { .. } | Error::PersistentArena { .. } => Status::OutOfMemory,
            Error::MissingOp { .. } => Status::Unsupported,
            Error::Node { error, .. } | Error::Plan(error) => error.status(),
            Error::Phase(_) => Status::Internal,
            _ => Status::Invalid,
        }
    }
}

/// Displays the schema's name of an op, or its number.
#[cfg(feature = "messages")]
struct OpName(i32);

#[cfg(feature = "messages")]
impl fmt::Display for OpName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match arenite_model::builtin_operator_name(self.0) {
            Some(name) => f.write_str(name),
            None => write!(f, "op {}", self.0),
        }
    }
}

/// Displays ` of subgraph N`, or nothing for the main subgraph.
#[cfg(feature = "messages")]
struct SubgraphSuffix(usize);

#[cfg(feature = "messages")]
impl fmt::Display for SubgraphSuffix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => Ok(()),
            subgraph => write!(f, " of subgraph {subgraph}"),
        }
    }
}

#[cfg(not(feature = "messages"))]
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

#[cfg(feature = "messages")]
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Arena { given, needed } => write!(f, "the arena has {given} bytes; {needed} are needed"),
            Error::PersistentArena { given, needed } => {
                write!(f, "the persistent arena has {given} bytes; {needed} are needed")
            }
            Error::Misaligned { address } => {
                write!(f, "the model is at address {address:#x}; align it to 16 bytes")
            }
            Error::Model(error) => write!(f, "{error}"),
            Error::MissingOp { subgraph, node, code, version: v } => {
                let (of, op) = (SubgraphSuffix(*subgraph), OpName(*code));
                write!(f, "node {node}{of}: none of the given ops serves {op} version {v} with these types")
            }
            Error::Node { subgraph, node, code, error } => {
                write!(f, "node {node}{}, {}: {error}", SubgraphSuffix(*subgraph), OpName(*code))
            }
            Error::Tensor { subgraph, tensor, reason } => {
                write!(f, "tensor {tensor}{}: {reason}", SubgraphSuffix(*subgraph))
            }
            Error::Offline { reason, found } => write!(f, "OfflineMemoryAllocation: {found} {reason}"),
            Error::Plan(error) => write!(f, "{error}"),
            Error::Duplicate { second, code } => {
                write!(f, "op {second} of the list: an earlier op also serves {}", OpName(*code))
            }
            Error::Alignment { op, alignment } => {
                write!(
                    f,
                    "op {op} of the list: its state has alignment {alignment}; it must be a power of two up to 64"
                )
            }
            Error::Full { capacity } => write!(f, "the list is full; its capacity is {capacity}"),
            Error::Index { index, count } => write!(f, "index {index} is out of range; there are {count}"),
            Error::Phase(what) => f.write_str(what),
        }
    }
}

impl core::error::Error for Error {}

//! Errors, without a heap.

use core::fmt;

use arenite_abi::Status;
use arenite_model::ModelError;

/// The result of what this crate does.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// Why a model does not run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The arena is too small.
    Arena {
        /// Bytes that were given.
        given: usize,
        /// Bytes without which it goes no further. An arena of so many may turn out to be too small later on.
        needed: usize,
    },
    /// Of two blocks, the one for what is persistent is too small.
    PersistentArena {
        /// Bytes that were given.
        given: usize,
        /// As for [`Arena`](Self::Arena).
        needed: usize,
    },
    /// The model's bytes do not begin at a multiple of 16.
    Misaligned {
        /// The address.
        address: usize,
    },
    /// The model is malformed.
    Model(ModelError),
    /// A node's op is not among the ops that were given, or not in this version, or not for these element types.
    MissingOp {
        /// The subgraph that the node is in.
        subgraph: usize,
        /// Position of the node.
        node: usize,
        /// The schema's number of the op.
        code: i32,
        /// The version that the model asks for.
        version: i32,
    },
    /// An op refused its node, or failed.
    Node {
        /// The subgraph that the node is in.
        subgraph: usize,
        /// Position of the node.
        node: usize,
        /// The schema's number of the op.
        code: i32,
        /// What the op says.
        error: arenite_abi::Error,
    },
    /// A tensor that this interpreter cannot hold.
    Tensor {
        /// The subgraph that the tensor is in.
        subgraph: usize,
        /// Index of the tensor.
        tensor: usize,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The plan in the model's metadata is wrong.
    Offline {
        /// What is wrong with it.
        reason: &'static str,
        /// What stands there.
        found: i64,
    },
    /// The planner refused.
    Plan(arenite_abi::Error),
    /// Two registrations serve the same nodes.
    Duplicate {
        /// Position of the second one.
        second: usize,
        /// The schema's number of the op.
        code: i32,
    },
    /// The state of an op is to be aligned in a way that no memory is.
    Alignment {
        /// Position of the op.
        op: usize,
        /// What it asks for.
        alignment: u64,
    },
    /// A list of ops has no room for another one.
    Full {
        /// What it has room for.
        capacity: usize,
    },
    /// There is no such input or output.
    Index {
        /// The position that was asked for.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// Something was done at the wrong time.
    Phase(&'static str),
}

impl From<ModelError> for Error {
    fn from(error: ModelError) -> Self {
        Error::Model(error)
    }
}

impl Error {
    /// Its kind, as plugins number them.
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

/// The schema's name of an op, or its number.
struct Op(i32);

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match arenite_model::builtin_operator_name(self.0) {
            Some(name) => f.write_str(name),
            None => write!(f, "op {}", self.0),
        }
    }
}

/// Where a node or tensor is, unless it is in the main subgraph.
struct Of(usize);

impl fmt::Display for Of {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => Ok(()),
            subgraph => write!(f, " of subgraph {subgraph}"),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Arena { given, needed } => write!(f, "the arena has {given} bytes, {needed} are needed"),
            Error::PersistentArena { given, needed } => {
                write!(f, "the arena for what is persistent has {given} bytes, {needed} are needed")
            }
            Error::Misaligned { address } => {
                write!(f, "the model begins at address {address:#x}; align it to 16 bytes")
            }
            Error::Model(error) => write!(f, "{error}"),
            Error::MissingOp { subgraph, node, code, version: v } => {
                let (of, op) = (Of(*subgraph), Op(*code));
                write!(
                    f,
                    "node {node}{of}: no op among those given serves {op} of version {v} for its tensors"
                )
            }
            Error::Node { subgraph, node, code, error } => {
                write!(f, "node {node}{}, {}: {error}", Of(*subgraph), Op(*code))
            }
            Error::Tensor { subgraph, tensor, reason } => {
                write!(f, "tensor {tensor}{}: {reason}", Of(*subgraph))
            }
            Error::Offline { reason, found } => write!(f, "OfflineMemoryAllocation: {found} {reason}"),
            Error::Plan(error) => write!(f, "{error}"),
            Error::Duplicate { second, code } => {
                write!(f, "op {second} of the list: {} of some of its versions is there already", Op(*code))
            }
            Error::Alignment { op, alignment } => {
                write!(
                    f,
                    "op {op} of the list: its state is aligned to {alignment}; a power of two up to 64 is served"
                )
            }
            Error::Full { capacity } => write!(f, "the list of ops has room for {capacity}"),
            Error::Index { index, count } => write!(f, "number {index} of {count}"),
            Error::Phase(what) => f.write_str(what),
        }
    }
}

impl core::error::Error for Error {}

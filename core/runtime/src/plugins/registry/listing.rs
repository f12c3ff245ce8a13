//! The contents of plugins, for listings.

use std::fmt;
use std::path::PathBuf;

use arenite_abi::raw::{
    ArOpV1, OP_BEHIND, OP_IN_PLACE, OP_PART_OF_INPUT, OP_PART_OF_OUTPUT, OP_STATEFUL, OP_VIEW,
};
use arenite_abi::{ElementType, ElementTypes};

use crate::plugins::digest;
use crate::plugins::op_key::OpKey;

/// Where a plugin came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Linked into the program.
    Static,
    /// Registered by the program, for example with [`Registry::add_op`](crate::Registry::add_op).
    Program,
    /// A library.
    File(PathBuf),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Static => f.write_str("linked in"),
            Origin::Program => f.write_str("handed over by the program"),
            Origin::File(path) => path.display().fmt(f),
        }
    }
}

/// A version of the contract. Displayed as `1.0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AbiVersion {
    /// Changes if older plugins no longer load.
    pub major: u16,
    /// Grows with interfaces.
    pub minor: u16,
}

impl AbiVersion {
    pub(crate) const FIRST: Self = AbiVersion { major: 1, minor: 0 };
}

impl fmt::Display for AbiVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// A registered plugin.
#[derive(Clone, Debug)]
pub struct PluginInfo {
    /// Reverse domain name.
    pub id: String,
    /// Version of the plugin's package.
    pub version: String,
    /// One line.
    pub description: String,
    /// Where it came from.
    pub origin: Origin,
    /// The version of the contract that was negotiated.
    pub abi: AbiVersion,
    /// Names of its planners.
    pub planners: Vec<String>,
    /// Names of its delegates.
    pub delegates: Vec<String>,
    /// Its ops.
    pub ops: Vec<OpInfo>,
}

impl PluginInfo {
    /// The SHA-256 of its library, in 64 hexadecimal digits as in `[plugins] sha256`; `None` if it is not from a
    /// library. This reads the file now, so it may have been replaced since it was loaded; to rule that out, list the
    /// digest in `[plugins] sha256`.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn sha256(&self) -> Option<std::io::Result<String>> {
        match &self.origin {
            Origin::File(path) => Some(std::fs::File::open(path).and_then(|file| digest::of(&file))),
            Origin::Static | Origin::Program => None,
        }
    }
}

/// An op registration, for listings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpInfo {
    /// The op.
    pub key: OpKey,
    /// Lowest and highest version.
    pub versions: (i32, i32),
    /// Element types that it takes; `None`: any.
    pub element_types: Option<Vec<ElementType>>,
    /// Whether an output may overwrite an input, for some nodes at least.
    pub in_place: bool,
    /// Whether an output may have an input's bytes, for some nodes at least.
    pub view: bool,
    /// Whether an output may be a part of an input.
    pub part_of_input: bool,
    /// Whether an input may be made as a part of an output.
    pub part_of_output: bool,
    /// Whether an output may overwrite an input from its beginning on.
    pub behind: bool,
    /// Whether the result depends on more than the inputs.
    pub stateful: bool,
}

/// An op that several plugins offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContestedOp {
    /// The op.
    pub key: OpKey,
    /// Ids of the plugins, best first: the first one serves the nodes that it can.
    pub plugins: Vec<String>,
}

impl OpInfo {
    pub(super) fn of(key: &OpKey, op: &ArOpV1) -> Self {
        let element_types =
            (op.element_types != 0).then(|| ElementTypes::from_bits(op.element_types).iter().collect());
        OpInfo {
            key: key.clone(),
            versions: (op.min_version, op.max_version),
            element_types,
            in_place: op.flags & OP_IN_PLACE != 0,
            view: op.flags & OP_VIEW != 0,
            part_of_input: op.flags & OP_PART_OF_INPUT != 0,
            part_of_output: op.flags & OP_PART_OF_OUTPUT != 0,
            behind: op.flags & OP_BEHIND != 0,
            stateful: op.flags & OP_STATEFUL != 0,
        }
    }
}

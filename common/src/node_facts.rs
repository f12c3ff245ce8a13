//! Facts about a node that follow from the model file.

use std::fmt::{self, Display, Formatter};

use arenite::text::Visible;
use serde::Serialize;
use serde_json::Value;

/// Facts about a node that follow from the model file.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct NodeFacts {
    /// The options, by the schema's names and in its order. For a custom op, the entries of its map.
    pub options: Vec<OpOption>,
    /// Bytes of the constants that it reads. A constant that several nodes read counts for each of them.
    pub weight_bytes: u64,
    /// Multiply-accumulates of one invocation. Null if the op has none, calls a subgraph, is a custom op, or if a
    /// shape is unknown.
    pub macs: Option<u64>,
}

/// An option of a node.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OpOption {
    /// The schema's name, such as `stride_w`.
    pub name: String,
    /// A number, a truth value, a text, a list, or the name of an enumeration's value, such as `SAME`.
    pub value: Value,
    /// Whether this is the schema's default.
    #[serde(skip)]
    pub is_default: bool,
}

impl Display for OpOption {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.value {
            Value::String(text) => write!(f, "{} {}", self.name, Visible(text)),
            value => write!(f, "{} {value}", self.name),
        }
    }
}

//! The key that identifies the op of a node.

use std::fmt;

use arenite_abi::raw::{ArOpV1, BUILTIN_CUSTOM};

/// The key that identifies the op of a node.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OpKey {
    /// A builtin op, by the schema's number.
    Builtin(i32),
    /// A custom op, by name.
    Custom(String),
}

impl OpKey {
    /// The key of an op registration.
    pub(crate) fn of(op: &ArOpV1) -> Self {
        if op.builtin_code == BUILTIN_CUSTOM {
            // SAFETY: the name is readable. `Descriptor::read` checks a plugin's names, and its structs are static.
            // `add_raw_op` requires a readable name, and `Registration` stores a copy with the struct.
            OpKey::Custom(unsafe { op.custom_name.as_str() }.to_owned())
        } else {
            OpKey::Builtin(op.builtin_code)
        }
    }

    /// The schema's name, or the custom op's; `builtin op` if the schema has no name for the number.
    pub(crate) fn as_str(&self) -> &str {
        match self {
            OpKey::Builtin(code) => arenite_model::builtin_operator_name(*code).unwrap_or("builtin op"),
            OpKey::Custom(name) => name,
        }
    }

    /// The schema's name, or the custom op's.
    pub fn name(&self) -> String {
        match self {
            OpKey::Builtin(code) => match arenite_model::builtin_operator_name(*code) {
                Some(name) => name.to_owned(),
                None => format!("builtin op {code}"),
            },
            OpKey::Custom(name) => name.clone(),
        }
    }
}

impl fmt::Display for OpKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

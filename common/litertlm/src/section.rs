//! Sections of a container: kinds, places and properties.

use std::fmt::{self, Display};

/// Names and values.
pub type Items = Vec<(String, Value)>;

/// The kind of a section. Unknown kinds are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind(pub u8);

impl Kind {
    /// A `.tflite` model.
    pub const MODEL: Kind = Kind(3);
    /// A model of SentencePiece.
    pub const SENTENCEPIECE: Kind = Kind(4);
    /// Tokens and templates: [`Metadata`](crate::Metadata).
    pub const METADATA: Kind = Kind(5);
    /// A `tokenizer.json`: its length as 64 bits, then the file, compressed by zlib.
    pub const TOKENIZER_JSON: Kind = Kind(6);

    /// Constants of a model, in another section.
    pub const WEIGHTS: Kind = Kind(7);

    const NAMES: [&str; 12] = [
        "none",
        "binary data",
        "deprecated",
        "model",
        "tokenizer of SentencePiece",
        "language model's metadata",
        "tokenizer.json",
        "weights",
        "embedding's metadata",
        "executor's metadata",
        "speech synthesis' metadata",
        "speech recognition's metadata",
    ];
}

impl Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Kind::NAMES.get(usize::from(self.0)) {
            Some(name) => f.write_str(name),
            None => write!(f, "kind {}", self.0),
        }
    }
}

/// A value that a container or a section has under a name.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number from 0.
    Unsigned(u64),
    /// A number.
    Signed(i64),
    /// A real number.
    Real(f64),
    /// Yes or no.
    Bool(bool),
    /// A text.
    Text(String),
    /// A value of a type that is not known.
    Other(u8),
}

impl Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Unsigned(value) => value.fmt(f),
            Value::Signed(value) => value.fmt(f),
            Value::Real(value) => value.fmt(f),
            Value::Bool(value) => value.fmt(f),
            Value::Text(text) => text.fmt(f),
            Value::Other(ty) => write!(f, "a value of type {ty}"),
        }
    }
}

/// A section: bytes of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// The kind of its contents.
    pub kind: Kind,
    /// Where it begins.
    pub begin: u64,
    /// Where it ends.
    pub end: u64,
    /// Its properties, such as `model_type`.
    pub items: Items,
}

impl Section {
    /// The number of bytes.
    pub fn length(&self) -> u64 {
        self.end - self.begin
    }

    /// A text that the container has for it.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.items.iter().find_map(|(name, value)| match value {
            Value::Text(text) if name == key => Some(text.as_str()),
            _ => None,
        })
    }
}

//! Errors of text.

use std::fmt::{self, Display};

/// `std::result::Result` with [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of a tokenizer, a template or a conversation.
#[derive(Debug)]
pub enum Error {
    /// The session failed.
    Language(arenite_language::Error),
    /// A file cannot be read, or is too large.
    File(String),
    /// A tokenizer is malformed or not supported, or fails on a text.
    Tokenizer(String),
    /// A template is malformed, or fails on the messages.
    Template(String),
    /// The tokenizer has tokens that the model lacks.
    Vocabulary {
        /// The number of tokens that the tokenizer counts to.
        tokenizer: usize,
        /// The number of tokens that the model knows.
        model: usize,
    },
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Language(error) => error.fmt(f),
            Error::File(text) | Error::Tokenizer(text) | Error::Template(text) => f.write_str(text),
            Error::Vocabulary { tokenizer, model } => write!(
                f,
                "the tokenizer has {tokenizer} tokens, the model's vocabulary {model}: use the tokenizer with which \
                 the model was trained"
            ),
        }
    }
}

impl std::error::Error for Error {}

impl From<arenite_language::Error> for Error {
    fn from(error: arenite_language::Error) -> Self {
        Error::Language(error)
    }
}

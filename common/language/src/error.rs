//! Errors of language models.

use std::fmt::{self, Display};

/// `std::result::Result` with [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of a session or a sampler.
#[derive(Debug)]
pub enum Error {
    /// The runtime failed.
    Runtime(Box<arenite::Error>),
    /// The model lacks a part of a language model, or has one that is not supported.
    Model(String),
    /// A token beyond the vocabulary.
    Token {
        /// The token.
        id: u32,
        /// The number of tokens that exist.
        vocabulary: usize,
    },
    /// The tokens do not fit into the caches.
    Full {
        /// The positions that the tokens need.
        needed: usize,
        /// The positions that the caches have.
        capacity: usize,
    },
    /// No token was given, so logits are missing.
    Empty,
    /// The logits contain NaN, or none is above minus infinity.
    Logits,
    /// A sampling option out of its range.
    Option(String),
    /// A saved state of another model.
    State(String),
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Runtime(error) => error.fmt(f),
            Error::Model(text) | Error::Option(text) | Error::State(text) => f.write_str(text),
            Error::Token { id, vocabulary } => {
                write!(f, "token {id} does not exist; the model's vocabulary has {vocabulary}, from 0")
            }
            Error::Full { needed, capacity } => write!(
                f,
                "{needed} tokens do not fit into the model's caches of {capacity} positions: give fewer, or begin \
                 a new conversation"
            ),
            Error::Empty => f.write_str("no tokens are given; the first answer needs at least one"),
            Error::Logits => {
                f.write_str("the model's logits contain NaN or only -inf, so no token can be chosen")
            }
        }
    }
}

impl std::error::Error for Error {}

impl From<arenite::Error> for Error {
    fn from(error: arenite::Error) -> Self {
        Error::Runtime(Box::new(error))
    }
}

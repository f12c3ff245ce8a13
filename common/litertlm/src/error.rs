//! Errors of containers.

use std::fmt::{self, Display};
use std::io;

/// `std::result::Result` with [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of a container.
#[derive(Debug)]
pub enum Error {
    /// The file cannot be read.
    Io(io::Error),
    /// The container is malformed.
    Malformed(String),
    /// The container lacks what is asked for, or has several.
    Choice(String),
}

impl Error {
    pub(crate) fn malformed(text: impl Into<String>) -> Self {
        Error::Malformed(text.into())
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io(error) => error.fmt(f),
            Error::Malformed(text) => write!(f, "not a valid container: {text}"),
            Error::Choice(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for Error {}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Error::Io(error)
    }
}

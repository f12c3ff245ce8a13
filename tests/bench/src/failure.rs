//! Errors, as text for the user of the benchmark.

use std::fmt::{self, Display};

pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

#[derive(Debug)]
pub(crate) struct Failure(String);

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Failure(message.into())
    }

    /// A failure of an action on `subject`.
    pub(crate) fn with(subject: impl Display, error: impl Display) -> Self {
        Failure(format!("{subject}: {error}"))
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<arenite::Error> for Failure {
    fn from(error: arenite::Error) -> Self {
        Failure(error.to_string())
    }
}

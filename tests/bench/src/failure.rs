//! Why something did not work, in words for whoever measures.

use std::fmt::{self, Display};

pub type Result<T, E = Failure> = std::result::Result<T, E>;

#[derive(Debug)]
pub struct Failure(String);

impl Failure {
    pub fn new(message: impl Into<String>) -> Self {
        Failure(message.into())
    }

    /// The failure of something that was done with `subject`.
    pub fn with(subject: impl Display, error: impl Display) -> Self {
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

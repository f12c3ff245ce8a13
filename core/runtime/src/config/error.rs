//! Errors in an `arenite.toml` and their positions.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// The position of an error in a config. Displayed as `FILE:LINE:COLUMN`, or `line L, column C` without a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The config file; `None` for a config that was given as text.
    pub file: Option<PathBuf>,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// An error in a config.
#[non_exhaustive]
pub enum ConfigError {
    /// The file could not be opened or read.
    Read {
        /// The config file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The file is longer than [`MAX_FILE_BYTES`](super::MAX_FILE_BYTES).
    TooLarge {
        /// The config file.
        path: PathBuf,
        /// The limit in bytes.
        limit: u64,
    },
    /// The file is not UTF-8 text.
    NotUtf8 {
        /// The config file.
        path: PathBuf,
        /// Position of the first invalid byte.
        offset: usize,
    },
    /// The text is not TOML.
    Syntax {
        /// The position that the parser reports.
        place: Position,
        /// The parser's message.
        message: String,
    },
    /// A key that schema 1 does not have.
    UnknownKey {
        /// Where the key is.
        place: Position,
        /// The table that contains it, such as `plugins` or `delegate[0]`; empty for the top level.
        table: String,
        /// The key.
        key: String,
        /// The most similar known key.
        nearest: &'static str,
        /// All keys of that table.
        known: &'static [&'static str],
    },
    /// A required key is missing.
    MissingKey {
        /// Where the table without it begins.
        place: Position,
        /// The whole key, such as `delegate[0].use`.
        key: String,
        /// What to do about it.
        advice: &'static str,
    },
    /// A value of the wrong type.
    WrongType {
        /// Where the value is.
        place: Position,
        /// The whole key, such as `plugins.dirs[1]`.
        key: String,
        /// The type that the key requires.
        expected: &'static str,
        /// The type in the file.
        found: &'static str,
    },
    /// A value of the right type that the key does not allow.
    BadValue {
        /// Where the value is.
        place: Position,
        /// The whole key.
        key: String,
        /// The problem, with the actual and the allowed value.
        message: String,
    },
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.file {
            Some(file) => write!(f, "{}:{}:{}", file.display(), self.line, self.column),
            None => write!(f, "line {}, column {}", self.line, self.column),
        }
    }
}

impl fmt::Debug for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use ConfigError::*;
        match self {
            Read { path, source } => write!(f, "{}: cannot read the config: {source}", path.display()),
            TooLarge { path, limit } => {
                write!(f, "{}: the config is longer than {limit} bytes", path.display())
            }
            NotUtf8 { path, offset } => {
                write!(f, "{}: the config is not UTF-8 text at byte {offset}", path.display())
            }
            Syntax { place, message } => write!(f, "{place}: {message}"),
            UnknownKey { place, table, key, nearest, known } => {
                write!(f, "{place}: unknown key `{key}` ")?;
                match table.as_str() {
                    "" => write!(f, "at the top level")?,
                    table => write!(f, "in `{table}`")?,
                }
                write!(f, "; did you mean `{nearest}`? (known: {})", known.join(", "))?;
                match known.contains(&"options") {
                    true => write!(f, "; what only this one knows goes to `options = {{ {key} = ... }}`"),
                    false => Ok(()),
                }
            }
            MissingKey { place, key, advice } => write!(f, "{place}: `{key}` is missing: {advice}"),
            WrongType { place, key, expected, found } => {
                write!(f, "{place}: `{key}` must be {expected}, found {found}")
            }
            BadValue { place, key, message } => write!(f, "{place}: `{key}`: {message}"),
        }
    }
}

impl std::error::Error for ConfigError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ConfigError::Read { source, .. } => Some(source),
            _ => None,
        }
    }
}

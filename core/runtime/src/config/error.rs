//! What can be wrong with an `arenite.toml`, and where.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// Where in a config an error is. Shown as `FILE:LINE:COLUMN`, or `line L, column C` without a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The config file; `None` for a config that was given as text.
    pub file: Option<PathBuf>,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// Why a config was refused.
#[non_exhaustive]
pub enum ConfigError {
    /// The file could not be opened or read.
    Read {
        /// The config file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The file is longer than any config has reason to be.
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
        /// Position of the first wrong byte.
        offset: usize,
    },
    /// The text is not TOML.
    Syntax {
        /// Where.
        place: Place,
        /// The parser's message.
        message: String,
    },
    /// A key that no version of schema 1 has.
    UnknownKey {
        /// Where the key is.
        place: Place,
        /// The table that holds it, such as `plugins` or `delegate[0]`; empty for the top level.
        table: String,
        /// The key.
        key: String,
        /// The known key that looks most like it.
        nearest: &'static str,
        /// All keys of that table.
        known: &'static [&'static str],
    },
    /// A key that must be there is not.
    MissingKey {
        /// Where the table that lacks it begins.
        place: Place,
        /// The whole key, such as `delegate[0].use`.
        key: String,
        /// What to do about it.
        advice: &'static str,
    },
    /// A value of another type than the key takes.
    WrongType {
        /// Where the value is.
        place: Place,
        /// The whole key, such as `plugins.dirs[1]`.
        key: String,
        /// The type that the key takes.
        expected: &'static str,
        /// The type that the file has.
        found: &'static str,
    },
    /// A value of the right type that the key cannot take.
    BadValue {
        /// Where the value is.
        place: Place,
        /// The whole key.
        key: String,
        /// What is wrong, with both values.
        message: String,
    },
}

impl fmt::Display for Place {
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

//! `ModelError`: the defect of a model file, and the field that has it.

use core::fmt;

use crate::detail::Detail;
use crate::path::Path;
use crate::schema::Malformed;

/// Why a model was rejected. Every message about a field starts with its path.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ModelError {
    /// The file could not be opened or mapped.
    #[cfg(feature = "std")]
    Io {
        /// Path of the file.
        file: std::path::PathBuf,
        /// Kind of the error.
        kind: std::io::ErrorKind,
        /// The system's message.
        message: String,
    },
    /// Another file with constants cannot be used.
    #[cfg(feature = "std")]
    Group {
        /// The name of the group, which is the name of the file.
        name: String,
        /// The problem, and the remedy.
        reason: String,
    },
    /// The file is smaller than the smallest flatbuffer.
    TooShort {
        /// Size of the file in bytes.
        bytes: Detail<usize>,
    },
    /// The file identifier is not `TFL3`.
    Identifier {
        /// Bytes 4 to 7 of the file.
        found: [u8; 4],
    },
    /// The file is not a valid flatbuffer of the schema.
    Structure(Malformed),
    /// The schema version is not 3.
    SchemaVersion {
        /// The version in the file.
        found: Detail<u32>,
    },
    /// A required field is absent or empty.
    Missing {
        /// Path of the field.
        path: Path,
    },
    /// An index points outside the list it belongs to.
    Index {
        /// Path of the index.
        path: Path,
        /// The kind of entry, for example `tensor`.
        what: Detail<&'static str>,
        /// Value of the index.
        index: Detail<i64>,
        /// The owner of the list.
        owner: Detail<&'static str>,
        /// Length of the list.
        count: Detail<usize>,
    },
    /// A range of bytes exceeds the file.
    FileRange {
        /// Path of the table that contains the range.
        path: Path,
        /// Offset of the first byte.
        offset: Detail<u64>,
        /// Number of bytes.
        size: Detail<u64>,
        /// Size of the file in bytes.
        file: Detail<usize>,
    },
    /// A number that is invalid for its field.
    Value {
        /// Path of the field.
        path: Path,
        /// Value in the file.
        found: Detail<i64>,
        /// The valid values.
        expected: Detail<&'static str>,
    },
    /// A quantization scale is not finite or not positive.
    Scale {
        /// Path of the scale.
        path: Path,
        /// Value in the file.
        found: Detail<f32>,
    },
    /// The length of a list contradicts another field.
    Length {
        /// Path of the list.
        path: Path,
        /// Length of the list.
        found: Detail<usize>,
        /// Required length.
        expected: Detail<usize>,
        /// Where the requirement comes from.
        because: Detail<&'static str>,
    },
    /// A tensor's elements do not fit into memory.
    ShapeOverflow {
        /// Path of the shape.
        path: Path,
    },
    /// Constant data is shorter than type and shape require.
    DataSize {
        /// Path of the tensor.
        path: Path,
        /// Size of the buffer in bytes.
        found: Detail<usize>,
        /// Required bytes.
        needed: Detail<usize>,
    },
    /// The offsets inside a constant string tensor are inconsistent.
    Strings {
        /// Path of the tensor.
        path: Path,
        /// Description of the error.
        reason: Detail<&'static str>,
        /// The string or count with the error.
        found: Detail<u64>,
    },
    /// Sparsity parameters are inconsistent with each other or with the shape.
    Sparsity {
        /// Path of the field.
        path: Path,
        /// Description of the error.
        reason: Detail<&'static str>,
    },
    /// An operator reads a tensor that only a later operator writes.
    ReadBeforeWrite {
        /// Path of the input.
        path: Path,
        /// Index of the tensor.
        tensor: Detail<usize>,
        /// Index of the operator that writes it.
        producer: Detail<usize>,
    },
    /// A tensor is read, but has no data and no operator writes it.
    NeverWritten {
        /// Path of the input or output.
        path: Path,
        /// Index of the tensor.
        tensor: Detail<usize>,
    },
    /// An operator writes a tensor that is already defined.
    WrittenTwice {
        /// Path of the output.
        path: Path,
        /// Index of the tensor.
        tensor: Detail<usize>,
        /// The first definition.
        by: Detail<Definition>,
    },
    /// Two entries of a list have the same name.
    DuplicateName {
        /// Path of the second entry.
        path: Path,
        /// Index of the first entry.
        first: Detail<usize>,
    },
    /// A feature of the format that is not supported.
    Unsupported {
        /// Path of the field that requires it.
        path: Path,
        /// The feature.
        what: Detail<&'static str>,
    },
    /// Too many tables share data, which makes the file too expensive to verify.
    TooMuchSharing {
        /// Path at which the limit was reached.
        path: Path,
    },
    /// The scratch space given to [`crate::Model::new_in`] is too small.
    ScratchTooSmall {
        /// Number of entries given.
        given: Detail<usize>,
        /// Number of entries needed.
        needed: usize,
    },
}

/// How a tensor gets its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Definition {
    /// From constant data in the file.
    Constant,
    /// From the caller: the tensor is an input of the subgraph.
    Input,
    /// From the operator with this index.
    Operator(usize),
}

impl fmt::Display for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Definition::Constant => f.write_str("is a constant"),
            Definition::Input => f.write_str("is an input of the subgraph"),
            Definition::Operator(index) => write!(f, "is already written by operators[{index}]"),
        }
    }
}

/// The longest part of a group's name that a message shows.
#[cfg(feature = "std")]
const LONGEST_NAME: usize = 100;

#[cfg(feature = "std")]
impl ModelError {
    /// An error about the group with this name. The reason follows the name in a sentence.
    pub(crate) fn group(name: &str, reason: impl Into<String>) -> Self {
        ModelError::Group { name: name.to_owned(), reason: reason.into() }
    }

    /// Writes an error about a file.
    fn fmt_file(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModelError::Io { file, message, .. } => write!(f, "{}: {message}", file.display()),
            ModelError::Group { name, reason } => {
                let name: String = name.chars().take(LONGEST_NAME).collect();
                write!(f, "external_buffer_groups: the file '{}' {reason}", name.escape_debug())
            }
            _ => Ok(()),
        }
    }
}

impl From<Malformed> for ModelError {
    fn from(error: Malformed) -> Self {
        ModelError::Structure(error)
    }
}

impl core::error::Error for ModelError {}

#[cfg(not(feature = "messages"))]
impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

#[cfg(feature = "messages")]
impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use ModelError::*;
        match self {
            #[cfg(feature = "std")]
            Io { .. } | Group { .. } => self.fmt_file(f),
            TooShort { bytes } => write!(f, "not a .tflite model: only {bytes} bytes"),
            Identifier { found } => {
                write!(
                    f,
                    "not a .tflite model: file identifier is \"{}\", not \"TFL3\"",
                    found.escape_ascii()
                )
            }
            Structure(error) => write!(f, "{error}"),
            SchemaVersion { found } => write!(f, "version: schema version is {found}, only 3 is supported"),
            Missing { path } => write!(f, "{path}: absent or empty"),
            Index { path, what, index, owner, count } => {
                write!(f, "{path}: {what} index {index}, {owner} has {count} {what}s")
            }
            FileRange { path, offset, size, file } => {
                write!(f, "{path}: {size} bytes at offset {offset} exceed the file of {file} bytes")
            }
            Value { path, found, expected } => write!(f, "{path}: is {found}, must be {expected}"),
            Scale { path, found } => write!(f, "{path}: is {found}, must be finite and positive"),
            Length { path, found, expected, because } => {
                write!(f, "{path}: has {found} entries, must have {expected} ({because})")
            }
            ShapeOverflow { path } => write!(f, "{path}: the tensor's size overflows"),
            DataSize { path, found, needed } => {
                write!(f, "{path}: the buffer has {found} bytes, type and shape need {needed}")
            }
            Strings { path, reason, found } => write!(f, "{path}: string data: {reason} ({found})"),
            Sparsity { path, reason } => write!(f, "{path}: {reason}"),
            ReadBeforeWrite { path, tensor, producer } => {
                write!(f, "{path}: tensor {tensor} is read before operators[{producer}] writes it")
            }
            NeverWritten { path, tensor } => {
                write!(f, "{path}: tensor {tensor} has no data, and no operator or caller writes it")
            }
            WrittenTwice { path, tensor, by } => write!(f, "{path}: tensor {tensor} {by}"),
            DuplicateName { path, first } => write!(f, "{path}: same name as entry {first}"),
            Unsupported { path, what } => write!(f, "{path}: {what} is not supported"),
            TooMuchSharing { path } => {
                write!(f, "{path}: too many tensors share the same data; the file is too expensive to verify")
            }
            ScratchTooSmall { given, needed } => {
                write!(f, "verification needs {needed} entries of scratch space, but {given} were given")
            }
        }
    }
}

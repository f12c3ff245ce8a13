//! `ModelError`: what is wrong with a model file, and in which field.

use core::fmt;

use crate::schema::Malformed;

/// Where in the model a field lies, for instance `subgraphs[0].operators[3].inputs[1]`; without the feature `messages`, nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Path {
    steps: [Step; Path::LIMIT],
    #[cfg(feature = "messages")]
    len: usize,
}

/// One part of a path: a field name, and an index if the field is a list.
pub(crate) type Step = (&'static str, Option<usize>);

impl Path {
    const LIMIT: usize = if cfg!(feature = "messages") { 6 } else { 0 };

    /// The root of the file.
    pub(crate) const fn root() -> Self {
        Path {
            steps: [("", None); Self::LIMIT],
            #[cfg(feature = "messages")]
            len: 0,
        }
    }

    /// This path, then a field.
    pub(crate) fn field(mut self, name: &'static str) -> Self {
        self.enter((name, None));
        self
    }

    /// This path, then an entry of a list field.
    pub(crate) fn entry(mut self, name: &'static str, index: usize) -> Self {
        self.enter((name, Some(index)));
        self
    }

    /// Whether this is the root.
    pub(crate) fn is_root(&self) -> bool {
        self.steps().is_empty()
    }
}

#[cfg(feature = "messages")]
impl Path {
    fn steps(&self) -> &[Step] {
        &self.steps[..self.len]
    }

    /// Goes on to a field. No field of the schema is deeper than the limit.
    pub(crate) fn enter(&mut self, step: Step) {
        if let Some(free) = self.steps.get_mut(self.len) {
            *free = step;
            self.len += 1;
        }
    }

    /// Goes on to an entry of the list that was entered last, or from its entries back to the list.
    pub(crate) fn at(&mut self, index: Option<usize>) {
        if let Some(last) = self.len.checked_sub(1) {
            self.steps[last].1 = index;
        }
    }

    /// Goes back to where the field is that was entered last.
    pub(crate) fn leave(&mut self) {
        self.len = self.len.saturating_sub(1);
    }
}

#[cfg(not(feature = "messages"))]
impl Path {
    fn steps(&self) -> &[Step] {
        &self.steps
    }

    pub(crate) fn enter(&mut self, _: Step) {}

    pub(crate) fn at(&mut self, _: Option<usize>) {}

    pub(crate) fn leave(&mut self) {}
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (depth, (name, index)) in self.steps().iter().enumerate() {
            if depth > 0 {
                f.write_str(".")?;
            }
            f.write_str(name)?;
            if let Some(index) = index {
                write!(f, "[{index}]")?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Path({self})")
    }
}

/// Why a model was refused. Every message that concerns a field begins with its path.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ModelError {
    /// The file could not be opened or mapped.
    #[cfg(feature = "std")]
    Io {
        /// The file.
        file: std::path::PathBuf,
        /// Class of the error.
        kind: std::io::ErrorKind,
        /// What the system says.
        message: String,
    },
    /// Fewer bytes than the smallest flatbuffer has.
    TooShort {
        /// Bytes given.
        bytes: usize,
    },
    /// The file identifier is not `TFL3`.
    Identifier {
        /// Bytes 4 to 7.
        found: [u8; 4],
    },
    /// The structure is not that of a flatbuffer with the schema's tables.
    Structure(Malformed),
    /// The schema version is not 3.
    SchemaVersion {
        /// The version in the file.
        found: u32,
    },
    /// A field that must be there is absent or empty.
    Missing {
        /// The field.
        path: Path,
    },
    /// An index points outside the list it belongs to.
    Index {
        /// The index.
        path: Path,
        /// What is counted, for instance `tensor`.
        what: &'static str,
        /// Its value.
        index: i64,
        /// Whose list it is.
        owner: &'static str,
        /// Length of that list.
        count: usize,
    },
    /// A range of bytes does not lie inside the file.
    FileRange {
        /// The owner of the range.
        path: Path,
        /// First byte.
        offset: u64,
        /// Bytes.
        size: u64,
        /// Bytes in the file.
        file: usize,
    },
    /// A number is not one that the field may hold.
    Value {
        /// The field.
        path: Path,
        /// Its value.
        found: i64,
        /// What it must be.
        expected: &'static str,
    },
    /// A quantization scale is not finite or not positive.
    Scale {
        /// The scale.
        path: Path,
        /// Its value.
        found: f32,
    },
    /// A list has another length than a second field demands.
    Length {
        /// The list.
        path: Path,
        /// Its length.
        found: usize,
        /// The length it must have.
        expected: usize,
        /// What demands it.
        because: &'static str,
    },
    /// A tensor's elements do not fit into memory.
    ShapeOverflow {
        /// The shape.
        path: Path,
    },
    /// Constant data is shorter than type and shape need.
    DataSize {
        /// The tensor.
        path: Path,
        /// Bytes in the buffer.
        found: usize,
        /// Bytes needed.
        needed: usize,
    },
    /// The offsets inside a constant string tensor are inconsistent.
    Strings {
        /// The tensor.
        path: Path,
        /// What is wrong.
        reason: &'static str,
        /// The string or count it is wrong with.
        found: u64,
    },
    /// Sparsity parameters contradict themselves or the shape.
    Sparsity {
        /// The field.
        path: Path,
        /// What is wrong.
        reason: &'static str,
    },
    /// An operator reads a tensor that only a later one produces.
    ReadBeforeWrite {
        /// The input.
        path: Path,
        /// The tensor.
        tensor: usize,
        /// The operator that produces it.
        producer: usize,
    },
    /// A tensor is read that has no data and no producer.
    NeverWritten {
        /// The input or output.
        path: Path,
        /// The tensor.
        tensor: usize,
    },
    /// An operator writes a tensor that something else defines already.
    WrittenTwice {
        /// The output.
        path: Path,
        /// The tensor.
        tensor: usize,
        /// What defines it.
        by: Definition,
    },
    /// Two entries of a list have the same name.
    DuplicateName {
        /// The second entry.
        path: Path,
        /// Index of the first one.
        first: usize,
    },
    /// A feature of the format that is not supported.
    Unsupported {
        /// The field that asks for it.
        path: Path,
        /// What it is.
        what: &'static str,
    },
    /// Data shared by many tensors makes the file too costly to verify.
    TooMuchSharing {
        /// Where the limit was reached.
        path: Path,
    },
    /// The scratch space given to [`crate::Model::new_in`] is too small.
    ScratchTooSmall {
        /// Entries given.
        given: usize,
        /// Entries needed.
        needed: usize,
    },
}

/// What defines a tensor's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Definition {
    /// Constant data in the file.
    Constant,
    /// The caller: the tensor is an input of the subgraph.
    Input,
    /// Output of the operator with this index.
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

impl From<Malformed> for ModelError {
    fn from(error: Malformed) -> Self {
        ModelError::Structure(error)
    }
}

impl core::error::Error for ModelError {}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use ModelError::*;
        match self {
            #[cfg(feature = "std")]
            Io { file, message, .. } => write!(f, "{}: {message}", file.display()),
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
                write!(f, "{path}: {size} bytes at offset {offset} do not lie in the file of {file} bytes")
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
                write!(f, "{path}: too many tensors share the same data, the file is too costly to verify")
            }
            ScratchTooSmall { given, needed } => {
                write!(f, "verification needs {needed} entries of scratch space, {given} were given")
            }
        }
    }
}

//! Constants in other files.

/// A part of another file, written without any check.
#[derive(Clone, Debug, Default)]
pub struct GroupPart {
    /// The id that tensors refer to.
    pub id: u32,
    /// Index of the name of the file.
    pub group: u32,
    /// Offset of the first byte.
    pub offset: u64,
    /// Number of bytes.
    pub length: u64,
    /// How the bytes are stored.
    pub packing: Option<String>,
}

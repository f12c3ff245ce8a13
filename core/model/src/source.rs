//! `ModelBuffer`: owns the bytes of a model (mapped file, vector, caller's memory), verified once.
//!
//! Unsafe code: the memory map, and the borrow of the owner that is kept beside the owner.

use crate::error::ModelError;
use crate::model::Model;
use crate::schema;
use std::fs::File;
use std::io;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::Arc;

type Owner = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// A verified model together with its bytes. Cloning it shares them.
#[derive(Clone)]
pub struct ModelBuffer {
    /// What `owner` gave on its first and only `as_ref`.
    bytes: NonNull<[u8]>,
    /// Position of the verified root in `bytes`.
    root: usize,
    /// Keeps `bytes` alive.
    _owner: Owner,
}

// SAFETY: the bytes are only read, and their owner is Send and Sync.
unsafe impl Send for ModelBuffer {}
// SAFETY: the bytes are only read, and their owner is Send and Sync.
unsafe impl Sync for ModelBuffer {}

impl ModelBuffer {
    /// Maps a file, read-only, and verifies it. The file must not be changed or cut while it is in use, as
    /// with every mapped file: replace it by renaming another over it.
    ///
    /// # Errors
    /// [`ModelError::Io`] for what cannot be mapped (absent, a directory, empty); otherwise as [`Model::new`].
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, ModelError> {
        let path = path.as_ref();
        let map = map(path).map_err(|error| ModelError::Io {
            file: path.to_path_buf(),
            kind: error.kind(),
            message: error.to_string(),
        })?;
        Self::from_owner(Arc::new(map))
    }

    /// Takes over bytes and verifies them.
    ///
    /// # Errors
    /// As [`Model::new`].
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, ModelError> {
        Self::from_owner(Arc::new(bytes))
    }

    /// Verifies bytes that live as long as the program.
    ///
    /// # Errors
    /// As [`Model::new`].
    pub fn from_static(bytes: &'static [u8]) -> Result<Self, ModelError> {
        Self::from_owner(Arc::new(bytes))
    }

    /// Verifies memory of the caller, which is released with the last clone of this value.
    ///
    /// # Errors
    /// As [`Model::new`].
    pub fn from_owner(owner: Arc<dyn AsRef<[u8]> + Send + Sync>) -> Result<Self, ModelError> {
        let bytes: &[u8] = (*owner).as_ref();
        let root = Model::new(bytes)?.0.position();
        let bytes = NonNull::from(bytes);
        Ok(ModelBuffer { bytes, root, _owner: owner })
    }

    /// The model, without verifying again.
    pub fn model(&self) -> Model<'_> {
        // SAFETY: the root was found in these very bytes when the buffer was made.
        Model(unsafe { schema::root_at(self.bytes(), self.root) })
    }

    /// The bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: `as_ref` lent these bytes for as long as the owner is borrowed. The owner lies in an Arc that
        // this value holds: it neither moves nor is lent mutably nor dropped before this value is.
        unsafe { self.bytes.as_ref() }
    }
}

impl std::fmt::Debug for ModelBuffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ModelBuffer({} bytes)", self.bytes.len())
    }
}

fn map(path: &Path) -> io::Result<memmap2::Mmap> {
    let file = File::open(path)?;
    let kind = file.metadata()?;
    if kind.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a directory, not a model file"));
    }
    if !kind.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "is not a regular file"));
    }
    if kind.len() == 0 {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "is empty"));
    }
    // SAFETY: the map is private and read-only; `from_file` documents that the file must stay as it is.
    unsafe { memmap2::MmapOptions::new().map_copy_read_only(&file) }
}

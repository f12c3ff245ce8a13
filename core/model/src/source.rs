//! `ModelBuffer`: owns the bytes of a model (mapped file, vector, caller's memory), verified once.
//!
//! Unsafe code: the memory map, and the borrow of the owner that is kept beside the owner.

use crate::error::ModelError;
use crate::model::Model;
use crate::schema;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
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
    /// The owner, if it is a mapped file.
    map: Option<Arc<memmap2::Mmap>>,
    /// See [`ModelBuffer::origin`].
    origin: [u64; 4],
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
        // Asked before opening: opening a named pipe would wait for a writer.
        let kind = std::fs::metadata(path).and_then(|kind| expect_file(&kind));
        let mapped = kind.and_then(|()| File::open(path)).and_then(|file| map(&file, None));
        Self::from_map(mapped, path.to_path_buf())
    }

    /// Maps `length` bytes of an open file from `offset` on, any, and verifies them: a model inside another file, such as an archive,
    /// or one of which there is a descriptor and no path. The file may be closed then; it must not be changed.
    ///
    /// # Errors
    /// [`ModelError::Io`] for what cannot be mapped (no regular file, no bytes, a part beyond the file's end, with both numbers);
    /// otherwise as [`Model::new`].
    pub fn from_file_part(file: &File, offset: u64, length: u64) -> Result<Self, ModelError> {
        let name = format!("the file's {length} bytes from {offset} on");
        Self::from_map(map(file, Some((offset, length))), name.into())
    }

    fn from_map(mapped: io::Result<(memmap2::Mmap, [u64; 4])>, file: PathBuf) -> Result<Self, ModelError> {
        let (map, origin) = mapped.map_err(|error| ModelError::Io {
            file,
            kind: error.kind(),
            message: error.to_string(),
        })?;
        let map = Arc::new(map);
        let mut buffer = Self::from_owner(Arc::clone(&map) as Owner)?;
        buffer.map = Some(map);
        buffer.origin = origin;
        Ok(buffer)
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
        Ok(ModelBuffer { bytes, root, _owner: owner, map: None, origin: [0; 4] })
    }

    /// The model, without verifying again.
    pub fn model(&self) -> Model<'_> {
        Model(schema::root_at(self.bytes(), self.root))
    }

    /// Four numbers that change when the mapped file does: device, number, size (and offset, of a part), time of the last change in nanoseconds. Zeros
    /// for bytes that are no mapped file, and where the system does not tell.
    pub fn origin(&self) -> [u64; 4] {
        self.origin
    }

    /// Lets the system take the pages of `bytes`, a part of a mapped file, out of memory: for constants of which somebody has a
    /// copy in another form. They, and what else lies on these pages, stay readable, and come back from the file when they are read.
    /// Nothing happens to other bytes.
    pub fn release(&self, bytes: &[u8]) {
        #[cfg(unix)]
        {
            let Some(map) = &self.map else { return };
            let (from, start) = (map.as_ptr() as usize, bytes.as_ptr() as usize);
            if start < from || start + bytes.len() > from + map.len() {
                return;
            }
            // What the system brings along when it reads a page: at least a page of every size in use.
            const AROUND: usize = 1 << 16;
            // Fewer bytes are hardly worth the call; their pages go with those of larger neighbours.
            const WORTH: usize = 1 << 12;
            let first = (start / AROUND * AROUND).max(from) - from;
            let end = (start + bytes.len()).next_multiple_of(AROUND).min(from + map.len()) - from;
            if bytes.len() >= WORTH {
                // SAFETY: the map is read-only and never written, so its pages are the file's: dropping them loses nothing.
                let result = unsafe {
                    map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, first, end - first)
                };
                // Advice that is not taken changes nothing.
                drop(result);
            }
        }
        #[cfg(not(unix))]
        let _ = bytes;
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

#[cfg(unix)]
fn origin(file: &std::fs::Metadata, offset: u64, length: u64) -> [u64; 4] {
    use std::os::unix::fs::MetadataExt;
    let time = file.mtime().wrapping_mul(1_000_000_000).wrapping_add(file.mtime_nsec());
    [file.dev(), file.ino(), length.wrapping_add(offset.rotate_left(32)), time as u64]
}

#[cfg(not(unix))]
fn origin(_: &std::fs::Metadata, _: u64, _: u64) -> [u64; 4] {
    [0; 4]
}

fn expect_file(kind: &std::fs::Metadata) -> io::Result<()> {
    match (kind.is_file(), kind.is_dir()) {
        (true, _) => Ok(()),
        (_, true) => Err(io::Error::new(io::ErrorKind::IsADirectory, "is a directory, not a model file")),
        _ => Err(io::Error::new(io::ErrorKind::InvalidInput, "is not a regular file")),
    }
}

/// A file, or so many bytes of it from an offset on; and its origin.
fn map(file: &File, part: Option<(u64, u64)>) -> io::Result<(memmap2::Mmap, [u64; 4])> {
    let kind = file.metadata()?;
    expect_file(&kind)?;
    if kind.len() == 0 {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "is empty"));
    }
    let (offset, length) = part.unwrap_or((0, kind.len()));
    if offset.checked_add(length).is_none_or(|end| end > kind.len()) {
        let message = format!("end beyond the file, which has {} bytes", kind.len());
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, message));
    }
    let length = usize::try_from(length).ok().filter(|&length| length > 0);
    let length = length.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "cannot be mapped"))?;
    let mut options = memmap2::MmapOptions::new();
    options.offset(offset).len(length);
    // SAFETY: the map is private and read-only; `from_file` documents that the file must stay as it is.
    let map = unsafe { options.map_copy_read_only(file) }?;
    Ok((map, origin(&kind, offset, length as u64)))
}

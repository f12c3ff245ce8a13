//! A model that interpreters share.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arenite_model::ModelBuffer;

use crate::error::{Error, Result};
use crate::quota::{Quota, Resource};

/// An error for more bytes than a process may read by default: a sparse file can be larger than memory.
fn expect_room(bytes: u64, purpose: impl FnOnce() -> String) -> Result<()> {
    let limit = Quota::default().bytes;
    if bytes > limit {
        return Err(Error::quota(Resource::Bytes, purpose(), bytes, limit));
    }
    Ok(())
}

/// A verified `.tflite` model. Clones share it; an interpreter keeps it alive.
#[derive(Clone, Debug)]
pub struct Model {
    buffer: Arc<ModelBuffer>,
}

impl Model {
    /// Reads a file into memory and verifies it. What happens to the file afterwards changes nothing.
    ///
    /// # Errors
    /// What is no regular file, is empty, cannot be read, or is no sound model; a file that is larger than the default of
    /// [`Quota::bytes`].
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        // What cannot be opened is told by the reader.
        let length = path.metadata().map_or(0, |file| if file.is_file() { file.len() } else { 0 });
        expect_room(length, || format!("the file '{}'", path.display()))?;
        let _span = tracing::info_span!("load_model", path = %path.display()).entered();
        Ok(Model { buffer: Arc::new(ModelBuffer::from_file(path)?) })
    }

    /// Reads `length` bytes of an open file from `offset` on and verifies them: a model inside another file, or one of which there is a
    /// descriptor alone, of which `File::from(OwnedFd)` makes a file.
    ///
    /// # Errors
    /// No regular file, no bytes, a part beyond the file's end; otherwise as [`from_file`](Self::from_file).
    pub fn from_file_part(file: &File, offset: u64, length: u64) -> Result<Self> {
        if file.metadata().is_ok_and(|file| file.len() >= length) {
            expect_room(length, || "a part of a file".to_owned())?;
        }
        Ok(Model { buffer: Arc::new(ModelBuffer::from_file_part(file, offset, length)?) })
    }

    /// Maps a file into memory and verifies it. Nothing is copied, processes share the pages, and those of packed weights leave memory:
    /// a large model starts sooner and takes less than with [`from_file`](Self::from_file). `docs/config.md` has figures.
    ///
    /// # Errors
    /// As [`from_file`](Self::from_file).
    ///
    /// # Safety
    /// Until the model and its interpreters are dropped, nobody writes to the file or cuts it short. Replacing it by renaming another
    /// file over it is fine.
    pub unsafe fn map_file(path: impl AsRef<Path>) -> Result<Self> {
        let _span = tracing::info_span!("load_model", path = %path.as_ref().display()).entered();
        // SAFETY: the file stays as it is, as this function requires.
        Ok(Model { buffer: Arc::new(unsafe { ModelBuffer::map_file(path) }?) })
    }

    /// Maps a part of an open file, which may be closed then, as [`map_file`](Self::map_file) maps a whole one.
    ///
    /// # Errors
    /// As [`from_file_part`](Self::from_file_part).
    ///
    /// # Safety
    /// As [`map_file`](Self::map_file).
    pub unsafe fn map_file_part(file: &File, offset: u64, length: u64) -> Result<Self> {
        // SAFETY: the file stays as it is, as this function requires.
        Ok(Model { buffer: Arc::new(unsafe { ModelBuffer::map_file_part(file, offset, length) }?) })
    }

    /// Takes and verifies the bytes of a file.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self> {
        Ok(Model { buffer: Arc::new(ModelBuffer::from_bytes(bytes)?) })
    }

    /// Verifies bytes that live as long as the program.
    pub fn from_static(bytes: &'static [u8]) -> Result<Self> {
        Ok(Model { buffer: Arc::new(ModelBuffer::from_static(bytes)?) })
    }

    /// Verifies bytes that somebody else owns, and shares their ownership.
    pub fn from_owner(owner: Arc<dyn AsRef<[u8]> + Send + Sync>) -> Result<Self> {
        Ok(Model { buffer: Arc::new(ModelBuffer::from_owner(owner)?) })
    }

    /// The model's tables: subgraphs, tensors, operators, signatures, metadata.
    pub fn view(&self) -> arenite_model::Model<'_> {
        self.buffer.model()
    }

    /// See [`ModelBuffer::origin`].
    pub(crate) fn origin(&self) -> [u64; 4] {
        self.buffer.origin()
    }

    /// See [`ModelBuffer::release`].
    pub(crate) fn release(&self, bytes: &[u8]) {
        self.buffer.release(bytes);
    }

    /// Keys of the signatures.
    pub fn signature_keys(&self) -> Vec<String> {
        self.view().signatures().iter().map(|signature| signature.key().to_owned()).collect()
    }
}

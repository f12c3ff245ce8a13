//! A model that interpreters share.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arenite_model::ModelBuffer;

use crate::error::Result;

/// A verified `.tflite` model. Clones share it; an interpreter keeps it alive.
#[derive(Clone, Debug)]
pub struct Model {
    buffer: Arc<ModelBuffer>,
}

impl Model {
    /// Maps a file into memory and verifies it. The file must not be changed while the model lives.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self> {
        let _span = tracing::info_span!("load_model", path = %path.as_ref().display()).entered();
        Ok(Model { buffer: Arc::new(ModelBuffer::from_file(path)?) })
    }

    /// Maps `length` bytes of an open file from `offset` on, any, and verifies them: a model inside another file, or one of which there
    /// is a descriptor alone, of which `File::from(OwnedFd)` makes a file. The file may be closed then; it must not be changed.
    ///
    /// # Errors
    /// No regular file, no bytes, a part beyond the file's end; otherwise as [`from_file`](Self::from_file).
    pub fn from_file_part(file: &File, offset: u64, length: u64) -> Result<Self> {
        Ok(Model { buffer: Arc::new(ModelBuffer::from_file_part(file, offset, length)?) })
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

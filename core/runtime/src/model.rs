//! A model that several interpreters can share.

use std::fs::File;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use arenite_model::{ModelBuffer, Source};

use crate::error::{Error, Resource, Result};
use crate::passed_constants::PassedConstants;
use crate::quota::Quota;

/// Refuses more bytes than the default quota; a sparse file can be larger than memory.
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
    passed: Arc<OnceLock<PassedConstants>>,
}

impl Model {
    fn of(buffer: ModelBuffer) -> Self {
        Model { buffer: Arc::new(buffer), passed: Arc::default() }
    }

    /// Reads a file into memory and verifies it. Later changes of the file have no effect. Other files with constants,
    /// which the model names, are read from the same folder.
    ///
    /// # Errors
    /// A path is not a regular file, or a file is empty, unreadable, not a valid model, or larger than the default
    /// of [`Quota::bytes`]. The name of another file leads out of the folder.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        // If the file cannot be opened, the reader reports the error.
        let length = path.metadata().map_or(0, |file| if file.is_file() { file.len() } else { 0 });
        expect_room(length, || format!("the file '{}'", path.display()))?;
        let _span = tracing::info_span!("load_model", path = %path.display()).entered();
        Self::verified(ModelBuffer::source(path)?, &[])
    }

    /// Reads `length` bytes of an open file from `offset` and verifies them. Use it for a model inside another file, or
    /// for a file descriptor, which `File::from(OwnedFd)` turns into a file.
    ///
    /// # Errors
    /// Not a regular file, no bytes, or a part beyond the end of the file; otherwise see
    /// [`from_file`](Self::from_file).
    pub fn from_file_part(file: &File, offset: u64, length: u64) -> Result<Self> {
        if file.metadata().is_ok_and(|file| file.len() >= length) {
            expect_room(length, || "a part of a file".to_owned())?;
        }
        Ok(Model::of(ModelBuffer::from_file_part(file, offset, length)?))
    }

    /// Maps a file into memory and verifies it. Nothing is copied, processes share the pages, and pages of packed
    /// weights can be dropped. So a large model starts sooner and needs less memory than with
    /// [`from_file`](Self::from_file). `docs/faster.md` has figures.
    ///
    /// # Errors
    /// See [`from_file`](Self::from_file).
    ///
    /// # Safety
    /// Until the model and its interpreters are dropped, the file is neither written nor truncated. Renaming another
    /// file over it is fine.
    pub unsafe fn map_file(path: impl AsRef<Path>) -> Result<Self> {
        let _span = tracing::info_span!("load_model", path = %path.as_ref().display()).entered();
        // SAFETY: this function requires that the file is neither written nor truncated.
        Ok(Model::of(unsafe { ModelBuffer::map_file(path) }?))
    }

    /// As [`map_file`](Self::map_file), for a part of an open file, which may then be closed.
    ///
    /// # Errors
    /// See [`from_file_part`](Self::from_file_part).
    ///
    /// # Safety
    /// See [`map_file`](Self::map_file).
    pub unsafe fn map_file_part(file: &File, offset: u64, length: u64) -> Result<Self> {
        // SAFETY: this function requires that the file is neither written nor truncated.
        Ok(Model::of(unsafe { ModelBuffer::map_file_part(file, offset, length) }?))
    }

    /// Verifies a model whose constants are also in other files, with the bytes of these files by name. A file that is
    /// not given is read from the model's folder, or mapped if the model is.
    ///
    /// # Errors
    /// See [`from_file`](Self::from_file). A file is neither given nor next to the model.
    pub fn with_groups(model: Source, groups: &[(&str, Source)]) -> Result<Self> {
        Self::verified(model, groups)
    }

    fn verified(model: Source, groups: &[(&str, Source)]) -> Result<Self> {
        let mut total = model.bytes().len() as u64;
        let group = |name: &str| {
            if let Some((_, source)) = groups.iter().find(|(given, _)| *given == name) {
                return Ok(source.clone());
            }
            if !model.is_mapped() {
                let length = model.path_next_to(name)?.metadata().map_or(0, |file| file.len());
                total = total.saturating_add(length);
                expect_room(total, || format!("the files of the model, with '{}'", name.escape_debug()))?;
            }
            Ok(model.next_to(name)?)
        };
        Ok(Model::of(ModelBuffer::with_groups::<Error>(model.clone(), group)?))
    }

    /// Takes and verifies the bytes of a file.
    ///
    /// # Errors
    /// The bytes are not a valid model; the error names the field.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self> {
        Ok(Model::of(ModelBuffer::from_bytes(bytes)?))
    }

    /// Verifies other bytes of this model, which has the same other files with constants.
    ///
    /// # Errors
    /// The bytes are not a valid model; the error names the field.
    pub fn with_bytes(&self, bytes: Vec<u8>) -> Result<Self> {
        Ok(Model::of(self.buffer.with_bytes(bytes)?))
    }

    /// Verifies static bytes.
    ///
    /// # Errors
    /// The bytes are not a valid model; the error names the field.
    pub fn from_static(bytes: &'static [u8]) -> Result<Self> {
        Ok(Model::of(ModelBuffer::from_static(bytes)?))
    }

    /// Verifies shared bytes, and keeps them alive.
    ///
    /// # Errors
    /// The bytes are not a valid model; the error names the field.
    pub fn from_owner(owner: Arc<dyn AsRef<[u8]> + Send + Sync>) -> Result<Self> {
        Ok(Model::of(ModelBuffer::from_owner(owner)?))
    }

    /// The model's tables: subgraphs, tensors, operators, signatures, metadata.
    pub fn view(&self) -> arenite_model::Model<'_> {
        self.buffer.model()
    }

    /// The constants that callers pass to subgraphs.
    pub(crate) fn passed_constants(&self) -> &PassedConstants {
        self.passed.get_or_init(|| PassedConstants::of(&self.view()))
    }

    /// See [`ModelBuffer::origin`].
    pub(crate) fn origin(&self) -> [u64; 4] {
        self.buffer.origin()
    }

    /// See [`ModelBuffer::release`].
    pub(crate) fn release(&self, bytes: &[u8]) {
        self.buffer.release(bytes);
    }

    /// The keys of the signatures.
    pub fn signature_keys(&self) -> Vec<String> {
        self.view().signatures().iter().map(|signature| signature.key().to_owned()).collect()
    }
}

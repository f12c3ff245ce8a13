//! `ModelBuffer`: a verified model, and the sources of its bytes.

use crate::error::ModelError;
use crate::external::Groups;
use crate::model::Model;
use crate::schema;
use crate::source::Source;
use crate::verify;
use std::collections::HashMap;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

/// A verified model together with its bytes. Cloning it shares them.
///
/// Constants can be in other files next to the model's, the groups of external buffers. They are read or mapped like
/// the model.
#[derive(Clone)]
pub struct ModelBuffer {
    file: Source,
    /// Position of the verified root table in `file`.
    root: usize,
    /// By the index of the group; `None` for a group that no tensor uses.
    groups: Arc<[Option<Source>]>,
}

impl ModelBuffer {
    /// Reads a file into memory and verifies it. Later changes to the file have no effect.
    ///
    /// # Errors
    /// [`ModelError::Io`] if a file cannot be read (it is absent, a directory, empty, truncated while it is read, or
    /// larger than memory); [`ModelError::Group`] if the name of another file leads out of the model's folder;
    /// otherwise as for [`Model::new`].
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, ModelError> {
        Self::new(Source::of_model(path.as_ref())?)
    }

    /// Reads a file that must be a model, for [`with_groups`](Self::with_groups). Of any other file, only the first
    /// bytes are read.
    ///
    /// # Errors
    /// As for [`Source::from_file`].
    pub fn source(path: impl AsRef<Path>) -> Result<Source, ModelError> {
        Source::of_model(path.as_ref())
    }

    /// Reads `length` bytes at `offset` of an open file and verifies them, for a model inside another file, such as an
    /// archive, or one known only by its descriptor. On Unix the position of the file does not change.
    ///
    /// # Errors
    /// As for [`Source::from_file_part`] and [`new`](Self::new).
    pub fn from_file_part(file: &File, offset: u64, length: u64) -> Result<Self, ModelError> {
        Self::new(Source::of_model_part(file, offset, length)?)
    }

    /// Maps a file read-only and verifies it: see [`Source::map_file`].
    ///
    /// # Errors
    /// As for [`from_file`](Self::from_file).
    ///
    /// # Safety
    /// As for [`Source::map_file`]: until the last clone of this value is dropped, neither the file nor the others that
    /// the model names may change.
    ///
    /// ```compile_fail,E0133
    /// let model = arenite_model::ModelBuffer::map_file("model.tflite");
    /// ```
    pub unsafe fn map_file(path: impl AsRef<Path>) -> Result<Self, ModelError> {
        // SAFETY: this function requires the same.
        Self::new(unsafe { Source::map_file(path) }?)
    }

    /// Maps a part of an open file, which may then be closed: see [`Source::map_file_part`].
    ///
    /// # Errors
    /// As for [`from_file_part`](Self::from_file_part).
    ///
    /// # Safety
    /// As for [`map_file`](Self::map_file).
    pub unsafe fn map_file_part(file: &File, offset: u64, length: u64) -> Result<Self, ModelError> {
        // SAFETY: this function requires the same.
        Self::new(unsafe { Source::map_file_part(file, offset, length) }?)
    }

    /// Takes ownership of bytes and verifies them.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, ModelError> {
        Self::new(Source::from_bytes(bytes))
    }

    /// Verifies static bytes.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn from_static(bytes: &'static [u8]) -> Result<Self, ModelError> {
        Self::new(Source::from_static(bytes))
    }

    /// Verifies memory of the caller. The owner is released with the last clone of this value.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn from_owner(owner: Arc<dyn AsRef<[u8]> + Send + Sync>) -> Result<Self, ModelError> {
        Self::new(Source::from_owner(owner))
    }

    /// Verifies a model. Other files with constants are found by [`Source::next_to`].
    ///
    /// # Errors
    /// As for [`Model::new`] and [`Source::next_to`].
    pub fn new(file: Source) -> Result<Self, ModelError> {
        Self::with_groups(file.clone(), |name| file.next_to(name))
    }

    /// Verifies a model whose constants are also in other files. `group` returns the file with a name; it is called
    /// once for each name that the model uses.
    ///
    /// # Errors
    /// As for [`Model::new`], and the errors of `group`.
    pub fn with_groups<E: From<ModelError>>(
        file: Source,
        mut group: impl FnMut(&str) -> Result<Source, E>,
    ) -> Result<Self, E> {
        let root = verify::structure(file.bytes())?;
        let mut found: HashMap<&str, Source> = HashMap::new();
        let mut groups = Vec::new();
        for (entry, used) in root.external_buffer_groups().iter().zip(root.used_groups()) {
            let name = entry.name().unwrap_or_default();
            let source = match found.get(name) {
                _ if !used => None,
                Some(source) => Some(source.clone()),
                None => Some(group(name)?),
            };
            found.extend(source.clone().map(|source| (name, source)));
            groups.push(source);
        }
        let root = Model::with_groups(root, Groups { sources: &groups })?.root.position();
        drop(found);
        Ok(ModelBuffer { file, root, groups: groups.into() })
    }

    /// Verifies other bytes of this model, which has the same other files.
    ///
    /// # Errors
    /// As for [`Model::new`]; [`ModelError::Group`] for a file that this model does not use.
    pub fn with_bytes(&self, bytes: Vec<u8>) -> Result<Self, ModelError> {
        let names = self.model().external_buffer_groups();
        Self::with_groups(Source::from_bytes(bytes), |wanted| {
            let mut known = names.iter().zip(self.groups.iter());
            let found = known.find_map(|(group, source)| match group.name().unwrap_or_default() == wanted {
                true => source.clone(),
                false => None,
            });
            found.ok_or_else(|| ModelError::group(wanted, "is not one that the unchanged model uses"))
        })
    }

    /// The model. It is not verified again.
    pub fn model(&self) -> Model<'_> {
        let groups = Groups { sources: &self.groups };
        Model { root: schema::root_at(self.bytes(), self.root), groups }
    }

    /// The bytes of the model, without other files.
    pub fn bytes(&self) -> &[u8] {
        self.file.bytes()
    }

    /// Four numbers that identify the files, see [`Source::origin`]; zeros if one of them is not known.
    pub fn origin(&self) -> [u64; 4] {
        let mut all = self.file.origin();
        for origin in self.groups.iter().flatten().map(Source::origin) {
            if origin == [0; 4] || all == [0; 4] {
                return [0; 4];
            }
            all[1] = all[1].rotate_left(7) ^ origin[1];
            all[2] = all[2].wrapping_add(origin[2]);
            all[3] = all[3].rotate_left(7) ^ origin[3];
        }
        all
    }

    /// Lets the system evict the pages of `bytes` from memory, if they are in a mapped file: see [`Source::release`].
    pub fn release(&self, bytes: &[u8]) {
        let others = self.groups.iter().flatten();
        std::iter::once(&self.file).chain(others).for_each(|source| source.release(bytes));
    }
}

impl std::fmt::Debug for ModelBuffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ModelBuffer({} bytes)", self.bytes().len())
    }
}

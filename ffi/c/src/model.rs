//! Functions of `arenite/model.h`: load models from a file or a part of one, from memory that is copied, and from
//! memory that the caller lends.

use std::ffi::{CString, c_char, c_int, c_void};
use std::fs::File;
use std::path::PathBuf;
use std::ptr;
use std::sync::Arc;

use arenite::{Model, Source};

use crate::arguments::{self, ArReleaseCallback, ProgramMemory, list, out, shared, text, text_at};
use crate::error::{ArError, Failure, Result, c_string, guard, guard_value};

/// A verified model.
pub struct ArModel {
    pub(crate) model: Model,
    /// The file, if the model was loaded from one.
    pub(crate) path: Option<PathBuf>,
    signature_keys: Vec<CString>,
}

impl ArModel {
    fn new(model: Model, path: Option<PathBuf>) -> Self {
        let signature_keys = model.signature_keys().iter().map(|key| c_string(key)).collect();
        ArModel { model, path, signature_keys }
    }
}

/// Reads and verifies a file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_model_from_file(path: *const c_char, model: *mut *mut ArModel) -> *mut ArError {
    guard(|| {
        // SAFETY: `model` is null or writable, as the header requires.
        let (out, path) = unsafe { (out(model, "model")?, text(path, "path")?) };
        out.give(ArModel::new(Model::from_file(path)?, Some(path.into())));
        Ok(())
    })
}

/// Maps and verifies a file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_model_map_file(path: *const c_char, model: *mut *mut ArModel) -> *mut ArError {
    guard(|| {
        // SAFETY: `model` is null or writable and `path` is null or a null-terminated string, as the header requires;
        // null is rejected.
        let (out, path) = unsafe { (out(model, "model")?, text(path, "path")?) };
        // SAFETY: the header requires that the file is not modified while the model exists.
        out.give(ArModel::new(unsafe { Model::map_file(path) }?, Some(path.into())));
        Ok(())
    })
}

/// Reads and verifies a part of an open file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_model_from_descriptor(
    descriptor: c_int,
    offset: u64,
    length: u64,
    model: *mut *mut ArModel,
) -> *mut ArError {
    guard(|| {
        // SAFETY: `model` is null or writable, as the header requires.
        let out = unsafe { out(model, "model") }?;
        let file = file_of(descriptor)?;
        out.give(ArModel::new(Model::from_file_part(&file, offset, length)?, None));
        Ok(())
    })
}

/// Maps and verifies a part of an open file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_model_map_descriptor(
    descriptor: c_int,
    offset: u64,
    length: u64,
    model: *mut *mut ArModel,
) -> *mut ArError {
    guard(|| {
        // SAFETY: `model` is null or writable, as the header requires.
        let out = unsafe { out(model, "model") }?;
        let file = file_of(descriptor)?;
        // SAFETY: the header requires that the file is not modified while the model exists.
        out.give(ArModel::new(unsafe { Model::map_file_part(&file, offset, length) }?, None));
        Ok(())
    })
}

/// Another descriptor of the same file.
#[cfg(unix)]
fn file_of(descriptor: c_int) -> Result<File> {
    use std::os::fd::BorrowedFd;
    if descriptor < 0 {
        return Err(Failure::argument(format!(
            "argument 'descriptor' is {descriptor}, which is not an open file"
        )));
    }
    // SAFETY: not negative. Only `try_clone_to_owned` uses it, which fails if it is not open.
    let file = unsafe { BorrowedFd::borrow_raw(descriptor) }.try_clone_to_owned();
    let failed = |error| Failure::new(crate::error::AR_ERROR_IO, format!("descriptor {descriptor}: {error}"));
    file.map(File::from).map_err(failed)
}

#[cfg(not(unix))]
fn file_of(_: c_int) -> Result<File> {
    let message = "this system has no descriptors: load the file by its path, or its bytes from memory";
    Err(Failure::new(crate::error::AR_ERROR_UNSUPPORTED, message))
}

/// Copies and verifies bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_model_from_memory(
    data: *const c_void,
    size: usize,
    model: *mut *mut ArModel,
) -> *mut ArError {
    guard(|| {
        // SAFETY: `model` is null or writable, as the header requires.
        let (out, bytes) = unsafe { (out(model, "model")?, list(data.cast::<u8>(), size, "data")?) };
        out.give(ArModel::new(Model::from_bytes(bytes.to_vec())?, None));
        Ok(())
    })
}

/// Verifies bytes that the caller lends.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_model_from_borrowed(
    data: *const c_void,
    size: usize,
    release: ArReleaseCallback,
    user_data: *mut c_void,
    model: *mut *mut ArModel,
) -> *mut ArError {
    guard(|| {
        // `lent` calls `release` when it is dropped, on every return path.
        let lent = ProgramMemory { data: data.cast_mut().cast(), size, release, user_data };
        // SAFETY: `data` is null or points to `size` bytes and `model` is null or writable, as the header requires.
        // `list` rejects null and sizes that exceed the largest object.
        let out = unsafe {
            list(lent.data.cast_const(), size, "data")?;
            out(model, "model")?
        };
        let model =
            if size == 0 { Model::from_bytes(Vec::new())? } else { Model::from_owner(Arc::new(lent))? };
        out.give(ArModel::new(model, None));
        Ok(())
    })
}

/// Another file with constants.
#[repr(C)]
pub struct ArGroup {
    name: *const c_char,
    data: *const c_void,
    size: usize,
    release: ArReleaseCallback,
    user_data: *mut c_void,
}

/// Verifies bytes that the caller lends: a model, and other files with its constants.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_model_with_groups(
    data: *const c_void,
    size: usize,
    release: ArReleaseCallback,
    user_data: *mut c_void,
    groups: *const ArGroup,
    count: usize,
    model: *mut *mut ArModel,
) -> *mut ArError {
    guard(|| {
        // Lent bytes call `release` when they are dropped, on every return path.
        let lend = |data: *const c_void, size, release, user_data| {
            Arc::new(ProgramMemory { data: data.cast_mut().cast(), size, release, user_data })
        };
        let file = lend(data, size, release, user_data);
        // SAFETY: `groups` is null or points to `count` groups, as the header requires.
        let groups = unsafe { list(groups, count, "groups") }?;
        let lent: Vec<_> = groups.iter().map(|g| lend(g.data, g.size, g.release, g.user_data)).collect();
        // SAFETY: `model` is null or writable, as the header requires.
        let out = unsafe { out(model, "model") }?;
        let mut sources = Vec::with_capacity(lent.len());
        for (group, lent) in groups.iter().zip(lent) {
            // SAFETY: each name is null or a null-terminated string, as the header requires; null is rejected.
            sources.push((unsafe { text(group.name, "name") }?, source(lent)?));
        }
        out.give(ArModel::new(Model::with_groups(source(file)?, &sources)?, None));
        Ok(())
    })
}

fn source(lent: Arc<ProgramMemory>) -> Result<Source> {
    // SAFETY: the header requires that `data` is null or points to `size` bytes. `list` rejects null and sizes that
    // exceed the largest object.
    unsafe { list(lent.data.cast_const(), lent.size, "data") }?;
    Ok(if lent.size == 0 { Source::from_bytes(Vec::new()) } else { Source::from_owner(lent) })
}

/// The number of signatures; 0 for null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_model_signature_count(model: *const ArModel) -> usize {
    // SAFETY: `model` is null or a live handle, as the header requires.
    guard_value(0, || Ok(unsafe { shared(model, "model") }?.signature_keys.len()))
}

/// The key of a signature; null if the index is out of range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_model_signature_key(model: *const ArModel, index: usize) -> *const c_char {
    guard_value(ptr::null(), || {
        // SAFETY: `model` is null or a live handle, as the header requires.
        let model = unsafe { shared(model, "model") }?;
        Ok(text_at(&model.signature_keys, index))
    })
}

/// Frees a model. Does nothing for null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_model_free(model: *mut ArModel) {
    // SAFETY: `model` is null or a model that the caller owns, as the header requires.
    unsafe { arguments::free(model) };
}

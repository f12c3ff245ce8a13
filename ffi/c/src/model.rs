//! Models: from a file, from memory that is copied, from memory that is lent.

use std::ffi::{CString, c_char, c_void};
use std::path::PathBuf;
use std::ptr;
use std::sync::Arc;

use arenite::Model;

use crate::arguments::{self, ArReleaseCallback, Lent, list, out, shared, text, text_at};
use crate::error::{ArError, c_string, guard, guard_value};

/// A verified model.
pub struct ArModel {
    pub(crate) model: Model,
    /// Where it was read from.
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
        // SAFETY: `model` is null or writable, as `# Safety` requires.
        let (out, path) = unsafe { (out(model, "model")?, text(path, "path")?) };
        out.give(ArModel::new(Model::from_file(path)?, Some(path.into())));
        Ok(())
    })
}

/// Maps and verifies a file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_model_map_file(path: *const c_char, model: *mut *mut ArModel) -> *mut ArError {
    guard(|| {
        // SAFETY: model.h asks for a result that is writable and a path that ends with a null byte, or null, which is refused.
        let (out, path) = unsafe { (out(model, "model")?, text(path, "path")?) };
        // SAFETY: model.h asks that the file stays as it is.
        out.give(ArModel::new(unsafe { Model::map_file(path) }?, Some(path.into())));
        Ok(())
    })
}

/// Copies and verifies bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_model_from_memory(
    data: *const c_void,
    size: usize,
    model: *mut *mut ArModel,
) -> *mut ArError {
    guard(|| {
        // SAFETY: `model` is null or writable, as `# Safety` requires.
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
        // From here on `release` is called on every way out.
        let lent = Lent { data: data.cast_mut().cast(), size, release, user_data };
        // SAFETY: the crate's rule. The list refuses null and sizes that no object has.
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

/// Number of signatures.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_model_signature_count(model: *const ArModel) -> usize {
    // SAFETY: `model` is null or a live handle, as `# Safety` requires.
    guard_value(0, || Ok(unsafe { shared(model, "model") }?.signature_keys.len()))
}

/// Key of a signature, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_model_signature_key(model: *const ArModel, index: usize) -> *const c_char {
    guard_value(ptr::null(), || {
        // SAFETY: `model` is null or a live handle, as `# Safety` requires.
        let model = unsafe { shared(model, "model") }?;
        Ok(text_at(&model.signature_keys, index))
    })
}

/// Frees a model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_model_free(model: *mut ArModel) {
    // SAFETY: null or a model that the caller owns.
    unsafe { arguments::free(model) };
}

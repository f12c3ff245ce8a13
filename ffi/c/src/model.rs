//! Models: from a file, from memory that is copied, from memory that is lent.

use std::ffi::{CString, c_char, c_void};
use std::ptr;
use std::sync::Arc;

use arenite::Model;

use crate::arguments::{self, list, out, shared, text};
use crate::error::{ArError, c_string, guard, guard_value};

/// A verified model.
pub struct ArModel {
    pub(crate) model: Model,
    signature_keys: Vec<CString>,
}

impl ArModel {
    fn new(model: Model) -> Self {
        let signature_keys = model.signature_keys().iter().map(|key| c_string(key)).collect();
        ArModel { model, signature_keys }
    }
}

/// Called once, when lent memory is no longer needed.
pub type ArReleaseCallback = Option<unsafe extern "C" fn(user_data: *mut c_void)>;

/// Memory that C lends.
struct Lent {
    data: *const u8,
    size: usize,
    release: ArReleaseCallback,
    user_data: *mut c_void,
}

// SAFETY: the bytes are only read, and the header says that `release` is called on any thread.
unsafe impl Send for Lent {}
// SAFETY: as above.
unsafe impl Sync for Lent {}

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: the lender promised `size` bytes until `release` is called. Null was refused before a model is made.
        unsafe { std::slice::from_raw_parts(self.data, self.size) }
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: the lender's own function with its own argument, called this once.
            unsafe { release(self.user_data) };
        }
    }
}

/// Maps and verifies a file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_model_from_file(path: *const c_char, model: *mut *mut ArModel) -> *mut ArError {
    guard(|| {
        // SAFETY: the crate's rule.
        let (out, path) = unsafe { (out(model, "model")?, text(path, "path")?) };
        out.give(ArModel::new(Model::from_file(path)?));
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
        // SAFETY: the crate's rule.
        let (out, bytes) = unsafe { (out(model, "model")?, list(data.cast::<u8>(), size, "data")?) };
        out.give(ArModel::new(Model::from_bytes(bytes.to_vec())?));
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
        let lent = Lent { data: data.cast(), size, release, user_data };
        // SAFETY: the crate's rule. The list refuses null and sizes that no object has.
        let out = unsafe {
            list(lent.data, size, "data")?;
            out(model, "model")?
        };
        let model =
            if size == 0 { Model::from_bytes(Vec::new())? } else { Model::from_owner(Arc::new(lent))? };
        out.give(ArModel::new(model));
        Ok(())
    })
}

/// Number of signatures.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_model_signature_count(model: *const ArModel) -> usize {
    // SAFETY: the crate's rule.
    guard_value(0, || Ok(unsafe { shared(model, "model") }?.signature_keys.len()))
}

/// Key of a signature, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_model_signature_key(model: *const ArModel, index: usize) -> *const c_char {
    guard_value(ptr::null(), || {
        // SAFETY: the crate's rule.
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

/// One text of a list, or null.
pub(crate) fn text_at(texts: &[CString], index: usize) -> *const c_char {
    texts.get(index).map_or(ptr::null(), |text| text.as_ptr())
}

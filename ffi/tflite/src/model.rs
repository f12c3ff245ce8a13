//! Models: loaded from a file, which is mapped into memory, or from bytes, which are copied.

use std::ffi::{CStr, c_char, c_void};
use std::path::Path;
use std::ptr;

use arenite::{Model, Result};

use crate::guard::{free, guard, text};
use crate::report::Reporter;
use crate::types::TfLiteErrorReporter;

/// A verified model. Interpreters share it.
pub(crate) struct TfLiteModel {
    pub(crate) model: Model,
}

/// The version of TensorFlow Lite whose interface this library implements.
pub(crate) const VERSION: &CStr = c"2.19.0";

/// The version of TensorFlow Lite whose interface this library implements.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn TfLiteVersion() -> *const c_char {
    VERSION.as_ptr()
}

/// The version of the interface for custom ops and delegates.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn TfLiteExtensionApisVersion() -> *const c_char {
    VERSION.as_ptr()
}

/// The version of the model format that this library reads.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn TfLiteSchemaVersion() -> i32 {
    3
}

fn give(model: Result<Model>, reporter: Reporter) -> *mut TfLiteModel {
    match model {
        Ok(model) => Box::into_raw(Box::new(TfLiteModel { model })),
        Err(error) => {
            reporter.report(error);
            ptr::null_mut()
        }
    }
}

/// Loads a model from a copy of the bytes, so that interpreters do not depend on the caller's memory.
///
/// # Safety
/// `data` must be null or point to `size` bytes.
unsafe fn from_memory(data: *const c_void, size: usize, reporter: Reporter) -> *mut TfLiteModel {
    guard(ptr::null_mut(), || {
        if data.is_null() || size > isize::MAX as usize {
            reporter.report(format_args!("cannot read a model of {size} bytes at address {data:p}"));
            return ptr::null_mut();
        }
        // SAFETY: not null and not larger than an object can be, as checked; `# Safety` requires `size` bytes.
        let bytes = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), size) };
        give(Model::from_bytes(bytes.to_vec()), reporter)
    })
}

/// Loads a model from a file.
///
/// # Safety
/// `path` must be null or point to a null-terminated string.
unsafe fn from_file(path: *const c_char, reporter: Reporter) -> *mut TfLiteModel {
    guard(ptr::null_mut(), || {
        // SAFETY: `path` is null or a null-terminated string, as `# Safety` requires.
        let Some(path) = (unsafe { text(path) }) else {
            reporter.report("the path of the model is null");
            return ptr::null_mut();
        };
        match path_of(path) {
            Some(path) => give(Model::from_file(path), reporter),
            None => {
                reporter.report(format_args!("{} is not a valid path", path.to_string_lossy()));
                ptr::null_mut()
            }
        }
    })
}

/// The path. On Unix it may contain any bytes.
#[cfg(unix)]
fn path_of(text: &CStr) -> Option<&Path> {
    use std::os::unix::ffi::OsStrExt;
    Some(Path::new(std::ffi::OsStr::from_bytes(text.to_bytes())))
}

/// The path; `None` if it is not UTF-8.
#[cfg(not(unix))]
fn path_of(text: &CStr) -> Option<&Path> {
    text.to_str().ok().map(Path::new)
}

/// Loads a model from bytes, which are copied. Returns null if they are not a valid model.
///
/// # Safety
/// `model_data` must be null or point to `model_size` bytes.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteModelCreate(
    model_data: *const c_void,
    model_size: usize,
) -> *mut TfLiteModel {
    // SAFETY: `model_data` is null or points to `model_size` bytes, as `# Safety` requires.
    unsafe { from_memory(model_data, model_size, Reporter::DEFAULT) }
}

/// Like [`TfLiteModelCreate`], but errors go to `reporter`.
///
/// # Safety
/// `model_data` must be null or point to `model_size` bytes. `reporter` must be null or accept `user_data` during the
/// call.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteModelCreateWithErrorReporter(
    model_data: *const c_void,
    model_size: usize,
    reporter: TfLiteErrorReporter,
    user_data: *mut c_void,
) -> *mut TfLiteModel {
    // SAFETY: `model_data` is null or points to `model_size` bytes, as `# Safety` requires.
    unsafe { from_memory(model_data, model_size, Reporter::new(reporter, user_data)) }
}

/// Loads a model from a file. Returns null if the file cannot be read or is not a valid model.
///
/// # Safety
/// `model_path` must be null or point to a null-terminated string.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteModelCreateFromFile(model_path: *const c_char) -> *mut TfLiteModel {
    // SAFETY: `model_path` is null or a null-terminated string, as `# Safety` requires.
    unsafe { from_file(model_path, Reporter::DEFAULT) }
}

/// Like [`TfLiteModelCreateFromFile`], but errors go to `reporter`.
///
/// # Safety
/// `model_path` must be null or point to a null-terminated string. `reporter` must be null or accept `user_data` during
/// the call.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteModelCreateFromFileWithErrorReporter(
    model_path: *const c_char,
    reporter: TfLiteErrorReporter,
    user_data: *mut c_void,
) -> *mut TfLiteModel {
    // SAFETY: `model_path` is null or a null-terminated string, as `# Safety` requires.
    unsafe { from_file(model_path, Reporter::new(reporter, user_data)) }
}

/// Frees a model. Its interpreters remain usable.
///
/// # Safety
/// `model` must be null or a model of this library that is not used afterwards.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteModelDelete(model: *mut TfLiteModel) {
    // SAFETY: `model` is null or a handle that nothing uses any more, as `# Safety` requires.
    unsafe { free(model) };
}

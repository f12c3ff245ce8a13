//! Models: a file that is mapped, or bytes that are copied.

use std::ffi::{CStr, c_char, c_void};
use std::path::Path;
use std::ptr;

use arenite::{Model, Result};

use crate::guard::{free, guard, text};
use crate::report::Reporter;
use crate::types::TfLiteErrorReporter;

/// A verified model. Interpreters share it.
pub struct TfLiteModel {
    pub(crate) model: Model,
}

/// The version of TensorFlow Lite whose interface this is.
pub(crate) const VERSION: &CStr = c"2.19.0";

/// The version of TensorFlow Lite whose interface this is.
#[unsafe(no_mangle)]
pub extern "C" fn TfLiteVersion() -> *const c_char {
    VERSION.as_ptr()
}

/// The version of the interface that custom ops and delegates see.
#[unsafe(no_mangle)]
pub extern "C" fn TfLiteExtensionApisVersion() -> *const c_char {
    VERSION.as_ptr()
}

/// The version of the model's format that can be read.
#[unsafe(no_mangle)]
pub extern "C" fn TfLiteSchemaVersion() -> i32 {
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

/// The bytes are copied: interpreters outlive the model, whose bytes the caller may then free.
///
/// # Safety
/// `data` is null or has `size` bytes.
unsafe fn from_memory(data: *const c_void, size: usize, reporter: Reporter) -> *mut TfLiteModel {
    guard(ptr::null_mut(), || {
        if data.is_null() || size > isize::MAX as usize {
            reporter.report(format_args!("a model of {size} bytes at {data:p} cannot be"));
            return ptr::null_mut();
        }
        // SAFETY: the caller's promise.
        let bytes = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), size) };
        give(Model::from_bytes(bytes.to_vec()), reporter)
    })
}

/// # Safety
/// `path` is null or ends with a null byte.
unsafe fn from_file(path: *const c_char, reporter: Reporter) -> *mut TfLiteModel {
    guard(ptr::null_mut(), || {
        // SAFETY: `path` is null or a string that ends with a null byte, as `# Safety` requires.
        let Some(path) = (unsafe { text(path) }) else {
            reporter.report("the path of the model is null");
            return ptr::null_mut();
        };
        match path_of(path) {
            Some(path) => give(Model::from_file(path), reporter),
            None => {
                reporter.report(format_args!("{} is no path", path.to_string_lossy()));
                ptr::null_mut()
            }
        }
    })
}

/// A path of any bytes, where the system has such.
#[cfg(unix)]
fn path_of(text: &CStr) -> Option<&Path> {
    use std::os::unix::ffi::OsStrExt;
    Some(Path::new(std::ffi::OsStr::from_bytes(text.to_bytes())))
}

/// A path of UTF-8.
#[cfg(not(unix))]
fn path_of(text: &CStr) -> Option<&Path> {
    text.to_str().ok().map(Path::new)
}

/// A model from bytes; null where they are none.
///
/// # Safety
/// `model_data` is null or has `model_size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteModelCreate(model_data: *const c_void, model_size: usize) -> *mut TfLiteModel {
    // SAFETY: `model_data` points to as many bytes as its size says, as `# Safety` requires.
    unsafe { from_memory(model_data, model_size, Reporter::DEFAULT) }
}

/// As [`TfLiteModelCreate`]; `reporter` is told why not.
///
/// # Safety
/// As there; `reporter` may be called with `user_data` during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteModelCreateWithErrorReporter(
    model_data: *const c_void,
    model_size: usize,
    reporter: TfLiteErrorReporter,
    user_data: *mut c_void,
) -> *mut TfLiteModel {
    // SAFETY: `model_data` points to as many bytes as its size says, as `# Safety` requires.
    unsafe { from_memory(model_data, model_size, Reporter::new(reporter, user_data)) }
}

/// A model from a file; null where it is none.
///
/// # Safety
/// `model_path` is null or ends with a null byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteModelCreateFromFile(model_path: *const c_char) -> *mut TfLiteModel {
    // SAFETY: `model_path` is null or a string that ends with a null byte, as `# Safety` requires.
    unsafe { from_file(model_path, Reporter::DEFAULT) }
}

/// As [`TfLiteModelCreateFromFile`]; `reporter` is told why not.
///
/// # Safety
/// As there; `reporter` may be called with `user_data` during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteModelCreateFromFileWithErrorReporter(
    model_path: *const c_char,
    reporter: TfLiteErrorReporter,
    user_data: *mut c_void,
) -> *mut TfLiteModel {
    // SAFETY: `model_path` is null or a string that ends with a null byte, as `# Safety` requires.
    unsafe { from_file(model_path, Reporter::new(reporter, user_data)) }
}

/// Frees a model. Its interpreters stay.
///
/// # Safety
/// `model` is null or a model that is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteModelDelete(model: *mut TfLiteModel) {
    // SAFETY: `model` is null or a handle that nothing uses any more, as `# Safety` requires.
    unsafe { free(model) };
}

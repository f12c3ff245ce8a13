//! Errors, which the caller owns, and the guard that every fallible function runs in.

use std::ffi::{CStr, CString, c_char};
use std::ptr;

use arenite::model_file::ModelError;
use arenite::{Error, Resource, Status};

pub(crate) use arenite_ffi_common::c_string;
use arenite_ffi_common::{catch_panic, free};

/// `AR_ERROR_*`.
pub type ArErrorCode = u32;

/// No error.
pub const AR_ERROR_NONE: ArErrorCode = 0;
/// An argument is null, not UTF-8, out of range, or has the wrong size.
pub const AR_ERROR_ARGUMENT: ArErrorCode = 1;
/// A file cannot be opened or read.
pub const AR_ERROR_IO: ArErrorCode = 2;
/// The model is not valid or not supported.
pub const AR_ERROR_MODEL: ArErrorCode = 3;
/// The configuration is not valid.
pub const AR_ERROR_CONFIG: ArErrorCode = 4;
/// A plugin cannot be loaded.
pub const AR_ERROR_PLUGIN: ArErrorCode = 5;
/// No planner, delegate, signature, input or output has this name.
pub const AR_ERROR_NOT_FOUND: ArErrorCode = 6;
/// No plugin implements an op of the model, or none supports it in this form.
pub const AR_ERROR_UNSUPPORTED: ArErrorCode = 7;
/// The function cannot be called in the current state.
pub const AR_ERROR_STATE: ArErrorCode = 8;
/// The memory quota or the system's memory is exhausted.
pub const AR_ERROR_MEMORY: ArErrorCode = 9;
/// The invocation was cancelled.
pub const AR_ERROR_CANCELLED: ArErrorCode = 10;
/// An op, a planner or a delegate failed.
pub const AR_ERROR_FAILED: ArErrorCode = 11;
/// The library or a plugin panicked.
pub const AR_ERROR_PANICKED: ArErrorCode = 12;
/// A device does not exist or was lost.
pub const AR_ERROR_UNAVAILABLE: ArErrorCode = 13;
/// A limit on time, nodes or nesting is exceeded.
pub const AR_ERROR_QUOTA: ArErrorCode = 14;

/// An error. The caller owns it.
pub struct ArError {
    code: ArErrorCode,
    message: CString,
}

pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

/// The code and message of an [`ArError`] to be created.
#[derive(Debug)]
pub(crate) struct Failure {
    code: ArErrorCode,
    message: String,
}

impl Failure {
    pub(crate) fn new(code: ArErrorCode, message: impl Into<String>) -> Self {
        Failure { code, message: message.into() }
    }

    pub(crate) fn argument(message: impl Into<String>) -> Self {
        Failure::new(AR_ERROR_ARGUMENT, message)
    }

    fn into_error(self) -> *mut ArError {
        Box::into_raw(Box::new(ArError { code: self.code, message: c_string(&self.message) }))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure { code: code_of(&error), message: error.to_string() }
    }
}

fn code_of(error: &Error) -> ArErrorCode {
    match error {
        Error::Model(ModelError::Io { .. }) | Error::Io(..) => AR_ERROR_IO,
        Error::Model(_) => AR_ERROR_MODEL,
        Error::Config(arenite::ConfigError::Read { .. }) => AR_ERROR_IO,
        Error::Config(_) => AR_ERROR_CONFIG,
        Error::Plugin(_) => AR_ERROR_PLUGIN,
        Error::UnresolvedOps { .. } => AR_ERROR_UNSUPPORTED,
        Error::Node { status, .. } | Error::Delegate { status, .. } => code_of_status(*status),
        Error::Cancelled => AR_ERROR_CANCELLED,
        Error::NotFound { .. } => AR_ERROR_NOT_FOUND,
        Error::OutOfMemory { .. } => AR_ERROR_MEMORY,
        Error::Quota { resource: Resource::Bytes | Resource::DeviceBytes, .. } => AR_ERROR_MEMORY,
        Error::Quota { .. } => AR_ERROR_QUOTA,
        Error::Tensor { .. } | Error::Registration { .. } => AR_ERROR_ARGUMENT,
        Error::State(_) => AR_ERROR_STATE,
        _ => AR_ERROR_FAILED,
    }
}

fn code_of_status(status: Status) -> ArErrorCode {
    match status {
        Status::Unsupported => AR_ERROR_UNSUPPORTED,
        Status::OutOfMemory => AR_ERROR_MEMORY,
        Status::Cancelled => AR_ERROR_CANCELLED,
        Status::Panicked => AR_ERROR_PANICKED,
        Status::Unavailable => AR_ERROR_UNAVAILABLE,
        _ => AR_ERROR_FAILED,
    }
}

/// Runs the body of an exported function. Returns null on success.
pub(crate) fn guard(body: impl FnOnce() -> Result<()>) -> *mut ArError {
    let mut body = Some(body);
    guarded(&mut || once(&mut body))
}

fn guarded(body: &mut dyn FnMut() -> Result<()>) -> *mut ArError {
    match caught(body) {
        Ok(()) => ptr::null_mut(),
        Err(failure) => failure.into_error(),
    }
}

/// Calls a body that runs once. With this, the functions that take a `dyn FnMut` are not generic, so they exist only
/// once in the library.
fn once(body: &mut Option<impl FnOnce() -> Result<()>>) -> Result<()> {
    body.take().map_or(Ok(()), |body| body())
}

/// Runs the body of an exported function that returns a plain value. Returns `otherwise` if the body fails.
pub(crate) fn guard_value<T>(otherwise: T, body: impl FnOnce() -> Result<T>) -> T {
    let mut value = otherwise;
    let mut body = Some(|| {
        value = body()?;
        Ok(())
    });
    // A plain value cannot carry an error message.
    let _ = caught(&mut || once(&mut body));
    value
}

/// Runs `body` and turns a panic into a failure. Not generic, so that the code for unwinding exists only once in the
/// library.
fn caught(body: &mut dyn FnMut() -> Result<()>) -> Result<()> {
    catch_panic(body).unwrap_or_else(|message| {
        Err(Failure::new(AR_ERROR_PANICKED, format!("the library panicked: {message}")))
    })
}

/// The error's code; `AR_ERROR_NONE` for null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_error_code(error: *const ArError) -> ArErrorCode {
    // SAFETY: `error` is null or a live error of this library, as the header requires.
    unsafe { error.as_ref() }.map_or(AR_ERROR_NONE, |error| error.code)
}

/// The error's message; empty for null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_error_message(error: *const ArError) -> *const c_char {
    const EMPTY: &CStr = c"";
    // SAFETY: `error` is null or a live error of this library, as the header requires.
    unsafe { error.as_ref() }.map_or(EMPTY, |error| &error.message).as_ptr()
}

/// Frees an error. Does nothing for null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_error_free(error: *mut ArError) {
    // SAFETY: `error` is null or an error that the caller owns, as the header requires.
    unsafe { free(error) };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(error: *mut ArError) -> (ArErrorCode, String) {
        // SAFETY: `error` is null or comes from `guard`, and is not used after it was freed.
        unsafe {
            let message = CStr::from_ptr(ar_error_message(error)).to_str().expect("UTF-8").to_owned();
            let code = ar_error_code(error);
            ar_error_free(error);
            (code, message)
        }
    }

    #[test]
    fn a_panic_becomes_an_error() {
        let error = guard(|| panic!("at {}", 7));
        assert_eq!(text(error), (AR_ERROR_PANICKED, "the library panicked: at 7".into()));
        assert_eq!(guard_value(3, || panic!("no value")), 3);
    }

    #[test]
    fn a_null_in_a_message_is_replaced() {
        let error = guard(|| Err(Failure::argument("a\0b")));
        assert_eq!(text(error), (AR_ERROR_ARGUMENT, "a\u{fffd}b".into()));
    }

    #[test]
    fn null_means_no_error() {
        assert_eq!(text(guard(|| Ok(()))), (AR_ERROR_NONE, String::new()));
    }
}

//! Errors as owned objects, and the guard around every function that can fail.

use std::any::Any;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use arenite::model_file::ModelError;
use arenite::{Error, Resource, Status};

use crate::arguments;

/// `AR_ERROR_*`.
pub type ArErrorCode = u32;

/// No error.
pub const AR_ERROR_NONE: ArErrorCode = 0;
/// An argument is null, no UTF-8, out of range, or of another size.
pub const AR_ERROR_ARGUMENT: ArErrorCode = 1;
/// A file cannot be opened or read.
pub const AR_ERROR_IO: ArErrorCode = 2;
/// The model is refused.
pub const AR_ERROR_MODEL: ArErrorCode = 3;
/// The configuration is refused.
pub const AR_ERROR_CONFIG: ArErrorCode = 4;
/// A plugin cannot be loaded.
pub const AR_ERROR_PLUGIN: ArErrorCode = 5;
/// There is no planner, delegate, signature, input or output of this name.
pub const AR_ERROR_NOT_FOUND: ArErrorCode = 6;
/// No plugin serves an op of the model, or none in this form.
pub const AR_ERROR_UNSUPPORTED: ArErrorCode = 7;
/// The call does not fit the state.
pub const AR_ERROR_STATE: ArErrorCode = 8;
/// The quota of bytes, or the system's memory, is exhausted.
pub const AR_ERROR_MEMORY: ArErrorCode = 9;
/// The invocation was cancelled.
pub const AR_ERROR_CANCELLED: ArErrorCode = 10;
/// An op, a planner or a delegate failed.
pub const AR_ERROR_FAILED: ArErrorCode = 11;
/// Something panicked.
pub const AR_ERROR_PANICKED: ArErrorCode = 12;
/// A device is not there, or no more.
pub const AR_ERROR_UNAVAILABLE: ArErrorCode = 13;
/// A limit on time, nodes or nesting is exceeded.
pub const AR_ERROR_QUOTA: ArErrorCode = 14;

/// An error; the caller owns it.
pub struct ArError {
    code: ArErrorCode,
    message: CString,
}

pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

/// What becomes an [`ArError`].
#[derive(Debug)]
pub(crate) struct Failure {
    code: ArErrorCode,
    message: String,
}

impl Failure {
    pub fn new(code: ArErrorCode, message: impl Into<String>) -> Self {
        Failure { code, message: message.into() }
    }

    pub fn argument(message: impl Into<String>) -> Self {
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

/// Runs the body of a function of the library. Null: it went well.
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

/// What a body is that runs once behind a pointer: the functions that take one so are there once, not once per body.
fn once(body: &mut Option<impl FnOnce() -> Result<()>>) -> Result<()> {
    body.take().map_or(Ok(()), |body| body())
}

/// Runs the body of a function that returns a plain value, and `otherwise` if it cannot.
pub(crate) fn guard_value<T>(otherwise: T, body: impl FnOnce() -> Result<T>) -> T {
    let mut value = otherwise;
    let mut body = Some(|| {
        value = body()?;
        Ok(())
    });
    // A plain value cannot say what went wrong.
    let _ = caught(&mut || once(&mut body));
    value
}

/// Runs `body`; a panic is a failure. Not generic: what unwinding needs is there once.
fn caught(body: &mut dyn FnMut() -> Result<()>) -> Result<()> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| {
        Err(Failure::new(AR_ERROR_PANICKED, format!("the library panicked: {}", panic_text(payload))))
    })
}

fn panic_text(payload: Box<dyn Any + Send>) -> String {
    let text = match payload.downcast_ref::<&str>() {
        Some(text) => (*text).to_owned(),
        None => payload.downcast_ref::<String>().cloned().unwrap_or_else(|| "without a message".into()),
    };
    // A payload of any type could panic again when it is dropped.
    std::mem::forget(payload);
    text
}

/// Text for C, which cannot have a null in it: one becomes U+FFFD.
pub(crate) fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "\u{fffd}")).unwrap_or_default()
}

/// What kind of error it is; `AR_ERROR_NONE` for null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_error_code(error: *const ArError) -> ArErrorCode {
    // SAFETY: null or an error of this library.
    unsafe { error.as_ref() }.map_or(AR_ERROR_NONE, |error| error.code)
}

/// The error's text; empty for null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_error_message(error: *const ArError) -> *const c_char {
    const EMPTY: &CStr = c"";
    // SAFETY: null or an error of this library.
    unsafe { error.as_ref() }.map_or(EMPTY, |error| &error.message).as_ptr()
}

/// Frees an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_error_free(error: *mut ArError) {
    // SAFETY: null or an error that the caller owns.
    unsafe { arguments::free(error) };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(error: *mut ArError) -> (ArErrorCode, String) {
        // SAFETY: an error of `guard`, used until it is freed.
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
    fn null_is_no_error() {
        assert_eq!(text(guard(|| Ok(()))), (AR_ERROR_NONE, String::new()));
    }
}

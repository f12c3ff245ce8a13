//! Code shared by `libarenite` and `libtensorflowlite_c`: catches panics at the boundary to C, and checks strings and
//! arrays that C passes in before they are used.
#![deny(missing_docs)]

use std::any::Any;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `body`.
///
/// # Errors
/// `body` panicked; the error is the message of the panic.
pub fn catch_panic<T>(body: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(body)).map_err(panic_message)
}

fn panic_message(payload: Box<dyn Any + Send>) -> String {
    let text = match payload.downcast_ref::<&str>() {
        Some(text) => (*text).to_owned(),
        None => payload.downcast_ref::<String>().cloned().unwrap_or_else(|| "without a message".into()),
    };
    // Dropping the payload runs the destructor of an arbitrary type, which could panic again.
    std::mem::forget(payload);
    text
}

/// `text` as a C string, with U+FFFD in place of null characters.
pub fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "\u{fffd}")).unwrap_or_default()
}

/// `pointer` as a `CStr`; `None` if it is null.
///
/// # Safety
/// `pointer` must be null or point to a null-terminated string that is not modified during `'a`.
pub unsafe fn c_str<'a>(pointer: *const c_char) -> Option<&'a CStr> {
    // SAFETY: not null, as checked; `# Safety` requires a final null byte, and that the text is not modified during
    // `'a`.
    (!pointer.is_null()).then(|| unsafe { CStr::from_ptr(pointer) })
}

/// Why a pointer and a length are not an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrayError {
    /// The pointer is null, and the length is not 0.
    Null,
    /// The pointer is not a multiple of the element's alignment.
    Misaligned,
    /// The array would be larger than an object can be.
    TooLong,
}

/// The `count` elements at `data`. An array without elements may be null.
///
/// # Errors
/// See [`ArrayError`].
///
/// # Safety
/// `data` must be null or point to `count` initialized elements that are not written during `'a`.
pub unsafe fn array<'a, T>(data: *const T, count: usize) -> Result<&'a [T], ArrayError> {
    if count == 0 {
        return Ok(&[]);
    }
    if data.is_null() {
        return Err(ArrayError::Null);
    }
    if !data.is_aligned() {
        return Err(ArrayError::Misaligned);
    }
    if count > isize::MAX as usize / size_of::<T>().max(1) {
        return Err(ArrayError::TooLong);
    }
    // SAFETY: the checks above cover null, alignment and size; `# Safety` requires `count` initialized elements.
    Ok(unsafe { std::slice::from_raw_parts(data, count) })
}

/// Drops a value that was handed out by `Box::into_raw`. Does nothing for null.
///
/// # Safety
/// `pointer` must be null or come from `Box::into_raw`, and must not be used afterwards.
pub unsafe fn free<T>(pointer: *mut T) {
    if !pointer.is_null() {
        // A function without a result cannot report that a destructor panicked.
        // SAFETY: not null, as checked, and from `Box::into_raw`, as `# Safety` requires.
        let _ = catch_panic(|| drop(unsafe { Box::from_raw(pointer) }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_its_message() {
        assert_eq!(catch_panic(|| 2), Ok(2));
        assert_eq!(catch_panic::<()>(|| panic!("at {}", 7)), Err("at 7".into()));
        assert_eq!(catch_panic::<()>(|| panic!("text")), Err("text".into()));
        assert_eq!(catch_panic::<()>(|| std::panic::panic_any(7)), Err("without a message".into()));
    }

    #[test]
    fn null_characters_are_replaced() {
        assert_eq!(c_string("a\0b").to_str(), Ok("a\u{fffd}b"));
    }

    #[test]
    fn null_misaligned_and_too_long_arrays_are_errors() {
        let data = [1i32, 2];
        let cases = [
            (data.as_ptr(), 2, Ok(&data[..])),
            (data.as_ptr(), 0, Ok(&[][..])),
            (std::ptr::null(), 0, Ok(&[][..])),
            (std::ptr::null(), 1, Err(ArrayError::Null)),
            (std::ptr::without_provenance(6), 1, Err(ArrayError::Misaligned)),
            (data.as_ptr(), isize::MAX as usize, Err(ArrayError::TooLong)),
        ];
        for (at, count, wanted) in cases {
            // SAFETY: the elements exist where the function reads them; it refuses the other cases.
            assert_eq!(unsafe { array(at, count) }, wanted, "{count} at {at:p}");
        }
    }
}

//! The border: no panic crosses it, and what C passes in is looked at before it is used.

use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs the body of a function of the interface; `otherwise` if it panics.
pub(crate) fn guard<T>(otherwise: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| {
        // A payload of any type could panic again when it is dropped.
        std::mem::forget(payload);
        otherwise
    })
}

/// # Safety
/// `text` is null or ends with a null byte, and stays as it is for `'a`.
pub(crate) unsafe fn text<'a>(text: *const c_char) -> Option<&'a CStr> {
    // SAFETY: not null, and ends with a null byte by the caller's promise.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) })
}

/// `count` elements; none for null, a negative count, or more than an object can have.
///
/// # Safety
/// `data` is null or points to `count` elements, aligned, that nobody writes to for `'a`.
pub(crate) unsafe fn list<'a, T>(data: *const T, count: i32) -> Option<&'a [T]> {
    let count = usize::try_from(count).ok()?;
    if count == 0 {
        return Some(&[]);
    }
    if data.is_null() || !data.is_aligned() || count > isize::MAX as usize / size_of::<T>().max(1) {
        return None;
    }
    // SAFETY: readable by the caller's promise, aligned, not larger than an object can be.
    Some(unsafe { std::slice::from_raw_parts(data, count) })
}

/// Drops what `Box::into_raw` gave.
///
/// # Safety
/// `pointer` is null or comes from `Box::into_raw`, and is not used afterwards.
pub(crate) unsafe fn free<T>(pointer: *mut T) {
    if !pointer.is_null() {
        // SAFETY: the caller's promise.
        guard((), || drop(unsafe { Box::from_raw(pointer) }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_the_value_for_it() {
        assert_eq!(guard(1, || panic!("at {}", 7)), 1);
        assert_eq!(guard(1, || 2), 2);
    }

    #[test]
    fn lists_that_cannot_be_are_none() {
        let data = [1i32, 2];
        let cases = [
            (data.as_ptr(), 2, Some(&data[..])),
            (data.as_ptr(), 0, Some(&[][..])),
            (data.as_ptr(), -1, None),
            (std::ptr::null(), 1, None),
            (std::ptr::null(), 0, Some(&[][..])),
            (std::ptr::without_provenance(6), 1, None),
        ];
        for (at, count, wanted) in cases {
            // SAFETY: where elements are read, they are there.
            assert_eq!(unsafe { list(at, count) }, wanted, "{count} at {at:p}");
        }
    }
}

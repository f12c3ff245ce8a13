//! The boundary to C: catches panics, and checks strings and arrays that C passes in before they are used.

use arenite_ffi_common::{array, catch_panic};
pub(crate) use arenite_ffi_common::{c_str as text, c_string, free};

/// Runs `body`, the body of an exported function. Returns `otherwise` if it panics.
pub(crate) fn guard<T>(otherwise: T, body: impl FnOnce() -> T) -> T {
    catch_panic(body).unwrap_or(otherwise)
}

/// The `count` elements at `data`. `None` if `data` is null or misaligned, or if `count` is negative or exceeds the
/// largest possible object.
///
/// # Safety
/// `data` must be null or point to `count` initialized elements that are not written during `'a`.
pub(crate) unsafe fn list<'a, T>(data: *const T, count: i32) -> Option<&'a [T]> {
    // SAFETY: `data` is null or points to `count` initialized elements, as `# Safety` requires.
    unsafe { array(data, usize::try_from(count).ok()?) }.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_yields_the_fallback_value() {
        assert_eq!(guard(1, || panic!("at {}", 7)), 1);
        assert_eq!(guard(1, || 2), 2);
    }

    #[test]
    fn invalid_lists_are_none() {
        let data = [1i32, 2];
        let cases =
            [(data.as_ptr(), 2, Some(&data[..])), (data.as_ptr(), -1, None), (std::ptr::null(), 1, None)];
        for (at, count, wanted) in cases {
            // SAFETY: each pointer is `data` or is rejected before it is read.
            assert_eq!(unsafe { list(at, count) }, wanted, "{count} at {at:p}");
        }
    }
}

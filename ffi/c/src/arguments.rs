//! Checks of what C passes in.

use std::ffi::{CStr, CString, c_char, c_void};

use crate::error::{Failure, Result};

/// # Safety
/// `pointer` is null or valid for reads for `'a`.
pub(crate) unsafe fn shared<'a, T>(pointer: *const T, name: &str) -> Result<&'a T> {
    // SAFETY: `pointer` is null or points to a live value, as `# Safety` requires.
    unsafe { pointer.as_ref() }.ok_or_else(|| null(name))
}

/// The pointer, unless it is null: for a struct that is checked before there is a reference to it.
pub(crate) fn given<T>(pointer: *const T, name: &str) -> Result<*const T> {
    if pointer.is_null() { Err(null(name)) } else { Ok(pointer) }
}

/// # Safety
/// `pointer` is null or valid for reads and writes for `'a`, and nothing else uses it meanwhile.
pub(crate) unsafe fn exclusive<'a, T>(pointer: *mut T, name: &str) -> Result<&'a mut T> {
    // SAFETY: `pointer` is null or points to a live value that nothing else uses, as `# Safety` requires.
    unsafe { pointer.as_mut() }.ok_or_else(|| null(name))
}

/// # Safety
/// `pointer` is null or points to text that ends with a null byte and stays as it is for `'a`.
pub(crate) unsafe fn text<'a>(pointer: *const c_char, name: &str) -> Result<&'a str> {
    if pointer.is_null() {
        return Err(null(name));
    }
    // SAFETY: by the caller.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map_err(|error| {
        Failure::argument(format!("argument '{name}' is not UTF-8 from byte {} on", error.valid_up_to()))
    })
}

/// # Safety
/// `pointer` is null, or `count` elements can be read from it for `'a`.
pub(crate) unsafe fn list<'a, T>(pointer: *const T, count: usize, name: &str) -> Result<&'a [T]> {
    if count == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() {
        return Err(null(name));
    }
    if !pointer.is_aligned() {
        return Err(Failure::argument(format!(
            "argument '{name}' lies at {pointer:p}, not at a multiple of {}",
            align_of::<T>()
        )));
    }
    if count > isize::MAX as usize / size_of::<T>().max(1) {
        return Err(Failure::argument(format!("argument '{name}' cannot have {count} elements")));
    }
    // SAFETY: readable by the caller, aligned, and not larger than an object can be.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// Where a result goes: null first, the result at the end.
pub(crate) struct Out<T>(*mut *mut T);

/// # Safety
/// `pointer` is null or writable until the result is written.
pub(crate) unsafe fn out<T>(pointer: *mut *mut T, name: &str) -> Result<Out<T>> {
    if pointer.is_null() {
        return Err(null(name));
    }
    // SAFETY: writable by the caller.
    unsafe { pointer.write(std::ptr::null_mut()) };
    Ok(Out(pointer))
}

impl<T> Out<T> {
    pub fn set(self, value: *mut T) {
        // SAFETY: writable, as promised to `out`.
        unsafe { self.0.write(value) };
    }

    pub fn give(self, value: T) {
        self.set(Box::into_raw(Box::new(value)));
    }
}

/// Writes a plain value.
///
/// # Safety
/// `place` is null or writable.
pub(crate) unsafe fn put<T>(place: *mut T, name: &str, value: T) -> Result<()> {
    if place.is_null() {
        return Err(null(name));
    }
    // SAFETY: `place` is writable, as `# Safety` requires.
    unsafe { place.write(value) };
    Ok(())
}

/// The elements of a list, whose number goes to `count`; null if there are none, or if `count` is.
///
/// # Safety
/// `count` is null or writable.
pub(crate) unsafe fn give_list<T>(list: &[T], count: *mut usize) -> *const T {
    if count.is_null() {
        return std::ptr::null();
    }
    // SAFETY: `count` is writable, as `# Safety` requires.
    unsafe { count.write(list.len()) };
    if list.is_empty() { std::ptr::null() } else { list.as_ptr() }
}

/// One text of a list, or null.
pub(crate) fn text_at(texts: &[CString], index: usize) -> *const c_char {
    texts.get(index).map_or(std::ptr::null(), |text| text.as_ptr())
}

/// What C lends: freed by `release`, once, when this is dropped.
pub(crate) struct Lent {
    pub data: *mut u8,
    pub size: usize,
    pub release: ArReleaseCallback,
    pub user_data: *mut c_void,
}

/// Called once, when lent memory or user data is no longer needed.
pub type ArReleaseCallback = Option<unsafe extern "C" fn(user_data: *mut c_void)>;

// SAFETY: the header says that `release` is called on any thread, and that the bytes are used on any.
unsafe impl Send for Lent {}
// SAFETY: as above; shared, the bytes are only read.
unsafe impl Sync for Lent {}

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: the lender promised `size` bytes until `release` is called. `list` has refused null.
        unsafe { std::slice::from_raw_parts(self.data, self.size) }
    }
}

impl AsMut<[u8]> for Lent {
    fn as_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above; memory of tensors is lent to be written, and nobody else uses it during a call.
        unsafe { std::slice::from_raw_parts_mut(self.data, self.size) }
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

/// Drops what [`Out::give`] gave.
///
/// # Safety
/// `pointer` is null or comes from `Out::give`, and is not used afterwards.
pub(crate) unsafe fn free<T>(pointer: *mut T) {
    if !pointer.is_null() {
        crate::error::guard_value((), || {
            // SAFETY: by the caller.
            drop(unsafe { Box::from_raw(pointer) });
            Ok(())
        });
    }
}

pub(crate) fn null(name: &str) -> Failure {
    Failure::argument(format!("argument '{name}' is null"))
}

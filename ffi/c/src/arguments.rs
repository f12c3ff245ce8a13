//! Checks arguments that C passes in, and writes results.

use std::ffi::{CString, c_char, c_void};

pub(crate) use arenite_ffi_common::free;
use arenite_ffi_common::{ArrayError, array, c_str};

use crate::error::{Failure, Result};

/// The value behind a pointer, or an error that names the argument if the pointer is null.
///
/// # Safety
/// `pointer` must be null or point to a live value that is not modified during `'a`.
pub(crate) unsafe fn shared<'a, T>(pointer: *const T, name: &str) -> Result<&'a T> {
    // SAFETY: `pointer` is null or points to a live value, as `# Safety` requires.
    unsafe { pointer.as_ref() }.ok_or_else(|| null(name))
}

/// Checks a pointer for null without creating a reference: the caller still has to check the struct.
pub(crate) fn given<T>(pointer: *const T, name: &str) -> Result<*const T> {
    if pointer.is_null() { Err(null(name)) } else { Ok(pointer) }
}

/// The value behind a pointer, or an error that names the argument if the pointer is null.
///
/// # Safety
/// `pointer` must be null or point to a live value that nothing else uses during `'a`.
pub(crate) unsafe fn exclusive<'a, T>(pointer: *mut T, name: &str) -> Result<&'a mut T> {
    // SAFETY: `pointer` is null or points to a live value that nothing else uses, as `# Safety` requires.
    unsafe { pointer.as_mut() }.ok_or_else(|| null(name))
}

/// The text behind a pointer, or an error that names the argument if it is null or not UTF-8.
///
/// # Safety
/// `pointer` must be null or point to a null-terminated string that is not modified during `'a`.
pub(crate) unsafe fn text<'a>(pointer: *const c_char, name: &str) -> Result<&'a str> {
    // SAFETY: `pointer` is null or a null-terminated string that is not modified, as `# Safety` requires.
    let text = unsafe { c_str(pointer) }.ok_or_else(|| null(name))?;
    text.to_str().map_err(|error| {
        Failure::argument(format!("argument '{name}' is not valid UTF-8 at byte {}", error.valid_up_to()))
    })
}

/// The `count` elements behind a pointer, or an error that names the argument if they cannot be a slice.
///
/// # Safety
/// `pointer` must be null or point to `count` initialized elements that are not modified during `'a`.
pub(crate) unsafe fn list<'a, T>(pointer: *const T, count: usize, name: &str) -> Result<&'a [T]> {
    // SAFETY: `pointer` is null or points to `count` elements that are not modified, as `# Safety` requires.
    unsafe { array(pointer, count) }.map_err(|error| match error {
        ArrayError::Null => null(name),
        ArrayError::Misaligned => Failure::argument(format!(
            "argument '{name}' is at address {pointer:p}, which is not a multiple of {}",
            align_of::<T>()
        )),
        ArrayError::TooLong => Failure::argument(format!("argument '{name}' cannot have {count} elements")),
    })
}

/// The place for a result. It holds null until the result is written.
pub(crate) struct OutPointer<T>(*mut *mut T);

/// Writes null to the place for a result.
///
/// # Safety
/// `pointer` must be null or writable until the result is written.
pub(crate) unsafe fn out<T>(pointer: *mut *mut T, name: &str) -> Result<OutPointer<T>> {
    if pointer.is_null() {
        return Err(null(name));
    }
    // SAFETY: not null, as checked, so it is writable, as `# Safety` requires.
    unsafe { pointer.write(std::ptr::null_mut()) };
    Ok(OutPointer(pointer))
}

impl<T> OutPointer<T> {
    pub(crate) fn set(self, value: *mut T) {
        // SAFETY: `out`, which created this value, requires that the pointer stays writable.
        unsafe { self.0.write(value) };
    }

    pub(crate) fn give(self, value: T) {
        self.set(Box::into_raw(Box::new(value)));
    }
}

/// Writes a result that is not a handle.
///
/// # Safety
/// `place` must be null or writable.
pub(crate) unsafe fn put<T>(place: *mut T, name: &str, value: T) -> Result<()> {
    if place.is_null() {
        return Err(null(name));
    }
    // SAFETY: `place` is writable, as `# Safety` requires.
    unsafe { place.write(value) };
    Ok(())
}

/// Copies values to an array of the caller.
///
/// # Safety
/// `place` must be null or point to as many writable elements as there are values.
pub(crate) unsafe fn put_list<T: Copy>(place: *mut T, name: &str, values: &[T]) -> Result<()> {
    if place.is_null() && !values.is_empty() {
        return Err(null(name));
    }
    if !values.is_empty() {
        // SAFETY: not null, as checked, so it has room for the values, as `# Safety` requires.
        unsafe { place.copy_from(values.as_ptr(), values.len()) };
    }
    Ok(())
}

/// The address of a list, whose length is written to `count`. Null if the list is empty or `count` is null.
///
/// # Safety
/// `count` must be null or writable.
pub(crate) unsafe fn give_list<T>(list: &[T], count: *mut usize) -> *const T {
    if count.is_null() {
        return std::ptr::null();
    }
    // SAFETY: `count` is writable, as `# Safety` requires.
    unsafe { count.write(list.len()) };
    if list.is_empty() { std::ptr::null() } else { list.as_ptr() }
}

/// Element `index` of a list of texts; null if the index is out of range.
pub(crate) fn text_at(texts: &[CString], index: usize) -> *const c_char {
    texts.get(index).map_or(std::ptr::null(), |text| text.as_ptr())
}

/// Memory that the program lends. `release` is called once, when this is dropped.
pub(crate) struct ProgramMemory {
    pub data: *mut u8,
    pub size: usize,
    pub release: ArReleaseCallback,
    pub user_data: *mut c_void,
}

/// Called once, when the library no longer uses lent memory or user data.
pub type ArReleaseCallback = Option<unsafe extern "C" fn(user_data: *mut c_void)>;

// SAFETY: the header documents that `release` may be called, and the bytes used, on any thread.
unsafe impl Send for ProgramMemory {}
// SAFETY: see `Send`; through a shared reference, the bytes are only read.
unsafe impl Sync for ProgramMemory {}

impl AsRef<[u8]> for ProgramMemory {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: the functions that take lent memory require `size` bytes until `release` is called, and check with
        // `list` that the pointer is not null.
        unsafe { std::slice::from_raw_parts(self.data, self.size) }
    }
}

impl AsMut<[u8]> for ProgramMemory {
    fn as_mut(&mut self) -> &mut [u8] {
        // SAFETY: see `as_ref`; memory for tensors is lent writable, and the header forbids the program to use it
        // during a call.
        unsafe { std::slice::from_raw_parts_mut(self.data, self.size) }
    }
}

impl Drop for ProgramMemory {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: the program passed the function together with the pointer, and this is the only call.
            unsafe { release(self.user_data) };
        }
    }
}

pub(crate) fn null(name: &str) -> Failure {
    Failure::argument(format!("argument '{name}' is null"))
}

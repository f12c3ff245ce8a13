//! Checks of what C passes in.

use std::ffi::{CStr, c_char};

use crate::error::{Failure, Result};

/// # Safety
/// `pointer` is null or valid for reads for `'a`.
pub(crate) unsafe fn shared<'a, T>(pointer: *const T, name: &str) -> Result<&'a T> {
    // SAFETY: by the caller.
    unsafe { pointer.as_ref() }.ok_or_else(|| null(name))
}

/// # Safety
/// `pointer` is null or valid for reads and writes for `'a`, and nothing else uses it meanwhile.
pub(crate) unsafe fn exclusive<'a, T>(pointer: *mut T, name: &str) -> Result<&'a mut T> {
    // SAFETY: by the caller.
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

//! `TfLiteIntArray` and `TfLiteFloatArray`: a count followed by that number of elements. They are allocated with the C
//! library's `malloc`, since kernels create arrays that this library frees, and the other way round.

use std::ffi::{c_int, c_void};
use std::ptr;

use crate::types::{TfLiteFloatArray, TfLiteIntArray};

unsafe extern "C" {
    pub(crate) fn malloc(bytes: usize) -> *mut c_void;
    pub(crate) fn realloc(data: *mut c_void, bytes: usize) -> *mut c_void;
    pub(crate) fn free(data: *mut c_void);
}

/// Size in bytes of an array of `size` 4-byte elements, including its count; 0 for a negative `size`.
fn bytes(size: c_int) -> usize {
    usize::try_from(size).map_or(0, |size| size_of::<c_int>() * (size + 1))
}

/// A new array of `size` zeros; null if `size` is negative or memory is exhausted.
fn create(size: c_int) -> *mut c_int {
    if size < 0 {
        return ptr::null_mut();
    }
    // SAFETY: `malloc` accepts any size.
    let array = unsafe { malloc(bytes(size)) }.cast::<c_int>();
    if !array.is_null() {
        // SAFETY: `malloc` returned room for `size + 1` elements.
        unsafe {
            array.write_bytes(0, size as usize + 1);
            array.write(size);
        }
    }
    array
}

/// A copy of `source`; null if `source` is null or memory is exhausted.
///
/// # Safety
/// `source` must be null or point to a whole array: its count, followed by that number of 4-byte elements.
unsafe fn copy(source: *const c_int) -> *mut c_int {
    // SAFETY: `source` is null or points to an array, which starts with its count, as `# Safety` requires.
    let Some(&size) = (unsafe { source.as_ref() }) else { return ptr::null_mut() };
    let array = create(size);
    if !array.is_null() {
        // SAFETY: both arrays have `size + 1` elements, and `create` returned a separate allocation.
        unsafe { array.copy_from_nonoverlapping(source, size as usize + 1) };
    }
    array
}

/// A new array of `numbers`; null if memory is exhausted.
pub(crate) fn int_array(numbers: &[i32]) -> *mut TfLiteIntArray {
    let array = create(c_int::try_from(numbers.len()).unwrap_or(-1));
    if !array.is_null() {
        // SAFETY: `create` allocated `numbers.len()` elements after the count.
        unsafe { array.add(1).copy_from_nonoverlapping(numbers.as_ptr(), numbers.len()) };
    }
    array.cast()
}

/// A new array of `numbers`; null if memory is exhausted.
pub(crate) fn float_array(numbers: &[f32]) -> *mut TfLiteFloatArray {
    let array = create(c_int::try_from(numbers.len()).unwrap_or(-1));
    if !array.is_null() {
        // SAFETY: `create` allocated `numbers.len()` elements after the count.
        unsafe { array.add(1).cast::<f32>().copy_from_nonoverlapping(numbers.as_ptr(), numbers.len()) };
    }
    array.cast()
}

/// The elements of `array`; empty for null.
///
/// # Safety
/// `array` must be null or point to a whole array that is neither modified nor freed during `'a`.
pub(crate) unsafe fn numbers<'a>(array: *const TfLiteIntArray) -> &'a [i32] {
    if array.is_null() {
        return &[];
    }
    // SAFETY: not null, as checked; the count is followed by that number of elements, as `# Safety` requires. `array`
    // points to all of it, not only to the header.
    unsafe {
        let array = array.cast::<c_int>();
        crate::guard::list(array.add(1), *array).unwrap_or(&[])
    }
}

/// Size in bytes of an array of `size` integers; 0 for a negative `size`.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn TfLiteIntArrayGetSizeInBytes(size: c_int) -> usize {
    bytes(size)
}

/// A new array of `size` zeros; null if `size` is negative or memory is exhausted.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn TfLiteIntArrayCreate(size: c_int) -> *mut TfLiteIntArray {
    create(size).cast()
}

/// Returns 1 if both arrays have the same elements or both are null, else 0.
///
/// # Safety
/// `a` and `b` must each be null or point to a whole array.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteIntArrayEqual(
    a: *const TfLiteIntArray,
    b: *const TfLiteIntArray,
) -> c_int {
    // SAFETY: `a` and `b` are null or arrays, as `# Safety` requires.
    c_int::from(a.is_null() == b.is_null() && unsafe { numbers(a) == numbers(b) })
}

/// Returns 1 if `a` consists of the `b_size` integers at `b_data`, else 0. A null `a` counts as empty.
///
/// # Safety
/// `a` must be null or point to a whole array. `b_data` must be null or point to `b_size` integers.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteIntArrayEqualsArray(
    a: *const TfLiteIntArray,
    b_size: c_int,
    b_data: *const c_int,
) -> c_int {
    // SAFETY: `a` is null or an array and `b_data` has `b_size` elements, as `# Safety` requires; `list` checks for
    // null.
    c_int::from(unsafe { crate::guard::list(b_data, b_size).is_some_and(|b| numbers(a) == b) })
}

/// A copy of `source`; null if `source` is null or memory is exhausted.
///
/// # Safety
/// `source` must be null or point to a whole array.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteIntArrayCopy(source: *const TfLiteIntArray) -> *mut TfLiteIntArray {
    // SAFETY: `source` is null or an array, as `# Safety` requires.
    unsafe { copy(source.cast()) }.cast()
}

/// Frees `array`. Does nothing for null.
///
/// # Safety
/// `array` must be null or come from `malloc`, as all arrays of this library do, and must not be used afterwards.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteIntArrayFree(array: *mut TfLiteIntArray) {
    // SAFETY: `array` is null or comes from `malloc`, as `# Safety` requires.
    unsafe { free(array.cast()) };
}

/// Size in bytes of an array of `size` floats; 0 if it is negative or the result exceeds an `int`.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn TfLiteFloatArrayGetSizeInBytes(size: c_int) -> c_int {
    c_int::try_from(bytes(size)).unwrap_or(0)
}

/// A new array of `size` zeros; null if `size` is negative or memory is exhausted.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn TfLiteFloatArrayCreate(size: c_int) -> *mut TfLiteFloatArray {
    create(size).cast()
}

/// A copy of `source`; null if `source` is null or memory is exhausted.
///
/// # Safety
/// `source` must be null or point to a whole array.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteFloatArrayCopy(
    source: *const TfLiteFloatArray,
) -> *mut TfLiteFloatArray {
    // SAFETY: `source` is null or an array, as `# Safety` requires; both kinds have 4-byte elements.
    unsafe { copy(source.cast()) }.cast()
}

/// Frees `array`. Does nothing for null.
///
/// # Safety
/// `array` must be null or come from `malloc`, as all arrays of this library do, and must not be used afterwards.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteFloatArrayFree(array: *mut TfLiteFloatArray) {
    // SAFETY: `array` is null or comes from `malloc`, as `# Safety` requires.
    unsafe { free(array.cast()) };
}

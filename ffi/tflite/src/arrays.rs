//! `TfLiteIntArray` and `TfLiteFloatArray`: a count, and as many numbers behind it. They lie in memory of the C library's `malloc`, since
//! kernels hand over what they made, and free what they got.

use std::ffi::{c_int, c_void};
use std::ptr;

use crate::types::{TfLiteFloatArray, TfLiteIntArray};

unsafe extern "C" {
    pub(crate) fn malloc(bytes: usize) -> *mut c_void;
    pub(crate) fn realloc(data: *mut c_void, bytes: usize) -> *mut c_void;
    pub(crate) fn free(data: *mut c_void);
}

/// Bytes of an array of `size` numbers of four bytes, its count included; 0 if it cannot be.
fn bytes(size: c_int) -> usize {
    usize::try_from(size).map_or(0, |size| size_of::<c_int>() * (size + 1))
}

/// A new array of such a count, its numbers zero; null if it cannot be.
fn create(size: c_int) -> *mut c_int {
    if size < 0 {
        return ptr::null_mut();
    }
    // SAFETY: any number of bytes may be asked for.
    let array = unsafe { malloc(bytes(size)) }.cast::<c_int>();
    if !array.is_null() {
        // SAFETY: room for `size + 1` numbers was given.
        unsafe {
            array.write_bytes(0, size as usize + 1);
            array.write(size);
        }
    }
    array
}

/// A copy of an array; null for null.
///
/// # Safety
/// `source` is null or an array.
unsafe fn copy(source: *const c_int) -> *mut c_int {
    // SAFETY: the caller's promise; an array begins with its count.
    let Some(&size) = (unsafe { source.as_ref() }) else { return ptr::null_mut() };
    let array = create(size);
    if !array.is_null() {
        // SAFETY: both have `size + 1` numbers, and the new one is apart.
        unsafe { array.copy_from_nonoverlapping(source, size as usize + 1) };
    }
    array
}

/// A new array of these numbers; null where the system has no memory.
pub(crate) fn int_array(numbers: &[i32]) -> *mut TfLiteIntArray {
    let array = create(c_int::try_from(numbers.len()).unwrap_or(-1));
    if !array.is_null() {
        // SAFETY: the array has room for as many behind its count.
        unsafe { array.add(1).copy_from_nonoverlapping(numbers.as_ptr(), numbers.len()) };
    }
    array.cast()
}

/// As [`int_array`].
pub(crate) fn float_array(numbers: &[f32]) -> *mut TfLiteFloatArray {
    let array = create(c_int::try_from(numbers.len()).unwrap_or(-1));
    if !array.is_null() {
        // SAFETY: the array has room for as many behind its count.
        unsafe { array.add(1).cast::<f32>().copy_from_nonoverlapping(numbers.as_ptr(), numbers.len()) };
    }
    array.cast()
}

/// The numbers of an array; none for null.
///
/// # Safety
/// `array` is null or an array that nobody writes to or frees for `'a`.
pub(crate) unsafe fn numbers<'a>(array: *const TfLiteIntArray) -> &'a [i32] {
    if array.is_null() {
        return &[];
    }
    // SAFETY: as many numbers as the count says lie behind it. The pointer is to the whole array, not to its header alone.
    unsafe {
        let array = array.cast::<c_int>();
        crate::guard::list(array.add(1), *array).unwrap_or(&[])
    }
}

/// Bytes of an array of `size` integers.
#[unsafe(no_mangle)]
pub extern "C" fn TfLiteIntArrayGetSizeInBytes(size: c_int) -> usize {
    bytes(size)
}

/// A new array of `size` integers, zero; null for a negative size.
#[unsafe(no_mangle)]
pub extern "C" fn TfLiteIntArrayCreate(size: c_int) -> *mut TfLiteIntArray {
    create(size).cast()
}

/// Whether two arrays are equal; null is equal to null alone.
///
/// # Safety
/// Both are null or arrays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteIntArrayEqual(a: *const TfLiteIntArray, b: *const TfLiteIntArray) -> c_int {
    // SAFETY: the caller's promise.
    c_int::from(a.is_null() == b.is_null() && unsafe { numbers(a) == numbers(b) })
}

/// Whether an array has these numbers; null has none.
///
/// # Safety
/// `a` is null or an array; `b_data` is null or has `b_size` integers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteIntArrayEqualsArray(
    a: *const TfLiteIntArray,
    b_size: c_int,
    b_data: *const c_int,
) -> c_int {
    // SAFETY: `b_data` has as many elements as its count says, as `# Safety` requires.
    c_int::from(unsafe { crate::guard::list(b_data, b_size).is_some_and(|b| numbers(a) == b) })
}

/// A copy; null for null.
///
/// # Safety
/// `source` is null or an array.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteIntArrayCopy(source: *const TfLiteIntArray) -> *mut TfLiteIntArray {
    // SAFETY: the caller's promise.
    unsafe { copy(source.cast()) }.cast()
}

/// Frees an array.
///
/// # Safety
/// `array` is null or an array that is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteIntArrayFree(array: *mut TfLiteIntArray) {
    // SAFETY: arrays come from `malloc`.
    unsafe { free(array.cast()) };
}

/// Bytes of an array of `size` floats.
#[unsafe(no_mangle)]
pub extern "C" fn TfLiteFloatArrayGetSizeInBytes(size: c_int) -> c_int {
    c_int::try_from(bytes(size)).unwrap_or(0)
}

/// A new array of `size` floats, zero; null for a negative size.
#[unsafe(no_mangle)]
pub extern "C" fn TfLiteFloatArrayCreate(size: c_int) -> *mut TfLiteFloatArray {
    create(size).cast()
}

/// A copy; null for null.
///
/// # Safety
/// `source` is null or an array.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteFloatArrayCopy(source: *const TfLiteFloatArray) -> *mut TfLiteFloatArray {
    // SAFETY: the caller's promise; both kinds have numbers of four bytes.
    unsafe { copy(source.cast()) }.cast()
}

/// Frees an array.
///
/// # Safety
/// `array` is null or an array that is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteFloatArrayFree(array: *mut TfLiteFloatArray) {
    // SAFETY: arrays come from `malloc`.
    unsafe { free(array.cast()) };
}

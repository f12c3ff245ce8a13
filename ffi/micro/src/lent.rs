//! Lists that a program lends, looked at before references to them exist.

use core::mem::offset_of;
use core::ptr::{NonNull, slice_from_raw_parts};

use arenite_abi::raw::{ArHeader, ArOpV1};
use arenite_micro::OpRegistration;

use crate::status::{self, ARGUMENT, ArMicroStatus};

/// A list that the program lends; `None` if it is null and not empty, or too long.
///
/// # Safety
/// Null, or `count` values that are there as long as they are used.
pub(crate) unsafe fn lent<T>(list: *const T, count: usize) -> Option<&'static [T]> {
    let fits = count.checked_mul(size_of::<T>()).is_some_and(|bytes| bytes <= isize::MAX as usize);
    match NonNull::new(list.cast_mut()) {
        None => (count == 0).then_some(&[]),
        Some(list) if fits && list.is_aligned() => {
            // SAFETY: neither null nor misaligned nor too long; the rest is the caller's promise.
            Some(unsafe { &*slice_from_raw_parts(list.as_ptr(), count) })
        }
        Some(_) => None,
    }
}

/// A list of ops that the program lends: each has the header of this library's contract, and both functions.
///
/// # Errors
/// The list or an op is null or misaligned, or an op has another header or a null function; the text says which op.
///
/// # Safety
/// As for [`lent`], of the list and of each op, as far as an op's header says.
pub(crate) unsafe fn registrations(
    list: *const *const OpRegistration,
    count: usize,
) -> Result<&'static [&'static OpRegistration], ArMicroStatus> {
    // SAFETY: as this function requires.
    let ops = unsafe { lent(list, count) };
    let ops = ops.filter(|ops| ops.iter().all(|op| !op.is_null() && op.is_aligned()));
    let Some(ops) = ops else { return Err(refuse("the list of ops, or an op,")) };
    for (i, op) in ops.iter().enumerate() {
        // SAFETY: neither null nor misaligned; an op begins with its header, of which any bytes are one.
        unsafe { check_op(i, op.cast::<ArOpV1>()) }?;
    }
    // SAFETY: pointers that are neither null nor misaligned, to structs of this size whose functions are not null, are references; the
    // ops are there as long as the list.
    Ok(unsafe { &*(core::ptr::from_ref(ops) as *const [&'static OpRegistration]) })
}

/// Looks at op `i` of a list before a reference to it exists.
///
/// # Safety
/// `op` is neither null nor misaligned, and as many bytes as its header says are readable.
unsafe fn check_op(i: usize, op: *const ArOpV1) -> Result<(), ArMicroStatus> {
    // SAFETY: an op begins with its header.
    let header = unsafe { op.cast::<ArHeader>().read() };
    if header.major != 1 || (header.struct_size as usize) < size_of::<ArOpV1>() {
        return Err(status::fail(
            ARGUMENT,
            format_args!(
                "op {i} of the list has {} bytes in version {}.{}; this library needs {} in version 1.x: AR_HEADER(ArOpV1)",
                header.struct_size,
                header.major,
                header.minor,
                size_of::<ArOpV1>()
            ),
        ));
    }
    for (name, offset) in [("prepare", offset_of!(ArOpV1, prepare)), ("eval", offset_of!(ArOpV1, eval))] {
        // SAFETY: a function inside the struct, whose size was compared; any word is a `usize`.
        if unsafe { op.cast::<u8>().add(offset).cast::<usize>().read() } == 0 {
            // SAFETY: as above, a number.
            let code = unsafe { (&raw const (*op).builtin_code).read() };
            return Err(status::fail(
                ARGUMENT,
                format_args!(
                    "op {i} of the list (builtin code {code}) has no function '{name}': set it; it is null"
                ),
            ));
        }
    }
    Ok(())
}

/// The error of a pointer that is wrong.
pub(crate) fn refuse(what: &str) -> ArMicroStatus {
    status::fail(ARGUMENT, format_args!("{what} is null, misaligned or too long"))
}

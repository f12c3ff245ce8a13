//! Checks lists that a program lends before creating references to them.

use core::ffi::c_void;
use core::mem::offset_of;
use core::ptr::{NonNull, slice_from_raw_parts, slice_from_raw_parts_mut};

use arenite_abi::raw::{ArHeader, ArOpV1};
use arenite_micro::{OpRegistration, Ops};

use crate::status::{self, ARGUMENT, ArMicroStatus};

/// A list that the program lends; `None` if it is null but not empty, or too long.
///
/// # Safety
/// `list` must be null or point to `count` values that stay valid and unchanged as long as the result is used.
pub(crate) unsafe fn lent<T>(list: *const T, count: usize) -> Option<&'static [T]> {
    let fits = count.checked_mul(size_of::<T>()).is_some_and(|bytes| bytes <= isize::MAX as usize);
    match NonNull::new(list.cast_mut()) {
        None => (count == 0).then_some(&[]),
        Some(list) if fits && list.is_aligned() => {
            // SAFETY: the pointer is neither null nor misaligned and the list is not too long, all checked above; the
            // caller guarantees that it points to `count` values that stay valid.
            Some(unsafe { &*slice_from_raw_parts(list.as_ptr(), count) })
        }
        Some(_) => None,
    }
}

/// Memory that the program lends for writing; `None` if it is null but not empty, or too long.
///
/// # Safety
/// `block` must be null or point to `bytes` bytes that nothing else uses as long as the result is used.
pub(crate) unsafe fn block(block: *mut c_void, bytes: usize) -> Option<&'static mut [u8]> {
    match NonNull::new(block.cast::<u8>()) {
        None => (bytes == 0).then_some(&mut []),
        Some(block) if bytes <= isize::MAX as usize => {
            // SAFETY: the pointer is not null and the block not too long; the caller guarantees the rest.
            Some(unsafe { &mut *slice_from_raw_parts_mut(block.as_ptr(), bytes) })
        }
        Some(_) => None,
    }
}

/// A model and the ops for it, which the program lends.
///
/// # Errors
/// As for [`registrations`]; the model is null, misaligned or too long.
///
/// # Safety
/// As for [`lent`], for the model, and as for [`registrations`].
pub(crate) unsafe fn parts(
    model: *const c_void,
    model_bytes: usize,
    ops: *const *const OpRegistration,
    op_count: usize,
) -> Result<(&'static [u8], Ops<'static>), ArMicroStatus> {
    // SAFETY: the caller guarantees the same.
    let (model, ops) = unsafe { (lent(model.cast::<u8>(), model_bytes), registrations(ops, op_count)) };
    let Some(model) = model else { return Err(refuse("the model")) };
    Ok((model, Ops::Pointers(ops?)))
}

/// A list of ops that the program lends. Each op must have the header of this library's ABI and both functions.
///
/// # Errors
/// The list or an op is null or misaligned, or an op has another header or a null function. The message names the op.
///
/// # Safety
/// As for [`lent`], both for the list and for each op up to the size in the op's header.
pub(crate) unsafe fn registrations(
    list: *const *const OpRegistration,
    count: usize,
) -> Result<&'static [&'static OpRegistration], ArMicroStatus> {
    // SAFETY: the caller guarantees the same about `list` and `count`.
    let ops = unsafe { lent(list, count) };
    let ops = ops.filter(|ops| ops.iter().all(|op| !op.is_null() && op.is_aligned()));
    let Some(ops) = ops else { return Err(refuse("the list of ops, or an op,")) };
    for (i, op) in ops.iter().enumerate() {
        // SAFETY: the pointer is neither null nor misaligned, and the caller guarantees that the op is readable up to
        // the size in its header.
        unsafe { check_op(i, op.cast::<ArOpV1>()) }?;
    }
    // SAFETY: each pointer is neither null nor misaligned, and points to a struct of this size whose functions are not
    // null (`check_op`). The ops stay valid as long as the list.
    Ok(unsafe { &*(core::ptr::from_ref(ops) as *const [&'static OpRegistration]) })
}

/// Checks op `i` of a list before a reference to it is created.
///
/// # Safety
/// `op` must be neither null nor misaligned, and readable up to the size in its header.
unsafe fn check_op(i: usize, op: *const ArOpV1) -> Result<(), ArMicroStatus> {
    // SAFETY: the caller guarantees that the header is readable.
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
        // SAFETY: the struct has at least this size, checked above, so the function pointer is inside it; any word is a
        // valid `usize`.
        if unsafe { op.cast::<u8>().add(offset).cast::<usize>().read() } == 0 {
            // SAFETY: the struct has at least this size, checked above, and any bytes are a valid number.
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

/// Fails because of an invalid pointer.
pub(crate) fn refuse(what: &str) -> ArMicroStatus {
    status::fail(ARGUMENT, format_args!("{what} is null, misaligned or too long"))
}

//! Shapes given by plugins, and the interface for hosts without a heap.

use core::ffi::c_void;
use core::marker::PhantomData;

use super::super::{CallerSide, MAX_RANK, ModelSide, Refusal};
use super::context::with;
use crate::raw::*;

/// The interface [`INTERFACE_SIZES`], for a `context` of type `H`.
pub(super) fn sizes<H: CallerSide>() -> &'static ArSizesV1 {
    OfCallers::<H>::SIZES
}

struct OfCallers<H>(PhantomData<H>);

impl<H: CallerSide> OfCallers<H> {
    const SIZES: &'static ArSizesV1 =
        &ArSizesV1 { header: ArHeader::of::<ArSizesV1>(), ports: ports::<H>, reserve: reserve::<H> };
}

// SAFETY (all that follow): `context` points to the `H` of the call in progress, because the host created the struct
// for it.

unsafe extern "C" fn ports<H: CallerSide>(
    context: *mut c_void,
    subgraph: u32,
    inputs: *mut u64,
    outputs: *mut u64,
) -> ArStatus {
    // SAFETY: `context` is the `H` that the host stored next to this callback for the call in progress; the ABI
    // requires both results to be writable.
    unsafe {
        with::<H>(context, |host| {
            let (i, o) = host.model().ports(subgraph)?;
            (*inputs, *outputs) = (i as u64, o as u64);
            Ok(())
        })
    }
}

unsafe extern "C" fn reserve<H: CallerSide>(
    context: *mut c_void,
    handle: i32,
    value: *const ArTensorV1,
) -> ArStatus {
    // SAFETY: `context` is the `H` that the host stored next to this callback for the call in progress; the ABI
    // requires the value to be readable.
    unsafe { with::<H>(context, |host| host.model().reserve(handle, given(value)?)) }
}

/// The shape that a plugin gives to this output. Checks the rank before it reads the dimensions.
///
/// # Safety
/// If `rank` is at most [`MAX_RANK`], `dims` must be null or point to `rank` numbers that are valid for `'a`.
pub(super) unsafe fn shape<'a, R: Refusal>(output: u32, dims: *const i32, rank: u32) -> Result<&'a [i32], R> {
    if rank as usize > MAX_RANK {
        return Err(R::invalid(format_args!(
            "output {output} would have rank {rank}, the highest is {MAX_RANK}"
        )));
    }
    if dims.is_null() && rank != 0 {
        return Err(R::invalid(format_args!(
            "output {output} would have rank {rank}, but its dimensions are a null pointer; pass {rank} of them, or rank 0 for a scalar"
        )));
    }
    // SAFETY: the slice is empty, or `dims` is not null and the caller guarantees `rank` numbers that are valid for
    // `'a`.
    Ok(unsafe { slice(dims, rank as usize) })
}

/// The value that a plugin gives, if its rank is allowed and its dimensions are not null.
///
/// # Safety
/// `value` must be null or point to a tensor's entry that is valid for `'a`.
pub(super) unsafe fn given<'a, R: Refusal>(value: *const ArTensorV1) -> Result<&'a ArTensorV1, R> {
    // SAFETY: the caller guarantees that `value` is null or points to an entry that is valid for `'a`.
    let Some(value) = (unsafe { value.as_ref() }) else {
        return Err(R::invalid(format_args!("a value is given as a null pointer")));
    };
    let rank = value.rank;
    if rank as usize > MAX_RANK {
        return Err(R::invalid(format_args!("a shape has at most {MAX_RANK} dimensions, {rank} are given")));
    }
    if value.dims.is_null() && rank != 0 {
        return Err(R::invalid(format_args!(
            "a value has {rank} dimensions at a null pointer; pass {rank} of them, or rank 0 for a scalar"
        )));
    }
    Ok(value)
}

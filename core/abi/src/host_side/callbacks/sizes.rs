//! Shapes that plugins give, and what hosts without a heap must know ahead.

use core::ffi::c_void;
use core::marker::PhantomData;

use super::super::{CallerSide, MAX_RANK, ModelSide, Refusal};
use super::with;
use crate::raw::*;

/// The interface [`INTERFACE_SIZES`], for a `context` that is an `H`.
pub(super) fn sizes<H: CallerSide>() -> &'static ArSizesV1 {
    OfCallers::<H>::SIZES
}

struct OfCallers<H>(PhantomData<H>);

impl<H: CallerSide> OfCallers<H> {
    const SIZES: &'static ArSizesV1 =
        &ArSizesV1 { header: ArHeader::of::<ArSizesV1>(), ports: ports::<H>, reserve: reserve::<H> };
}

// SAFETY (all that follow): the context is the `H` of the call in progress, as for the functions of the struct that lends these.

unsafe extern "C" fn ports<H: CallerSide>(
    context: *mut c_void,
    subgraph: u32,
    inputs: *mut u64,
    outputs: *mut u64,
) -> ArStatus {
    // SAFETY: see above; both results are writable, by the contract.
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
    // SAFETY: see above; the value is readable, by the contract.
    unsafe { with::<H>(context, |host| host.model().reserve(handle, given(value)?)) }
}

/// The shape that a plugin gives to this output. The rank is looked at first: dimensions are read only if a shape may have so many.
///
/// # Safety
/// `dims` is null or points to `rank` numbers that live for `'a`, if `rank` is at most [`MAX_RANK`].
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
    // SAFETY: of no elements, or not null and so many numbers that live for `'a`, which this function requires.
    Ok(unsafe { slice(dims, rank as usize) })
}

/// The value that a plugin gives, if it may have so many dimensions and they are there.
///
/// # Safety
/// `value` is null or points to a tensor's entry that lives for `'a`.
pub(super) unsafe fn given<'a, R: Refusal>(value: *const ArTensorV1) -> Result<&'a ArTensorV1, R> {
    // SAFETY: null, or an entry that lives for `'a`, which this function requires.
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

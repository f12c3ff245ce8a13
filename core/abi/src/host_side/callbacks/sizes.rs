//! What hosts without a heap must know ahead.

use core::ffi::c_void;
use core::marker::PhantomData;

use super::super::{CallerSide, ModelSide};
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
    unsafe { with::<H>(context, |host| host.model().reserve(handle, &*value)) }
}

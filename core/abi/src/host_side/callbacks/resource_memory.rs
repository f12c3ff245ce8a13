//! The interface for resources that are written in place.

use core::ffi::c_void;
use core::marker::PhantomData;

use super::super::CallerSide;
use crate::raw::*;

/// The interface [`INTERFACE_RESOURCE_MEMORY`], for a `context` of type `H`.
pub(super) fn resource_memory<H: CallerSide>() -> &'static ArResourceMemoryV1 {
    OfCallers::<H>::MEMORY
}

struct OfCallers<H>(PhantomData<H>);

impl<H: CallerSide> OfCallers<H> {
    const MEMORY: &'static ArResourceMemoryV1 =
        &ArResourceMemoryV1 { header: ArHeader::of::<ArResourceMemoryV1>(), version: version::<H> };
}

unsafe extern "C" fn version<H: CallerSide>(context: *mut c_void) -> u64 {
    // SAFETY: `context` points to the `H` of the call in progress, because the host created the struct for it, and no
    // other callback runs.
    unsafe { (*context.cast::<H>()).resource_version() }
}

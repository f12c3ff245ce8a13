//! The struct of what hosts without a heap must know ahead, part of [`raw`](crate::raw), whose rules it keeps.
#![allow(missing_docs)] // as there

use core::ffi::c_void;

#[cfg(feature = "std")]
use abi_stable::StableAbi;

use crate::raw::{ArHeader, ArStatus, ArTensorV1};

/// What a host without a heap must know ahead, and what it tells without expanding nodes, as `query` of
/// [`ArPrepareV1`](crate::raw::ArPrepareV1) lends it (id [`INTERFACE_SIZES`](crate::raw::INTERFACE_SIZES)), whose `context` it takes.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArSizesV1 {
    pub header: ArHeader,
    /// How many inputs and outputs a subgraph has.
    pub ports: unsafe extern "C" fn(
        context: *mut c_void,
        subgraph: u32,
        inputs: *mut u64,
        outputs: *mut u64,
    ) -> ArStatus,
    /// `eval` may assign a value of this type, rank and size to the resource: `data` is not read.
    pub reserve:
        unsafe extern "C" fn(context: *mut c_void, handle: i32, value: *const ArTensorV1) -> ArStatus,
}

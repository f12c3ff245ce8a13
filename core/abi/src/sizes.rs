//! The struct for hosts without a heap. Part of [`raw`](crate::raw) and subject to its rules.
#![allow(missing_docs)] // as there

use core::ffi::c_void;

#[cfg(feature = "std")]
use abi_stable::StableAbi;

use crate::raw::{ArHeader, ArStatus, ArTensorV1};

/// Information exchanged with hosts without a heap, which allocate everything in advance; returned by `query` of
/// [`ArPrepareV1`](crate::raw::ArPrepareV1) (id [`INTERFACE_SIZES`](crate::raw::INTERFACE_SIZES)). The functions take
/// that struct's `context`.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArSizesV1 {
    pub header: ArHeader,
    /// The number of inputs and outputs of a subgraph.
    pub ports: unsafe extern "C" fn(
        context: *mut c_void,
        subgraph: u32,
        inputs: *mut u64,
        outputs: *mut u64,
    ) -> ArStatus,
    /// Announces that `eval` may assign a value of this type, rank and size to the resource. `data` is not read.
    pub reserve:
        unsafe extern "C" fn(context: *mut c_void, handle: i32, value: *const ArTensorV1) -> ArStatus,
}

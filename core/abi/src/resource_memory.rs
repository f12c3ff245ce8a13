//! The struct for resources that are written in place. Part of [`raw`](crate::raw) and subject to its rules.
#![allow(missing_docs)] // as there

use core::ffi::c_void;

#[cfg(feature = "std")]
use abi_stable::StableAbi;

use crate::raw::ArHeader;

/// Lets a node keep the addresses of resources from one call to the next and write their values in place, returned by
/// `query` of [`ArEvalV1`](crate::raw::ArEvalV1) (id
/// [`INTERFACE_RESOURCE_MEMORY`](crate::raw::INTERFACE_RESOURCE_MEMORY)). The function takes that struct's `context`.
/// Not every host has this interface.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArResourceMemoryV1 {
    pub header: ArHeader,
    /// A number that changes whenever the type, the shape or the address of a resource's value does. While it is the
    /// same, what [`ArResourcesV1::value`](crate::raw::ArResourcesV1) returned is valid in each `eval` of the
    /// interpreter, and the node may write `data`.
    pub version: unsafe extern "C" fn(context: *mut c_void) -> u64,
}

//! The struct of ops whose prepared state can be part of a program. Part of [`raw`](crate::raw) and subject to its
//! rules.
#![allow(missing_docs)] // as there

use core::ffi::c_void;

use crate::raw::{ArHeader, ArStatus, ArStr};

/// Receives the state of a node: the C name of the function that runs it, with the signature of
/// [`ArOpV1::eval`](crate::raw::ArOpV1::eval), and the state that this function expects. An empty name stands for the
/// registered `eval`. The memory is readable during the call.
pub type ArPutStateFn = unsafe extern "C" fn(
    context: *mut c_void,
    kernel: ArStr,
    state: *const c_void,
    bytes: u64,
    alignment: u64,
) -> ArStatus;

/// Writes the state of a prepared node as another machine stores it, so that a program for that machine can contain it.
/// Returned by `query` of [`ArOpV1`](crate::raw::ArOpV1) (id
/// [`INTERFACE_EMBED`](crate::raw::INTERFACE_EMBED)). An op without it cannot be embedded.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ArEmbedV1 {
    pub header: ArHeader,
    /// Calls `put` once, for a little-endian machine whose pointers have `pointer_bytes` bytes. A state without
    /// pointers, `size_t` and padding that depends on the machine is passed as it is. `STATUS_UNSUPPORTED` if this node
    /// cannot be embedded.
    pub embed: unsafe extern "C" fn(
        state: *const c_void,
        pointer_bytes: u32,
        context: *mut c_void,
        put: ArPutStateFn,
    ) -> ArStatus,
}

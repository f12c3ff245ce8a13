//! Structs for shared objects. Part of [`raw`](crate::raw) and subject to its rules.
#![allow(missing_docs)] // as there

use core::ffi::c_void;

#[cfg(feature = "std")]
use abi_stable::StableAbi;

use crate::raw::{ArHeader, ArPair, ArStatus, ArStr};

/// A record that needs a shared object: its extents, of which a request uses one to three, and its lifetime as in
/// [`ArUsageRecordV1`](crate::raw::ArUsageRecordV1). Unused extents are 1.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArObjectRecordV1 {
    pub extents: [u64; 3],
    pub first_node: u32,
    pub last_node: u32,
    /// The tensor stored in it, or −1.
    pub tensor: i32,
    pub reserved: u32,
}

/// Records that need shared objects.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArObjectRequestV1 {
    pub header: ArHeader,
    /// The number of extents of a record: 1 (bytes), 2 or 3 (textures).
    pub extents: u32,
    pub records: *const ArObjectRecordV1,
    pub record_count: usize,
    pub record_stride: usize,
    /// Null if nodes run in sequence. Otherwise they run in any order in which each node follows those whose results it
    /// reads: the records computed from record `i` are `readers[reader_starts[i]..reader_starts[i + 1]]`, with one
    /// start more than records.
    pub reader_starts: *const u32,
    pub readers: *const u32,
    pub options: *const ArPair,
    pub option_count: usize,
}

/// Filled in by a planner. Both arrays have `record_count` elements.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArObjectAssignmentV1 {
    pub header: ArHeader,
    pub object_count: u32,
    /// For each record, the number of its object.
    pub ids: *mut u32,
    /// For each object, its extents.
    pub sizes: *mut [u64; 3],
}

/// A planner that assigns shared objects, returned by `query` of [`ArPlannerV1`](crate::raw::ArPlannerV1) (id
/// [`INTERFACE_ASSIGN`](crate::raw::INTERFACE_ASSIGN)).
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArAssignV1 {
    pub header: ArHeader,
    pub assign: unsafe extern "C" fn(
        request: *const ArObjectRequestV1,
        assignment: *mut ArObjectAssignmentV1,
    ) -> ArStatus,
}

/// Declares that a planner never lets two records share memory, so that every value can be read after its last use. The
/// host then overlaps no tensors either, as with `preserve_all`. Returned by `query` of
/// [`ArPlannerV1`](crate::raw::ArPlannerV1) (id [`INTERFACE_NO_SHARING`](crate::raw::INTERFACE_NO_SHARING)).
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArNoSharingV1 {
    pub header: ArHeader,
}

/// Shared objects for a kernel, returned by `query` of [`ArPrepareV1`](crate::raw::ArPrepareV1) (id
/// [`INTERFACE_OBJECTS`](crate::raw::INTERFACE_OBJECTS)). The function takes that struct's `context`.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArObjectsV1 {
    pub header: ArHeader,
    /// Runs the planner with this name, or the interpreter's own for an empty name, with the request's options or those
    /// of the configuration. The host checks the result along each axis and in time.
    pub assign: unsafe extern "C" fn(
        context: *mut c_void,
        planner: ArStr,
        request: *const ArObjectRequestV1,
        assignment: *mut ArObjectAssignmentV1,
    ) -> ArStatus,
}

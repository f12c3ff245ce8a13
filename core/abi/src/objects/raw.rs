//! The structs of shared objects, part of [`raw`](crate::raw), whose rules they keep.
#![allow(missing_docs)] // as there

use core::ffi::c_void;

#[cfg(feature = "std")]
use abi_stable::StableAbi;

use crate::raw::{ArHeader, ArPair, ArStatus, ArStr};

/// What a shared object is needed for: extents, of which a request uses one to three, and life, as in
/// [`ArUsageRecordV1`](crate::raw::ArUsageRecordV1). Extents that are not used are 1.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArObjectRecordV1 {
    pub extents: [u64; 3],
    pub first_node: u32,
    pub last_node: u32,
    /// The tensor that lies in it, or −1.
    pub tensor: i32,
    pub reserved: u32,
}

/// Records that are to get shared objects.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArObjectRequestV1 {
    pub header: ArHeader,
    /// How many extents a record has: 1 (bytes), 2 or 3 (textures).
    pub extents: u32,
    pub records: *const ArObjectRecordV1,
    pub record_count: usize,
    pub record_stride: usize,
    /// Null: nodes run in order. Else they run in any order that keeps each behind those whose results it reads: the records that are
    /// computed from record `i` are `readers[reader_starts[i]..reader_starts[i + 1]]`, and there is a start more than there are records.
    pub reader_starts: *const u32,
    pub readers: *const u32,
    pub options: *const ArPair,
    pub option_count: usize,
}

/// Filled in by a planner. Both arrays have `record_count` places.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArObjectAssignmentV1 {
    pub header: ArHeader,
    pub object_count: u32,
    /// Per record the number of its object.
    pub ids: *mut u32,
    /// Per object its extents.
    pub sizes: *mut [u64; 3],
}

/// A planner that hands out shared objects, as `query` of [`ArPlannerV1`](crate::raw::ArPlannerV1) gives it (id
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

/// Shared objects for a kernel, as `query` of [`ArPrepareV1`](crate::raw::ArPrepareV1) lends them (id
/// [`INTERFACE_OBJECTS`](crate::raw::INTERFACE_OBJECTS)), whose `context` the function takes.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArObjectsV1 {
    pub header: ArHeader,
    /// Has the planner of this name, or of an empty one the interpreter's own, hand out objects, with the options that the request has, or
    /// those of the configuration. What comes back was checked along each axis and in time.
    pub assign: unsafe extern "C" fn(
        context: *mut c_void,
        planner: ArStr,
        request: *const ArObjectRequestV1,
        assignment: *mut ArObjectAssignmentV1,
    ) -> ArStatus,
}

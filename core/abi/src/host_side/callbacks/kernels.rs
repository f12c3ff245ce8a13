//! The interfaces for constants and for memory of kernels.

use core::ffi::c_void;
use core::marker::PhantomData;

use super::super::prepare;
use super::super::{ConstantsSide, MemorySide, PrepareSide, Refusal};
use super::context::with;
use crate::raw::*;
use crate::{ObjectAssignment, ObjectRequest};

/// The interface [`INTERFACE_CONSTANTS`], for a `context` of type `H`.
pub fn constants<H: ConstantsSide>() -> &'static ArConstantsV1 {
    OfKernels::<H>::CONSTANTS
}

/// The interface [`INTERFACE_MEMORY`], for a `context` of type `H`.
pub fn memory<H: MemorySide>() -> &'static ArMemoryV1 {
    OfKernels::<H>::MEMORY
}

/// The interface [`INTERFACE_DEVICE_MEMORY`], for a `context` of type `H`.
pub fn device_memory<H: MemorySide>() -> &'static ArMemoryV1 {
    OfKernels::<H>::DEVICE_MEMORY
}

/// The interface [`INTERFACE_OBJECTS`], for a `context` of type `H`.
pub(super) fn objects<H: PrepareSide>() -> &'static ArObjectsV1 {
    OfKernels::<H>::OBJECTS
}

/// The interfaces, for a `context` of type `H`.
struct OfKernels<H>(PhantomData<H>);

impl<H: ConstantsSide> OfKernels<H> {
    const CONSTANTS: &'static ArConstantsV1 = &ArConstantsV1 {
        header: ArHeader::of::<ArConstantsV1>(),
        release: release::<H>,
        origin: origin::<H>,
    };
}

impl<H: MemorySide> OfKernels<H> {
    const MEMORY: &'static ArMemoryV1 =
        &ArMemoryV1 { header: ArHeader::of::<ArMemoryV1>(), room: room::<H>, hold: hold::<H> };
    const DEVICE_MEMORY: &'static ArMemoryV1 = &ArMemoryV1 {
        header: ArHeader::of::<ArMemoryV1>(),
        room: device_room::<H>,
        hold: hold_on_device::<H>,
    };
}

impl<H: PrepareSide> OfKernels<H> {
    const OBJECTS: &'static ArObjectsV1 =
        &ArObjectsV1 { header: ArHeader::of::<ArObjectsV1>(), assign: assign::<H> };
}

// SAFETY (all that follow): `context` points to the `H` of the call in progress, because the host created the struct
// for it. A plugin makes one callback at a time.

unsafe extern "C" fn release<H: ConstantsSide>(context: *mut c_void, tensor: i32) -> ArStatus {
    // SAFETY: `context` is the `H` that the host stored next to this callback for the call in progress.
    unsafe { with::<H>(context, |host| prepare::release(host, tensor)) }
}

unsafe extern "C" fn origin<H: ConstantsSide>(context: *mut c_void, numbers: *mut u64) -> ArStatus {
    // SAFETY: `context` is the `H` that the host stored next to this callback for the call in progress; the ABI
    // requires `numbers` to have room for four numbers.
    unsafe {
        with::<H>(context, |host| {
            numbers.cast::<[u64; 4]>().write_unaligned(host.origin());
            Ok(())
        })
    }
}

unsafe extern "C" fn room<H: MemorySide>(context: *mut c_void) -> u64 {
    // SAFETY: `context` is the `H` that the host stored next to this callback for the call in progress.
    unsafe { (*context.cast::<H>()).room() }
}

unsafe extern "C" fn hold<H: MemorySide>(context: *mut c_void, bytes: u64) -> ArStatus {
    // SAFETY: `context` is the `H` that the host stored next to this callback for the call in progress.
    unsafe { with::<H>(context, |host| host.hold(bytes)) }
}

unsafe extern "C" fn device_room<H: MemorySide>(context: *mut c_void) -> u64 {
    // SAFETY: `context` is the `H` that the host stored next to this callback for the call in progress.
    unsafe { (*context.cast::<H>()).device_room() }
}

unsafe extern "C" fn hold_on_device<H: MemorySide>(context: *mut c_void, bytes: u64) -> ArStatus {
    // SAFETY: `context` is the `H` that the host stored next to this callback for the call in progress.
    unsafe { with::<H>(context, |host| host.hold_on_device(bytes)) }
}

unsafe extern "C" fn assign<H: PrepareSide>(
    context: *mut c_void,
    planner: ArStr,
    request: *const ArObjectRequestV1,
    assignment: *mut ArObjectAssignmentV1,
) -> ArStatus {
    // SAFETY: `context` is the `H` that the host stored next to this callback for the call in progress; the ABI
    // requires the name, both structs and their arrays to be valid during the call.
    unsafe {
        with::<H>(context, |host| {
            let refuse = |error: crate::Error| H::Refused::new(error.status(), format_args!("{error}"));
            let objects = ObjectAssignment::from_raw(&*request, &mut *assignment).map_err(refuse)?;
            let request = ObjectRequest::from_raw(&*request).map_err(refuse)?;
            host.assign(planner.as_str(), &request, objects)
        })
    }
}

//! Planners of the program.

use core::ffi::c_void;

use arenite_abi::invalid;
use arenite_micro::{Records, Stage};

use crate::calls::micro;
use crate::lent::refuse;
use crate::micro::ArMicro;
use crate::status::{self, ArMicroStatus, INDEX};

/// `ArMicroBuffers` of the header: the records, while the program's planner runs.
pub(crate) struct ArMicroBuffers<'r>(&'r mut dyn Records);

/// `ArMicroBuffer` of the header.
#[repr(C)]
pub(crate) struct ArMicroBuffer {
    pub(crate) bytes: usize,
    pub(crate) first: u32,
    pub(crate) last: u32,
    /// `usize::MAX` before it is placed.
    pub(crate) offset: usize,
}

/// `ArMicroPlanCallback` of the header.
pub(crate) type ArMicroPlanCallback =
    unsafe extern "C" fn(user: *mut c_void, buffers: *mut ArMicroBuffers<'_>, count: usize) -> u32;

/// Places every tensor in the arena with a planner of the program.
///
/// # Safety
/// The rules for ownership and threads in `arenite_micro.h`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn ar_micro_plan_with(
    micro: *mut ArMicro,
    planner: Option<ArMicroPlanCallback>,
    user: *mut c_void,
) -> ArMicroStatus {
    let micro = micro!(micro);
    let Some(planner) = planner else { return refuse("the planner") };
    let place = &mut |records: &mut dyn Records| {
        let count = records.count();
        // SAFETY: the header requires a planner that can be called with `user` and the buffers, which are valid during
        // the call.
        match unsafe { planner(user, &mut ArMicroBuffers(records), count) } {
            0 => Ok(()),
            other => Err(invalid!("the program's planner returned {other}")),
        }
    };
    let done = match micro.at(Stage::Prepared, "there is nothing to plan") {
        Ok(prepared) => prepared.plan_with(place),
        Err(status) => return status,
    };
    micro.reached(done)
}

/// Describes a buffer.
///
/// # Safety
/// The rules for ownership and threads in `arenite_micro.h`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn ar_micro_buffer(
    buffers: *const ArMicroBuffers<'_>,
    index: usize,
    buffer: *mut ArMicroBuffer,
) -> ArMicroStatus {
    // SAFETY: the header requires null or the buffers that a planner was called with, and null or a writable place.
    let (Some(buffers), Some(buffer)) = (unsafe { (buffers.as_ref(), buffer.as_mut()) }) else {
        return refuse("the buffers, or the place for one,");
    };
    let count = buffers.0.count();
    if index >= count {
        return status::fail(INDEX, format_args!("index {index} is out of range; there are {count} buffers"));
    }
    let record = buffers.0.record(index);
    *buffer = ArMicroBuffer {
        bytes: record.size as usize,
        first: record.first_node,
        last: record.last_node,
        offset: usize::try_from(buffers.0.offset(index)).unwrap_or(usize::MAX),
    };
    status::OK
}

/// Sets the offset of a buffer.
///
/// # Safety
/// The rules for ownership and threads in `arenite_micro.h`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn ar_micro_place(
    buffers: *mut ArMicroBuffers<'_>,
    index: usize,
    offset: usize,
) -> ArMicroStatus {
    // SAFETY: the header requires null or the buffers that a planner was called with.
    let Some(buffers) = (unsafe { buffers.as_mut() }) else { return refuse("the list of buffers") };
    let count = buffers.0.count();
    if index >= count {
        return status::fail(INDEX, format_args!("index {index} is out of range; there are {count} buffers"));
    }
    buffers.0.set_offset(index, offset as u64);
    status::OK
}

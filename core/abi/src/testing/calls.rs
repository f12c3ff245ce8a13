//! The functions behind `ArHostV1`, `ArPrepareV1` and `ArEvalV1`: each finds the session behind `context`.

use core::ffi::c_void;
use std::string::ToString;

use super::host::{CAPACITY, MESSAGE, Session, Share, internal};
use super::memory::Memory;
use super::model::query;
use crate::raw::*;
use crate::{Error, Result, Status, invalid};

pub(super) static HOST: ArHostV1 =
    ArHostV1 { header: ArHeader::of::<ArHostV1>(), set_error, log, parallel_for, query: host_query };

unsafe extern "C" fn set_error(message: ArStr) {
    // SAFETY: the plugin's promise: the text is readable for the call.
    let message = unsafe { message.as_str() }.to_string();
    MESSAGE.set(message);
}

unsafe extern "C" fn log(level: u32, target: ArStr, message: ArStr) {
    // SAFETY: the plugin's promise: both texts are readable for the call.
    let (target, message) = unsafe { (target.as_str(), message.as_str()) };
    std::eprintln!("log level {level}, {target}: {message}");
}

unsafe extern "C" fn parallel_for(
    count: usize,
    grain: usize,
    _threads: u32,
    body: ArRangeFn,
    argument: *mut c_void,
) -> ArStatus {
    let grain = grain.max(1);
    for begin in (0..count).step_by(grain).rev() {
        // SAFETY: the plugin's promise: `body` takes `argument` and any range.
        unsafe { (body.call)(argument, begin, count.min(begin.saturating_add(grain))) };
    }
    Status::Ok as ArStatus
}

unsafe extern "C" fn host_query(_interface: u64) -> *const c_void {
    core::ptr::null()
}

pub(super) unsafe extern "C" fn is_cancelled(_context: *mut c_void) -> u8 {
    0
}

/// Runs `f` on the session behind `context`; the message of an error is kept.
///
/// # Safety
/// `context` is that of a call in progress.
pub(super) unsafe fn with_session(
    context: *mut c_void,
    f: impl FnOnce(&mut Session<'_>) -> Result<()>,
) -> ArStatus {
    // SAFETY: the session outlives the call, and nothing else uses it while the op runs.
    let session = unsafe { &mut *context.cast::<Session<'_>>() };
    match f(session) {
        Ok(()) => Status::Ok as ArStatus,
        Err(error) => {
            MESSAGE.set(error.message().to_string());
            error.status() as ArStatus
        }
    }
}

pub(super) unsafe extern "C" fn set_output_shape(
    context: *mut c_void,
    output: u32,
    dims: *const i32,
    rank: u32,
) -> ArStatus {
    // SAFETY: the op's promise: `dims` has `rank` elements; the context is this call's.
    unsafe {
        let shape = slice(dims, rank as usize);
        with_session(context, |session| {
            let found = session.output(output)?;
            found.shape = Some(shape.to_vec());
            found.dynamic = false;
            if let Some(dim) = shape.iter().find(|&&dim| dim < 0) {
                return Err(invalid!(
                    "output {output} would have the shape {shape:?}, where {dim} is negative"
                ));
            }
            Ok(())
        })
    }
}

pub(super) unsafe extern "C" fn set_output_dynamic(context: *mut c_void, output: u32) -> ArStatus {
    // SAFETY: the context is this call's.
    unsafe {
        with_session(context, |session| {
            session.output(output)?.dynamic = true;
            Ok(())
        })
    }
}

pub(super) unsafe extern "C" fn set_output_constant(
    context: *mut c_void,
    output: u32,
    data: *const c_void,
    bytes: u64,
) -> ArStatus {
    // SAFETY: the op's promise: `data` has `bytes` bytes; the context is this call's.
    unsafe {
        let data = slice(data.cast::<u8>(), bytes as usize);
        with_session(context, |session| {
            let found = session.output(output)?;
            if found.shape.is_none() {
                return Err(internal(format_args!(
                    "the shape of output {output} must be set before its value"
                )));
            }
            found.constant = Some(data.to_vec());
            let index = output as usize;
            let expected = session.output_bytes(&session.outputs[index])?;
            if expected != data.len() {
                return Err(internal(format_args!(
                    "output {output} has {expected} bytes, its value {bytes}"
                )));
            }
            Ok(())
        })
    }
}

pub(super) unsafe extern "C" fn request_persistent(
    context: *mut c_void,
    bytes: u64,
    alignment: u64,
    index: *mut u32,
    data: *mut *mut c_void,
) -> ArStatus {
    // SAFETY: the op's promise: both results are writable; the context is this call's.
    unsafe {
        with_session(context, |session| {
            let memory = Memory::new(checked_request(bytes, alignment)?, 0);
            *index = session.persistent.len() as u32;
            *data = memory.data().cast();
            session.persistent.push(memory);
            Ok(())
        })
    }
}

pub(super) unsafe extern "C" fn request_scratch(
    context: *mut c_void,
    bytes: u64,
    alignment: u64,
    index: *mut u32,
) -> ArStatus {
    // SAFETY: the op's promise: the result is writable; the context is this call's.
    unsafe {
        with_session(context, |session| {
            let bytes = checked_request(bytes, alignment)?;
            *index = session.scratch.len() as u32;
            session.scratch.push(bytes);
            Ok(())
        })
    }
}

fn checked_request(bytes: u64, alignment: u64) -> Result<usize> {
    if !alignment.is_power_of_two() || alignment > 64 {
        return Err(internal(format_args!("an alignment of {alignment} is not a power of two up to 64")));
    }
    match usize::try_from(bytes) {
        Ok(bytes) if bytes <= CAPACITY => Ok(bytes),
        _ => Err(Error::new(Status::OutOfMemory, format_args!("{bytes} bytes were asked for"))),
    }
}

pub(super) unsafe extern "C" fn share_memory(
    context: *mut c_void,
    output: u32,
    input: u32,
    kind: u32,
) -> ArStatus {
    // SAFETY: the context is this call's.
    unsafe {
        with_session(context, |session| {
            session.allow(Share { output: output as usize, input: input as usize, kind, bytes: 0 })
        })
    }
}

static LAYOUT: ArLayoutV1 = ArLayoutV1 { header: ArHeader::of::<ArLayoutV1>(), share_part };

pub(super) unsafe extern "C" fn query_in_prepare(context: *mut c_void, interface: u64) -> *const c_void {
    match interface {
        INTERFACE_LAYOUT => (&raw const LAYOUT).cast(),
        // SAFETY: the context is this call's.
        _ => unsafe { query(context, interface) },
    }
}

unsafe extern "C" fn share_part(
    context: *mut c_void,
    output: u32,
    input: u32,
    kind: u32,
    bytes: u64,
) -> ArStatus {
    let share = Share { output: output as usize, input: input as usize, kind, bytes: bytes as usize };
    // SAFETY: the context is this call's.
    unsafe { with_session(context, |session| session.allow(share)) }
}

/// One buffer behind the other, nothing shared.
pub(super) unsafe extern "C" fn plan(
    _context: *mut c_void,
    request: *const ArPlanRequestV1,
    assignment: *mut ArAssignmentV1,
) -> ArStatus {
    // SAFETY: the op's promise: both structs and their arrays are valid for the call.
    let (request, assignment) = unsafe { (&*request, &mut *assignment) };
    (assignment.kind, assignment.object_count) = (ASSIGNMENT_OFFSETS, 0);
    let mut end = 0u64;
    for i in 0..request.record_count {
        // SAFETY: `i` is below the count.
        let record = unsafe { strided(request.records, request.record_stride, i) };
        let offset = end.checked_next_multiple_of(record.alignment.max(1));
        let Some((offset, next)) = offset.and_then(|at| Some((at, at.checked_add(record.size)?))) else {
            return Status::OutOfMemory as ArStatus;
        };
        end = next;
        // SAFETY: `offsets` has a place for each record.
        unsafe { assignment.offsets.add(i).write(offset) };
    }
    Status::Ok as ArStatus
}

pub(super) unsafe extern "C" fn resize_output(
    context: *mut c_void,
    output: u32,
    dims: *const i32,
    rank: u32,
    bytes: u64,
) -> ArStatus {
    // SAFETY: the op's promise: `dims` has `rank` elements; the context is this call's.
    unsafe {
        let shape = slice(dims, rank as usize);
        with_session(context, |session| session.resize(output, shape, bytes as usize))
    }
}

//! Several models in one arena.

use core::ffi::c_void;

use arenite_micro::{OpRegistration, SharedMemory};

use crate::calls::{empty, micro, planner_of};
use crate::lent::{block, parts, refuse};
use crate::micro::ArMicro;
use crate::status::{self, ArMicroStatus, PHASE};

/// `ArMicroArena` of the header. All zeros before it is opened.
#[repr(C)]
pub(crate) struct ArMicroArena {
    memory: Option<SharedMemory<'static>>,
}

const _: () = assert!(size_of::<ArMicroArena>() == size_of::<*const c_void>());

/// Opens an arena for several models.
///
/// # Safety
/// The rules for ownership and threads in `arenite_micro.h`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn ar_micro_arena_open(
    arena: *mut ArMicroArena,
    planned: *mut c_void,
    planned_bytes: usize,
    persistent: *mut c_void,
    persistent_bytes: usize,
) -> ArMicroStatus {
    // SAFETY: the header requires a null pointer or an `ArMicroArena`, and that only its models use the blocks.
    let (arena, planned, persistent) =
        unsafe { (arena.as_mut(), block(planned, planned_bytes), block(persistent, persistent_bytes)) };
    let Some(arena) = arena else { return refuse("the arena") };
    let (Some(planned), Some(persistent)) = (planned, persistent) else { return refuse("a block") };
    let memory = match persistent.len() {
        0 => SharedMemory::new(planned),
        _ => SharedMemory::over_two(planned, persistent),
    };
    status::of(memory.map(|memory| arena.memory = Some(memory)))
}

/// Loads, prepares and plans a model in a shared arena.
///
/// # Safety
/// The rules for ownership and threads in `arenite_micro.h`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn ar_micro_add(
    micro: *mut ArMicro,
    arena: *const ArMicroArena,
    model: *const c_void,
    model_bytes: usize,
    ops: *const *const OpRegistration,
    op_count: usize,
    planner: u32,
) -> ArMicroStatus {
    let micro = empty!(micro);
    // SAFETY: the header requires a null pointer or an `ArMicroArena`, and that the model and the ops are neither
    // changed nor moved until the interpreter is closed.
    let (arena, parts) = unsafe { (arena.as_ref(), parts(model, model_bytes, ops, op_count)) };
    let Some(arena) = arena else { return refuse("the arena") };
    let Some(memory) = arena.memory else {
        return status::fail(PHASE, format_args!("the arena is not open: call ar_micro_arena_open"));
    };
    let (model, ops, planner) = match (parts, planner_of(planner)) {
        (Ok((model, ops)), Ok(planner)) => (model, ops, planner),
        (Err(status), _) | (_, Err(status)) => return status,
    };
    // SAFETY: the header requires that models of one arena run one at a time, and that the program uses no input or
    // output of one while another one runs or is added.
    micro.open(|place| unsafe { memory.add(model, ops, planner) }.map(|model| *place = Some(model.into())))
}

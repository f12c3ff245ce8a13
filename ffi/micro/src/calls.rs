//! The functions of `arenite_micro.h`.

use core::ffi::c_void;
use core::fmt::{self, Write};
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, Ordering};

use arenite_abi::raw::{ArHostV1, ArStr};
use arenite_micro::{AnyPhase, Error, OpRegistration, Ops, Planner, Stage, TensorInfo};

use crate::lent::{block, parts, refuse, registrations};
use crate::micro::ArMicro;
use crate::status::{self, ARGUMENT, ArMicroStatus};

/// `ArMicroTensor` of the header.
#[repr(C)]
pub(crate) struct ArMicroTensor {
    name: ArStr,
    element_type: u32,
    pub(crate) rank: u32,
    pub(crate) dims: *const i32,
    pub(crate) data: *mut c_void,
    pub(crate) bytes: usize,
    scale: f32,
    zero_point: i64,
}

/// Converts a pointer to an `ArMicro` to a reference, or returns an error from the function.
macro_rules! micro {
    ($micro:expr) => {
        // SAFETY: the header requires a null pointer or an `ArMicro` that only one thread uses at a time.
        match unsafe { $micro.as_mut() } {
            Some(micro) => micro,
            None => return refuse("the interpreter"),
        }
    };
}

/// As `micro`, for an interpreter without a model.
macro_rules! empty {
    ($micro:expr) => {{
        let micro = micro!($micro);
        if micro.phase().is_some() {
            return $crate::micro::wrong("another model is there", micro.phase());
        }
        micro
    }};
}
pub(crate) use {empty, micro};

/// Verifies a model and creates an interpreter.
///
/// # Safety
/// The rules for ownership and threads in `arenite_micro.h`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn ar_micro_load(
    micro: *mut ArMicro,
    model: *const c_void,
    model_bytes: usize,
    ops: *const *const OpRegistration,
    op_count: usize,
    arena: *mut c_void,
    arena_bytes: usize,
) -> ArMicroStatus {
    let micro = empty!(micro);
    // SAFETY: the header requires that the model and the ops are neither changed nor moved until the interpreter is
    // closed, and that only the interpreter uses the arena.
    match unsafe { (parts(model, model_bytes, ops, op_count), block(arena, arena_bytes)) } {
        (Ok((model, ops)), Some(arena)) => micro.open(|place| AnyPhase::load(place, model, ops, arena)),
        (Err(status), _) => status,
        (_, None) => refuse("the arena"),
    }
}

/// Like `ar_micro_load`, over two blocks.
///
/// # Safety
/// The rules for ownership and threads in `arenite_micro.h`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn ar_micro_load_two(
    micro: *mut ArMicro,
    model: *const c_void,
    model_bytes: usize,
    ops: *const *const OpRegistration,
    op_count: usize,
    planned: *mut c_void,
    planned_bytes: usize,
    persistent: *mut c_void,
    persistent_bytes: usize,
) -> ArMicroStatus {
    let micro = empty!(micro);
    // SAFETY: as in `ar_micro_load`, for both blocks.
    let (parts, planned, persistent) = unsafe {
        (
            parts(model, model_bytes, ops, op_count),
            block(planned, planned_bytes),
            block(persistent, persistent_bytes),
        )
    };
    match (parts, planned, persistent) {
        (Ok((model, ops)), Some(planned), Some(persistent)) => {
            micro.open(|place| AnyPhase::load_over_two(place, model, ops, planned, persistent))
        }
        (Err(status), ..) => status,
        _ => refuse("a block"),
    }
}

/// Prepares every node.
///
/// # Safety
/// The rules for ownership and threads in `arenite_micro.h`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn ar_micro_prepare(micro: *mut ArMicro) -> ArMicroStatus {
    let micro = micro!(micro);
    let done = match micro.at(Stage::Loaded, "there is nothing to prepare") {
        Ok(loaded) => loaded.prepare(),
        Err(status) => return status,
    };
    micro.reached(done)
}

/// Places every tensor in the arena.
///
/// # Safety
/// The rules for ownership and threads in `arenite_micro.h`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn ar_micro_plan(micro: *mut ArMicro, planner: u32) -> ArMicroStatus {
    let micro = micro!(micro);
    let planner = match planner_of(planner) {
        Ok(planner) => planner,
        Err(status) => return status,
    };
    let done = match micro.at(Stage::Prepared, "there is nothing to plan") {
        Ok(prepared) => prepared.plan(planner),
        Err(status) => return status,
    };
    micro.reached(done)
}

/// The planner with this number in the header.
pub(crate) fn planner_of(number: u32) -> Result<Planner, ArMicroStatus> {
    match number {
        0 => Ok(Planner::Greedy),
        1 => Ok(Planner::Linear),
        other => Err(status::fail(ARGUMENT, format_args!("unknown planner {other}"))),
    }
}

/// Runs the phases load, prepare and plan.
///
/// # Safety
/// The rules for ownership and threads in `arenite_micro.h`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn ar_micro_init(
    micro: *mut ArMicro,
    model: *const c_void,
    model_bytes: usize,
    ops: *const *const OpRegistration,
    op_count: usize,
    arena: *mut c_void,
    arena_bytes: usize,
) -> ArMicroStatus {
    // SAFETY: the three functions have the same requirements as this one, and its caller meets them.
    unsafe {
        match ar_micro_load(micro, model, model_bytes, ops, op_count, arena, arena_bytes) {
            status::OK => {}
            status => return status,
        }
        match ar_micro_prepare(micro) {
            status::OK => ar_micro_plan(micro, 0),
            status => status,
        }
    }
}

/// Runs the model.
///
/// # Safety
/// The rules for ownership and threads in `arenite_micro.h`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn ar_micro_invoke(micro: *mut ArMicro) -> ArMicroStatus {
    match micro!(micro).ready() {
        Ok(mut model) => status::of(model.invoke()),
        Err(status) => status,
    }
}

/// Resets variables and states of ops to their initial values.
///
/// # Safety
/// The rules for ownership and threads in `arenite_micro.h`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn ar_micro_reset(micro: *mut ArMicro) -> ArMicroStatus {
    match micro!(micro).ready() {
        Ok(mut model) => {
            model.reset();
            status::OK
        }
        Err(status) => status,
    }
}

/// Limits the calls of subgraphs.
///
/// # Safety
/// The rules for ownership and threads in `arenite_micro.h`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn ar_micro_limit_calls(micro: *mut ArMicro, most: u32) -> ArMicroStatus {
    match micro!(micro).ready() {
        Ok(mut model) => {
            model.limit_calls(most);
            status::OK
        }
        Err(status) => status,
    }
}

/// Closes an interpreter.
///
/// # Safety
/// The rules for ownership and threads in `arenite_micro.h`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn ar_micro_close(micro: *mut ArMicro) {
    // SAFETY: the header requires a null pointer or an `ArMicro` that only one thread uses at a time.
    if let Some(micro) = unsafe { micro.as_mut() } {
        micro.close();
    }
}

/// The number of inputs; 0 before the model is ready to run.
///
/// # Safety
/// The rules for ownership and threads in `arenite_micro.h`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn ar_micro_input_count(micro: *const ArMicro) -> usize {
    // SAFETY: the header requires a null pointer or an `ArMicro` that only one thread uses at a time.
    unsafe { micro.as_ref() }.and_then(ArMicro::phase).map_or(0, |phase| phase.port_counts().0)
}

/// The number of outputs; 0 before the model is ready to run.
///
/// # Safety
/// The rules for ownership and threads in `arenite_micro.h`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn ar_micro_output_count(micro: *const ArMicro) -> usize {
    // SAFETY: the header requires a null pointer or an `ArMicro` that only one thread uses at a time.
    unsafe { micro.as_ref() }.and_then(ArMicro::phase).map_or(0, |phase| phase.port_counts().1)
}

/// Describes an input.
///
/// # Safety
/// The rules for ownership and threads in `arenite_micro.h`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn ar_micro_input(
    micro: *mut ArMicro,
    index: usize,
    tensor: *mut ArMicroTensor,
) -> ArMicroStatus {
    let mut model = match micro!(micro).ready() {
        Ok(model) => model,
        Err(status) => return status,
    };
    let data = model.input(index).map(|data| (data.as_mut_ptr(), data.len()));
    // SAFETY: the header requires that `tensor` is null or writable.
    unsafe { tell(tensor, data, model.input_info(index)) }
}

/// Describes an output.
///
/// # Safety
/// The rules for ownership and threads in `arenite_micro.h`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn ar_micro_output(
    micro: *mut ArMicro,
    index: usize,
    tensor: *mut ArMicroTensor,
) -> ArMicroStatus {
    let model = match micro!(micro).ready() {
        Ok(model) => model,
        Err(status) => return status,
    };
    let data = model.output(index).map(|data| (data.as_ptr().cast_mut(), data.len()));
    // SAFETY: the header requires that `tensor` is null or writable.
    unsafe { tell(tensor, data, model.output_info(index)) }
}

/// Writes the description of a tensor.
///
/// # Safety
/// `tensor` must be null or writable.
unsafe fn tell(
    tensor: *mut ArMicroTensor,
    data: Result<(*mut u8, usize), Error>,
    info: Result<TensorInfo<'_>, Error>,
) -> ArMicroStatus {
    if tensor.is_null() || !tensor.is_aligned() {
        return refuse("the place for the tensor");
    }
    status::of(data.and_then(|(data, bytes)| {
        let TensorInfo { name, ty, shape, quantization } = info?;
        let (scale, zero_point) = quantization.unwrap_or((0.0, 0));
        let told = ArMicroTensor {
            name: ArStr::borrowed(name),
            element_type: ty as u32,
            rank: shape.len() as u32,
            dims: shape.as_ptr(),
            data: data.cast(),
            bytes,
            scale,
            zero_point,
        };
        // SAFETY: `tensor` is not null here, and the caller passes null or a writable pointer.
        unsafe { tensor.write(told) };
        Ok(())
    }))
}

/// The size in bytes that a failed call found the arena to need.
///
/// # Safety
/// The rules for ownership and threads in `arenite_micro.h`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn ar_micro_needed(micro: *const ArMicro) -> usize {
    // SAFETY: the header requires a null pointer or an `ArMicro` that only one thread uses at a time.
    unsafe { micro.as_ref() }.map_or(0, |micro| micro.needed)
}

/// The pointer that the program passes to its ops.
static EXTERNAL: AtomicPtr<c_void> = AtomicPtr::new(null_mut());

/// Stores a pointer for the program's ops.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn ar_micro_set_external(external: *mut c_void) {
    EXTERNAL.store(external, Ordering::Relaxed);
}

/// The stored pointer.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn ar_micro_external() -> *mut c_void {
    EXTERNAL.load(Ordering::Relaxed)
}

/// Passes text to a function of the program.
struct TextSink(unsafe extern "C" fn(text: *const u8, length: usize));

impl Write for TextSink {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // SAFETY: the header requires a function that reads `length` bytes, and `text` has that many.
        unsafe { (self.0)(text.as_ptr(), text.len()) };
        Ok(())
    }
}

/// Writes the layouts on this machine.
///
/// # Safety
/// The rules for ownership and threads in `arenite_micro.h`; `write` must be callable.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn ar_micro_write_layouts(
    write: unsafe extern "C" fn(text: *const u8, length: usize),
    ops: *const *const OpRegistration,
    op_count: usize,
) {
    // SAFETY: the header requires that `ops` points to `op_count` valid ops.
    if let Ok(ops) = unsafe { registrations(ops, op_count) } {
        // Cannot fail: `TextSink` returns no errors.
        let _ = arenite_micro::write_layouts(&mut TextSink(write), Ops::Pointers(ops));
    }
}

/// The host for ops in C.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn ar_micro_host() -> *const ArHostV1 {
    arenite_micro::host()
}

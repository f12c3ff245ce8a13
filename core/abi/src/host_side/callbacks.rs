//! The functions that plugins call. Each finds the host behind `context` and passes it the plugin's arguments as Rust
//! types.

mod context;
mod kernels;
mod resource_memory;
mod sizes;

use core::ffi::c_void;
use core::marker::PhantomData;
use core::ptr::null;

use context::with;
use kernels::objects;
pub use kernels::{constants, device_memory, memory};
use resource_memory::resource_memory;
use sizes::{given, shape};

use super::model::only_in_eval;
use super::{CallerSide, EvalSide, ModelSide, PrepareSide, Share, eval, prepare};
use crate::AssignmentMut;
use crate::raw::*;

/// The struct for `prepare`. It borrows `host`, which must not move until the call returns.
pub fn prepare_struct<H: PrepareSide>(host: &mut H) -> ArPrepareV1 {
    ArPrepareV1 {
        header: ArHeader::of::<ArPrepareV1>(),
        context: (&raw mut *host).cast(),
        set_output_shape: set_output_shape::<H>,
        set_output_dynamic: set_output_dynamic::<H>,
        set_output_constant: set_output_constant::<H>,
        request_persistent: request_persistent::<H>,
        request_scratch: request_scratch::<H>,
        share_memory: share_memory::<H>,
        plan: plan::<H>,
        query: query_in_prepare::<H>,
    }
}

/// The struct for `eval`. It borrows both lists and `host`, which must not move until the call returns.
pub fn eval_struct<H: EvalSide>(
    host: &mut H,
    threads: u32,
    persistent: &[ArSpan],
    scratch: &[ArSpan],
) -> ArEvalV1 {
    ArEvalV1 {
        header: ArHeader::of::<ArEvalV1>(),
        context: (&raw mut *host).cast(),
        threads,
        persistent: persistent.as_ptr(),
        persistent_count: persistent.len(),
        scratch: scratch.as_ptr(),
        scratch_count: scratch.len(),
        resize_output: resize_output::<H>,
        is_cancelled: is_cancelled::<H>,
        query: query_in_eval::<H>,
    }
}

/// The host's interfaces, for a `context` of type `H`.
struct InterfaceTables<H>(PhantomData<H>);

impl<H: PrepareSide> InterfaceTables<H> {
    const LAYOUT: &'static ArLayoutV1 =
        &ArLayoutV1 { header: ArHeader::of::<ArLayoutV1>(), share_part: share_part::<H> };
}

impl<H: EvalSide> InterfaceTables<H> {
    const PROFILE: &'static ArProfileV1 =
        &ArProfileV1 { header: ArHeader::of::<ArProfileV1>(), note: note::<H> };
    const KEEP: &'static ArKeepV1 = &ArKeepV1 { header: ArHeader::of::<ArKeepV1>(), keep: keep::<H> };
}

/// The model as seen by a node. In `eval`, subgraphs run and values are assigned; in `prepare`, only shapes are set.
struct LentModel<H, const RUNS: bool>(PhantomData<H>);

impl<H: CallerSide, const RUNS: bool> LentModel<H, RUNS> {
    const SUBGRAPHS: &'static ArSubgraphsV1 = &ArSubgraphsV1 {
        header: ArHeader::of::<ArSubgraphsV1>(),
        describe: describe::<H>,
        set_input: set_input::<H, RUNS>,
        forward: forward::<H, RUNS>,
        prepare: prepare_subgraph::<H>,
        invoke: invoke::<H, RUNS>,
        output: output::<H, RUNS>,
    };

    const RESOURCES: &'static ArResourcesV1 = &ArResourcesV1 {
        header: ArHeader::of::<ArResourcesV1>(),
        open: open::<H>,
        value: value::<H>,
        assign: assign::<H, RUNS>,
    };

    fn find(interface: u64) -> *const c_void {
        if !H::LENDS_MODEL {
            return null();
        }
        match interface {
            INTERFACE_SUBGRAPHS => (&raw const *Self::SUBGRAPHS).cast(),
            INTERFACE_RESOURCES => (&raw const *Self::RESOURCES).cast(),
            _ => null(),
        }
    }
}

unsafe extern "C" fn query_in_prepare<H: PrepareSide>(
    _context: *mut c_void,
    interface: u64,
) -> *const c_void {
    match interface {
        INTERFACE_LAYOUT => (&raw const *InterfaceTables::<H>::LAYOUT).cast(),
        INTERFACE_CONSTANTS => (&raw const *constants::<H>()).cast(),
        INTERFACE_MEMORY => (&raw const *memory::<H>()).cast(),
        INTERFACE_DEVICE_MEMORY => (&raw const *device_memory::<H>()).cast(),
        INTERFACE_OBJECTS if H::LENDS_OBJECTS => (&raw const *objects::<H>()).cast(),
        INTERFACE_SIZES if H::LENDS_MODEL => (&raw const *sizes::sizes::<H>()).cast(),
        _ => LentModel::<H, false>::find(interface),
    }
}

unsafe extern "C" fn query_in_eval<H: EvalSide>(context: *mut c_void, interface: u64) -> *const c_void {
    // SAFETY: `context` points to the `H` of the call in progress.
    let host = unsafe { &*context.cast::<H>() };
    match interface {
        INTERFACE_PROFILE if host.is_profiled() => (&raw const *InterfaceTables::<H>::PROFILE).cast(),
        INTERFACE_KEEP if host.keeps() => (&raw const *InterfaceTables::<H>::KEEP).cast(),
        INTERFACE_RESOURCE_MEMORY if H::KEEPS_RESOURCES => (&raw const *resource_memory::<H>()).cast(),
        _ => LentModel::<H, true>::find(interface),
    }
}

// SAFETY (all that follow): `context` points to the `H` of the call in progress, because the host created the struct
// for it. A plugin makes one callback at a time, except for `is_cancelled`.

unsafe extern "C" fn set_output_shape<H: PrepareSide>(
    context: *mut c_void,
    output: u32,
    dims: *const i32,
    rank: u32,
) -> ArStatus {
    // SAFETY: `context` is the `H` that the host stored next to this callback for the call in progress.
    unsafe { with::<H>(context, |host| prepare::set_shape(host, output, shape(output, dims, rank)?)) }
}

unsafe extern "C" fn set_output_dynamic<H: PrepareSide>(context: *mut c_void, output: u32) -> ArStatus {
    // SAFETY: `context` is the `H` that the host stored next to this callback for the call in progress.
    unsafe { with::<H>(context, |host| prepare::set_dynamic(host, output)) }
}

unsafe extern "C" fn set_output_constant<H: PrepareSide>(
    context: *mut c_void,
    output: u32,
    data: *const c_void,
    bytes: u64,
) -> ArStatus {
    // SAFETY: `context` is the `H` that the host stored next to this callback for the call in progress; the ABI
    // requires that `data` has that many bytes.
    unsafe {
        let value = slice(data.cast::<u8>(), usize::try_from(bytes).unwrap_or(0));
        with::<H>(context, |host| prepare::set_constant(host, output, value))
    }
}

unsafe extern "C" fn request_persistent<H: PrepareSide>(
    context: *mut c_void,
    bytes: u64,
    alignment: u64,
    index: *mut u32,
    data: *mut *mut c_void,
) -> ArStatus {
    // SAFETY: `context` is the `H` that the host stored next to this callback for the call in progress; the ABI
    // requires both results to be writable.
    unsafe {
        with::<H>(context, |host| {
            (*index, *data) = prepare::take_persistent(host, bytes, alignment)?;
            Ok(())
        })
    }
}

unsafe extern "C" fn request_scratch<H: PrepareSide>(
    context: *mut c_void,
    bytes: u64,
    alignment: u64,
    index: *mut u32,
) -> ArStatus {
    // SAFETY: `context` is the `H` that the host stored next to this callback for the call in progress; the ABI
    // requires the result to be writable.
    unsafe {
        with::<H>(context, |host| {
            *index = prepare::note_scratch(host, bytes, alignment)?;
            Ok(())
        })
    }
}

unsafe extern "C" fn share_memory<H: PrepareSide>(
    context: *mut c_void,
    output: u32,
    input: u32,
    kind: u32,
) -> ArStatus {
    // SAFETY: `context` is the `H` that the host stored next to this callback for the call in progress.
    unsafe { share_part::<H>(context, output, input, kind, 0) }
}

unsafe extern "C" fn share_part<H: PrepareSide>(
    context: *mut c_void,
    output: u32,
    input: u32,
    kind: u32,
    bytes: u64,
) -> ArStatus {
    // SAFETY: `context` is the `H` that the host stored next to this callback for the call in progress.
    unsafe { with::<H>(context, |host| prepare::share(host, Share { output, input, kind, bytes })) }
}

unsafe extern "C" fn plan<H: PrepareSide>(
    context: *mut c_void,
    request: *const ArPlanRequestV1,
    assignment: *mut ArAssignmentV1,
) -> ArStatus {
    // SAFETY: `context` is the `H` that the host stored next to this callback for the call in progress; the ABI
    // requires both structs and their arrays to be valid during the call.
    unsafe {
        with::<H>(context, |host| {
            let (request, assignment) = (&*request, &mut *assignment);
            prepare::check_request(request, assignment.offsets)?;
            let records = slice(request.records, request.record_count);
            host.plan(records, AssignmentMut::from_raw(request, assignment))
        })
    }
}

unsafe extern "C" fn resize_output<H: EvalSide>(
    context: *mut c_void,
    output: u32,
    dims: *const i32,
    rank: u32,
    bytes: u64,
) -> ArStatus {
    // SAFETY: `context` is the `H` that the host stored next to this callback for the call in progress.
    unsafe { with::<H>(context, |host| eval::resize(host, output, shape(output, dims, rank)?, bytes)) }
}

unsafe extern "C" fn is_cancelled<H: EvalSide>(context: *mut c_void) -> u8 {
    // SAFETY: `context` is the `H` that the host stored next to this callback for the call in progress; only this
    // callback may run at the same time as others, and it only reads.
    u8::from(unsafe { (*context.cast::<H>()).is_cancelled() })
}

unsafe extern "C" fn note<H: EvalSide>(
    context: *mut c_void,
    number: u32,
    name: ArStr,
    tensor: i32,
    nanoseconds: u64,
) {
    // SAFETY: `context` is the `H` that the host stored next to this callback for the call in progress; the ABI
    // requires `name` to be readable during the call.
    unsafe { (*context.cast::<H>()).note_time(number, name.as_str(), tensor, nanoseconds) }
}

unsafe extern "C" fn keep<H: EvalSide>(context: *mut c_void, output: u32, handle: u64) -> ArStatus {
    // SAFETY: `context` is the `H` that the host stored next to this callback for the call in progress.
    unsafe { with::<H>(context, |host| eval::keep(host, output, handle)) }
}

unsafe extern "C" fn describe<H: CallerSide>(
    context: *mut c_void,
    subgraph: u32,
    graph: *mut *const ArGraphV1,
) -> ArStatus {
    // SAFETY: `context` is the `H` that the host stored next to this callback for the call in progress; the ABI
    // requires the result to be writable.
    unsafe {
        with::<H>(context, |host| {
            *graph = host.model().describe(subgraph)?;
            Ok(())
        })
    }
}

unsafe extern "C" fn set_input<H: CallerSide, const RUNS: bool>(
    context: *mut c_void,
    subgraph: u32,
    input: u32,
    value: *const ArTensorV1,
) -> ArStatus {
    // SAFETY: `context` is the `H` that the host stored next to this callback for the call in progress; the value is
    // readable, and not in memory of the target subgraph, whose executor is in use.
    unsafe {
        with::<H>(context, |host| {
            let mut value = *given(value)?;
            if !RUNS {
                value.data = core::ptr::null_mut();
            }
            host.model().set_input(subgraph, input, &value)
        })
    }
}

unsafe extern "C" fn forward<H: CallerSide, const RUNS: bool>(
    context: *mut c_void,
    from: u32,
    to: u32,
) -> ArStatus {
    // SAFETY: `context` is the `H` that the host stored next to this callback for the call in progress.
    unsafe {
        with::<H>(context, |host| {
            only_in_eval(RUNS, "forwards values")?;
            host.model().forward(from, to)
        })
    }
}

unsafe extern "C" fn prepare_subgraph<H: CallerSide>(context: *mut c_void, subgraph: u32) -> ArStatus {
    // SAFETY: `context` is the `H` that the host stored next to this callback for the call in progress.
    unsafe { with::<H>(context, |host| host.model().prepare(subgraph)) }
}

unsafe extern "C" fn invoke<H: CallerSide, const RUNS: bool>(
    context: *mut c_void,
    subgraph: u32,
) -> ArStatus {
    // SAFETY: `context` is the `H` that the host stored next to this callback for the call in progress.
    unsafe {
        with::<H>(context, |host| {
            only_in_eval(RUNS, "runs a subgraph")?;
            host.model().invoke(subgraph)
        })
    }
}

unsafe extern "C" fn output<H: CallerSide, const RUNS: bool>(
    context: *mut c_void,
    subgraph: u32,
    output: u32,
    value: *mut ArTensorV1,
) -> ArStatus {
    // SAFETY: `context` is the `H` that the host stored next to this callback for the call in progress; the ABI
    // requires the result to be writable.
    unsafe {
        with::<H>(context, |host| {
            let found = host.model().output(subgraph, output)?;
            *value = if RUNS { found } else { found.described() };
            Ok(())
        })
    }
}

unsafe extern "C" fn open<H: CallerSide>(context: *mut c_void, name: ArBytes, handle: *mut i32) -> ArStatus {
    // SAFETY: `context` is the `H` that the host stored next to this callback for the call in progress; the ABI
    // requires the name to be readable during the call and the result to be writable.
    unsafe {
        with::<H>(context, |host| {
            *handle = host.model().open(name.as_slice())?;
            Ok(())
        })
    }
}

unsafe extern "C" fn value<H: CallerSide>(
    context: *mut c_void,
    handle: i32,
    value: *mut ArTensorV1,
) -> ArStatus {
    // SAFETY: `context` is the `H` that the host stored next to this callback for the call in progress; the ABI
    // requires the result to be writable.
    unsafe {
        with::<H>(context, |host| {
            *value = host.model().value(handle)?;
            Ok(())
        })
    }
}

unsafe extern "C" fn assign<H: CallerSide, const RUNS: bool>(
    context: *mut c_void,
    handle: i32,
    value: *const ArTensorV1,
) -> ArStatus {
    // SAFETY: `context` is the `H` that the host stored next to this callback for the call in progress; the ABI
    // requires the value to be readable.
    unsafe {
        with::<H>(context, |host| {
            only_in_eval(RUNS, "assigns a resource")?;
            host.model().assign(handle, given(value)?)
        })
    }
}

//! A host of contract 1.0: today's runtime behind functions that pass on only what 1.0 had. Plugins get null for every
//! interface they query, and the host queries none of theirs.

use std::cell::RefCell;
use std::ffi::c_void;
use std::path::Path;
use std::ptr::{null, null_mut};

use arenite::Registry;
use arenite_abi::UserData;
use arenite_abi::raw::*;
use libloading::Library;

thread_local! {
    static MESSAGE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// The last message that a plugin set on this thread.
pub(crate) fn take_message() -> String {
    MESSAGE.take()
}

unsafe extern "C" fn set_error(message: ArStr) {
    // SAFETY: the plugin's text is readable during the call.
    MESSAGE.set(unsafe { message.as_str() }.to_owned());
}

unsafe extern "C" fn log(_: u32, _: ArStr, _: ArStr) {}

unsafe extern "C" fn parallel_for(
    count: usize,
    _: usize,
    _: u32,
    body: ArRangeFn,
    argument: *mut c_void,
) -> ArStatus {
    // SAFETY: the body takes this argument and any range below `count`.
    unsafe { (body.call)(argument, 0, count) };
    0
}

unsafe extern "C" fn no_interface(_: u64) -> *const c_void {
    null()
}

unsafe extern "C" fn none_in_call(_: *mut c_void, _: u64) -> *const c_void {
    null()
}

static HOST: ArHostV1 =
    ArHostV1 { header: ArHeader::of::<ArHostV1>(), set_error, log, parallel_for, query: no_interface };

/// The descriptor that this entry of a library returns. The library stays loaded.
pub(crate) fn open(path: &Path, entry: &str) -> &'static ArPluginV1 {
    let mut version = ABI_VERSION;
    // SAFETY: the library was built from this workspace: its entries have this type, and its descriptors are statics.
    // It is never unloaded.
    unsafe {
        let library = Box::leak(Box::new(Library::new(path).expect("it loads")));
        let entry = library.get::<ArEntryV1>(entry).expect("it has the entry");
        entry(&HOST, &mut version).as_ref().expect("the plugin supports contract 1.0")
    }
}

/// Registers everything in the library that contract 1.0 knew.
pub(crate) fn add(registry: &mut Registry, path: &Path) {
    let plugin = open(path, ENTRY_SYMBOL);
    // SAFETY: the descriptor is a static of a library that stays loaded, and its arrays have these counts and strides.
    // The user data are leaked.
    unsafe {
        for i in 0..plugin.op_count {
            let op = op(&*plugin.ops.byte_add(i * plugin.op_stride));
            registry.add_raw_op(&op.0, UserData::new(op.1, None)).expect("it is registered once");
        }
        for i in 0..plugin.planner_count {
            let planner = *plugin.planners.byte_add(i * plugin.planner_stride);
            let planner = ArPlannerV1 { query: None, ..planner };
            registry.add_raw_planner(&planner, UserData::new(null_mut(), None)).expect("its name is free");
        }
        for i in 0..plugin.delegate_count {
            let raw = &*plugin.delegates.byte_add(i * plugin.delegate_stride);
            let data = UserData::new((&raw const *raw).cast_mut().cast(), None);
            registry.add_raw_delegate(&delegate(raw), data).expect("its name is free");
        }
    }
}

// ── What calls of ops and kernels get ───────────────────────────────────────────────────────────────────────────────

unsafe fn first_prepare(prepare: *const ArPrepareV1) -> ArPrepareV1 {
    // SAFETY: the host passes structs that stay valid until this function returns.
    ArPrepareV1 { query: none_in_call, ..unsafe { *prepare } }
}

unsafe fn first_eval(eval: *const ArEvalV1) -> ArEvalV1 {
    // SAFETY: the host passes structs that stay valid until this function returns.
    ArEvalV1 { query: none_in_call, ..unsafe { *eval } }
}

// ── Ops ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

/// An op of the plugin. Its state starts `offset` bytes after the state of this wrapper.
struct Op {
    raw: &'static ArOpV1,
    offset: usize,
}

fn op(raw: &'static ArOpV1) -> (ArOpV1, *mut c_void) {
    let align = (raw.state_align as usize).max(align_of::<usize>());
    let op = Op { raw, offset: size_of::<usize>().next_multiple_of(align) };
    let first = ArOpV1 {
        flags: raw.flags & OP_STATEFUL | OP_USER_DATA,
        state_size: raw.state_size + op.offset as u64,
        state_align: align as u64,
        prepare: prepare_op,
        eval: eval_op,
        drop: Some(drop_op),
        query: None,
        ..*raw
    };
    (first, std::ptr::from_mut(Box::leak(Box::new(op))).cast())
}

/// The op and its state.
unsafe fn of(state: *mut c_void) -> (&'static Op, *mut c_void) {
    // SAFETY: the state starts with the user data, an `Op` that was leaked, and the plugin's bytes follow it.
    unsafe {
        let op = &**state.cast::<*const Op>();
        (op, state.byte_add(op.offset))
    }
}

unsafe extern "C" fn prepare_op(
    prepare: *const ArPrepareV1,
    node: *const ArNodeV1,
    state: *mut c_void,
) -> ArStatus {
    // SAFETY: the runtime passes the state that `of` expects; its structs are valid until this function returns.
    unsafe {
        let (op, state) = of(state);
        (op.raw.prepare)(&first_prepare(prepare), node, state)
    }
}

unsafe extern "C" fn eval_op(eval: *const ArEvalV1, node: *const ArNodeV1, state: *mut c_void) -> ArStatus {
    // SAFETY: the runtime passes the state that `of` expects; its structs are valid until this function returns.
    unsafe {
        let (op, state) = of(state);
        (op.raw.eval)(&first_eval(eval), node, state)
    }
}

unsafe extern "C" fn drop_op(state: *mut c_void) {
    // SAFETY: the runtime passes the state that `of` expects, for the last time.
    unsafe {
        let (op, state) = of(state);
        op.raw.drop.into_iter().for_each(|drop| drop(state));
    }
}

// ── Delegates ───────────────────────────────────────────────────────────────────────────────────────────────────────

/// A delegate's instance or kernel, with the functions for it.
struct Made {
    raw: &'static ArDelegateV1,
    pointer: *mut c_void,
}

fn delegate(raw: &ArDelegateV1) -> ArDelegateV1 {
    ArDelegateV1 {
        create: create_nothing,
        claim,
        compile,
        prepare,
        invoke,
        destroy_kernel,
        destroy,
        query: Some(delegate_query),
        ..*raw
    }
}

unsafe extern "C" fn delegate_query(id: u64) -> *const c_void {
    static CREATE: ArCreateV1 = ArCreateV1 { header: ArHeader::of::<ArCreateV1>(), create };
    if id == INTERFACE_CREATE { (&raw const CREATE).cast() } else { null() }
}

unsafe extern "C" fn create_nothing(_: *const ArPair, _: usize, _: *mut *mut c_void) -> ArStatus {
    arenite_abi::Status::Internal as ArStatus
}

/// Wraps an object that `make` creates.
unsafe fn wrapped(
    raw: &'static ArDelegateV1,
    result: *mut *mut c_void,
    make: impl FnOnce(*mut *mut c_void) -> ArStatus,
) -> ArStatus {
    let mut pointer = null_mut();
    let status = make(&mut pointer);
    if status == 0 {
        // SAFETY: the runtime passes `create` and `compile` a writable result.
        unsafe { *result = Box::into_raw(Box::new(Made { raw, pointer })).cast() };
    }
    status
}

unsafe fn made(pointer: *mut c_void) -> (&'static ArDelegateV1, *mut c_void) {
    // SAFETY: `wrapped` made it.
    let made = unsafe { &*pointer.cast::<Made>() };
    (made.raw, made.pointer)
}

unsafe extern "C" fn create(
    data: *mut c_void,
    options: *const ArPair,
    count: usize,
    delegate: *mut *mut c_void,
) -> ArStatus {
    // SAFETY: the user data is the plugin's registration; the rest is as the runtime calls it.
    unsafe {
        let raw = &*data.cast::<ArDelegateV1>();
        wrapped(raw, delegate, |delegate| (raw.create)(options, count, delegate))
    }
}

unsafe extern "C" fn claim(
    delegate: *mut c_void,
    graph: *const ArGraphV1,
    claims: *const ArClaimsV1,
) -> ArStatus {
    // SAFETY: `wrapped` made `delegate`; the runtime's structs are valid until this function returns.
    unsafe {
        let (raw, delegate) = made(delegate);
        (raw.claim)(delegate, graph, claims)
    }
}

unsafe extern "C" fn compile(
    delegate: *mut c_void,
    partition: *const ArPartitionV1,
    kernel: *mut *mut c_void,
) -> ArStatus {
    // SAFETY: `wrapped` made `delegate`; the runtime's structs are valid, and `kernel` is writable, until this function
    // returns.
    unsafe {
        let (raw, delegate) = made(delegate);
        wrapped(raw, kernel, |kernel| (raw.compile)(delegate, partition, kernel))
    }
}

unsafe extern "C" fn prepare(
    kernel: *mut c_void,
    prepare: *const ArPrepareV1,
    partition: *const ArPartitionV1,
) -> ArStatus {
    // SAFETY: `wrapped` made `kernel`; the runtime's structs are valid until this function returns.
    unsafe {
        let (raw, kernel) = made(kernel);
        (raw.prepare)(kernel, &first_prepare(prepare), partition)
    }
}

unsafe extern "C" fn invoke(
    kernel: *mut c_void,
    eval: *const ArEvalV1,
    partition: *const ArPartitionV1,
    node: *const ArNodeV1,
) -> ArStatus {
    // SAFETY: `wrapped` made `kernel`; the runtime's structs are valid until this function returns.
    unsafe {
        let (raw, kernel) = made(kernel);
        (raw.invoke)(kernel, &first_eval(eval), partition, node)
    }
}

unsafe extern "C" fn destroy_kernel(kernel: *mut c_void) {
    // SAFETY: `wrapped` made it; this is the last call.
    let made = unsafe { Box::from_raw(kernel.cast::<Made>()) };
    // SAFETY: the plugin's function gets the pointer that the plugin's `compile` or `create` made, once.
    unsafe { (made.raw.destroy_kernel)(made.pointer) };
}

unsafe extern "C" fn destroy(delegate: *mut c_void) {
    // SAFETY: `wrapped` made it; this is the last call.
    let made = unsafe { Box::from_raw(delegate.cast::<Made>()) };
    // SAFETY: the plugin's function gets the pointer that the plugin's `compile` or `create` made, once.
    unsafe { (made.raw.destroy)(made.pointer) };
}

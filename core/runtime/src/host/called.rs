//! What the host lends to a node beyond its own tensors: the model's other subgraphs, and resources.
//!
//! An executor is taken out of its place while it is used, so a subgraph never calls itself.

use std::ffi::c_void;

use arenite_abi::Status;
use arenite_abi::raw::{
    ArBytes, ArGraphV1, ArHeader, ArResourcesV1, ArStatus, ArSubgraphsV1, ArTensorV1, INTERFACE_CONSTANTS,
    INTERFACE_LAYOUT, INTERFACE_PROFILE, INTERFACE_RESOURCES, INTERFACE_SUBGRAPHS,
};

use super::eval::{self, EvalHost};
use super::finish;
use super::prepare::{self as prepare_host, PrepareHost};
use crate::error::{Error, Result};
use crate::quota::Resource;
use crate::run::Run;
use crate::stages::step::Phase;

pub(crate) unsafe extern "C" fn query_in_prepare(_context: *mut c_void, interface: u64) -> *const c_void {
    if interface == INTERFACE_LAYOUT {
        return (&raw const prepare_host::LAYOUT).cast();
    }
    if interface == INTERFACE_CONSTANTS {
        return (&raw const prepare_host::CONSTANTS).cast();
    }
    find::<PrepareHost<'static, 'static>>(interface)
}

pub(crate) unsafe extern "C" fn query_in_eval(context: *mut c_void, interface: u64) -> *const c_void {
    if interface == INTERFACE_PROFILE {
        // SAFETY: the context is the `EvalHost` of the call in progress.
        let profiled = unsafe { (*context.cast::<EvalHost<'_>>()).profile.is_some() };
        return if profiled { (&raw const eval::PROFILE).cast() } else { std::ptr::null() };
    }
    find::<EvalHost<'static>>(interface)
}

fn find<C: Caller>(interface: u64) -> *const c_void {
    match interface {
        INTERFACE_SUBGRAPHS => (&raw const *C::SUBGRAPHS).cast(),
        INTERFACE_RESOURCES => (&raw const *C::RESOURCES).cast(),
        _ => std::ptr::null(),
    }
}

/// The host's side of the call in progress.
trait Caller: Sized {
    /// In `eval` subgraphs run and values are assigned; in `prepare` only shapes are set.
    const RUNS: bool;
    const SUBGRAPHS: &'static ArSubgraphsV1;
    const RESOURCES: &'static ArResourcesV1;

    fn run(&self) -> &Run<'_>;

    /// What called subgraphs are prepared for.
    fn phase(&self) -> Phase {
        Phase::Prepare
    }
}

impl Caller for PrepareHost<'_, '_> {
    const RUNS: bool = false;
    const SUBGRAPHS: &'static ArSubgraphsV1 = &subgraphs::<PrepareHost<'static, 'static>>();
    const RESOURCES: &'static ArResourcesV1 = &resources::<PrepareHost<'static, 'static>>();

    fn run(&self) -> &Run<'_> {
        self.run_in_progress().0
    }

    fn phase(&self) -> Phase {
        self.run_in_progress().1
    }
}

impl Caller for EvalHost<'_> {
    const RUNS: bool = true;
    const SUBGRAPHS: &'static ArSubgraphsV1 = &subgraphs::<EvalHost<'static>>();
    const RESOURCES: &'static ArResourcesV1 = &resources::<EvalHost<'static>>();

    fn run(&self) -> &Run<'_> {
        self.run
    }
}

const fn subgraphs<C: Caller>() -> ArSubgraphsV1 {
    ArSubgraphsV1 {
        header: ArHeader::of::<ArSubgraphsV1>(),
        describe: describe::<C>,
        set_input: set_input::<C>,
        forward: forward::<C>,
        prepare: prepare::<C>,
        invoke: invoke::<C>,
        output: output::<C>,
    }
}

const fn resources<C: Caller>() -> ArResourcesV1 {
    ArResourcesV1 {
        header: ArHeader::of::<ArResourcesV1>(),
        open: open::<C>,
        value: value::<C>,
        assign: assign::<C>,
    }
}

/// # Safety
/// `context` is the `C` of the call in progress.
unsafe fn call<C: Caller>(context: *mut c_void, f: impl FnOnce(&Run<'_>) -> Result<()>) -> ArStatus {
    // SAFETY: the caller's promise; the host touches it through this call only, until the plugin returns.
    let caller = unsafe { &*context.cast::<C>() };
    finish(f(caller.run()).map_err(|error| (status_of(&error), error.to_string())))
}

/// The kind of an error of a called subgraph, for the node that called it: the node itself neither panicked nor lacks a
/// kernel.
fn status_of(error: &Error) -> Status {
    match error {
        Error::Cancelled | Error::Quota { resource: Resource::Time, .. } => Status::Cancelled,
        Error::Node { status: Status::Cancelled, .. } => Status::Cancelled,
        Error::Quota { resource: Resource::Bytes, .. } | Error::OutOfMemory { .. } => Status::OutOfMemory,
        Error::Node { status: Status::OutOfMemory, .. } => Status::OutOfMemory,
        Error::Node { status: Status::Unavailable, .. } => Status::Unavailable,
        Error::Node { status: Status::Internal | Status::Panicked, .. } => Status::Internal,
        _ => Status::Invalid,
    }
}

fn only_in_eval<C: Caller>(what: &str) -> Result<()> {
    if C::RUNS {
        return Ok(());
    }
    Err(Error::State(format!("prepare {what}; that is for eval")))
}

unsafe extern "C" fn describe<C: Caller>(
    context: *mut c_void,
    subgraph: u32,
    graph: *mut *const ArGraphV1,
) -> ArStatus {
    // SAFETY: the context is that of the call in progress, the result is writable, by the contract.
    unsafe {
        call::<C>(context, |run| {
            *graph = run.with(subgraph as usize, |executor| Ok(executor.describe()))?;
            Ok(())
        })
    }
}

unsafe extern "C" fn set_input<C: Caller>(
    context: *mut c_void,
    subgraph: u32,
    input: u32,
    value: *const ArTensorV1,
) -> ArStatus {
    // SAFETY: as in `describe`; the value is readable, and memory of another subgraph, whose executor is in use.
    unsafe {
        call::<C>(context, |run| {
            let mut value = *value;
            if !C::RUNS {
                value.data = std::ptr::null_mut();
            }
            run.with(subgraph as usize, |executor| executor.offer(input as usize, &value, run))
        })
    }
}

unsafe extern "C" fn forward<C: Caller>(context: *mut c_void, from: u32, to: u32) -> ArStatus {
    // SAFETY: as in `describe`; outputs of one executor are not memory of another.
    unsafe {
        call::<C>(context, |run| {
            only_in_eval::<C>("forwards values")?;
            run.with(from as usize, |source| {
                if from == to {
                    return source.forward_to_itself(run);
                }
                run.with(to as usize, |target| {
                    (0..source.output_count())
                        .try_for_each(|i| target.offer(i, &source.called_output(i)?, run))
                })
            })
        })
    }
}

unsafe extern "C" fn prepare<C: Caller>(context: *mut c_void, subgraph: u32) -> ArStatus {
    // SAFETY: as in `describe`.
    unsafe {
        let phase = (*context.cast::<C>()).phase();
        call::<C>(context, |run| run.prepare_called(subgraph as usize, phase))
    }
}

unsafe extern "C" fn invoke<C: Caller>(context: *mut c_void, subgraph: u32) -> ArStatus {
    // SAFETY: as in `describe`.
    unsafe {
        call::<C>(context, |run| {
            only_in_eval::<C>("runs a subgraph")?;
            run.count_call(subgraph as usize)?;
            run.descend(subgraph as usize, |executor| {
                executor.make_ready(run)?;
                executor.invoke(run)
            })
        })
    }
}

unsafe extern "C" fn output<C: Caller>(
    context: *mut c_void,
    subgraph: u32,
    output: u32,
    value: *mut ArTensorV1,
) -> ArStatus {
    // SAFETY: as in `describe`.
    unsafe {
        call::<C>(context, |run| {
            let mut found =
                run.with(subgraph as usize, |executor| executor.called_output(output as usize))?;
            if !C::RUNS {
                found = found.described();
            }
            *value = found;
            Ok(())
        })
    }
}

unsafe extern "C" fn open<C: Caller>(context: *mut c_void, name: ArBytes, handle: *mut i32) -> ArStatus {
    // SAFETY: as in `describe`; the name is readable for the call.
    unsafe {
        call::<C>(context, |run| {
            *handle = run.resources.borrow_mut().open(name.as_slice(), &mut run.budget.clone())?;
            Ok(())
        })
    }
}

unsafe extern "C" fn value<C: Caller>(context: *mut c_void, handle: i32, value: *mut ArTensorV1) -> ArStatus {
    // SAFETY: as in `describe`.
    unsafe {
        call::<C>(context, |run| {
            *value = run.resources.borrow().value(handle)?;
            Ok(())
        })
    }
}

unsafe extern "C" fn assign<C: Caller>(
    context: *mut c_void,
    handle: i32,
    value: *const ArTensorV1,
) -> ArStatus {
    // SAFETY: as in `describe`; the value is readable.
    unsafe {
        call::<C>(context, |run| {
            only_in_eval::<C>("assigns a resource")?;
            run.resources.borrow_mut().assign(handle, &*value, &mut run.budget.clone())
        })
    }
}

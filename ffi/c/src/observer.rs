//! Functions of `arenite/observer.h`. An observer is a function of the program that is called before and after each
//! node.

use std::cell::OnceCell;
use std::ffi::{CString, c_char, c_void};
use std::ptr;

use arenite::abi::UserData;
use arenite::{Moment, ObservedStep};

use crate::arguments::{ArReleaseCallback, give_list, put, shared};
use crate::error::{ArError, Failure, c_string, guard, guard_value};
use crate::interpreter::{ArInterpreter, using};

/// `AR_MOMENT_*`.
pub type ArMoment = u32;
/// The node is about to run.
pub const AR_MOMENT_BEFORE: ArMoment = 0;
/// The node ran.
pub const AR_MOMENT_AFTER: ArMoment = 1;

/// A node that is about to run or has run. It exists until the callback returns.
pub struct ArObserved<'a> {
    observed: &'a ObservedStep<'a>,
    op: OnceCell<CString>,
    delegate: OnceCell<CString>,
}

/// Called before and after each node.
pub type ArObserverCallback =
    Option<unsafe extern "C" fn(observed: *const ArObserved<'_>, user_data: *mut c_void)>;

/// A tensor's current data, shape and type.
#[repr(C)]
pub struct ArTensorView {
    data: *const c_void,
    bytes: usize,
    dims: *const i32,
    rank: usize,
    element_type: u32,
}

/// Sets the function that is called before and after each node, or removes it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_set_observer(
    interpreter: *mut ArInterpreter,
    observer: ArObserverCallback,
    user_data: *mut c_void,
    release: ArReleaseCallback,
) -> *mut ArError {
    // SAFETY: the header documents that the pointer is passed to `observer`, and once to `release`.
    let user_data = unsafe { UserData::new(user_data, release) };
    using(interpreter, |state| {
        let Some(observer) = observer else {
            state.interpreter.remove_observer();
            return Ok(());
        };
        state.interpreter.set_observer(move |observed| {
            let observed = ArObserved { observed, op: OnceCell::new(), delegate: OnceCell::new() };
            // SAFETY: the program passed the function together with the pointer; `observed` exists until it returns.
            unsafe { observer(&raw const observed, user_data.pointer()) };
        });
        Ok(())
    })
}

/// Calls `body` with the observed node. Returns `otherwise` for null.
fn of<'a, R>(observed: *const ArObserved<'a>, otherwise: R, body: impl FnOnce(&ArObserved<'a>) -> R) -> R {
    // SAFETY: `observed` is null or a live handle, as the header requires.
    guard_value(otherwise, || Ok(body(unsafe { shared(observed, "observed") }?)))
}

/// Whether the callback runs before or after the node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_observed_moment(observed: *const ArObserved<'_>) -> ArMoment {
    of(observed, AR_MOMENT_BEFORE, |it| match it.observed.moment {
        Moment::Before => AR_MOMENT_BEFORE,
        Moment::After => AR_MOMENT_AFTER,
    })
}

/// The index of the subgraph that contains the node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_observed_subgraph(observed: *const ArObserved<'_>) -> usize {
    of(observed, 0, |it| it.observed.subgraph)
}

/// The name of the op or, for a partition, of the delegate.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_observed_op(observed: *const ArObserved<'_>) -> *const c_char {
    of(observed, ptr::null(), |it| it.op.get_or_init(|| c_string(it.observed.op())).as_ptr())
}

/// The delegate that runs the node, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_observed_delegate(observed: *const ArObserved<'_>) -> *const c_char {
    of(observed, ptr::null(), |it| match it.observed.delegate() {
        Some(name) => it.delegate.get_or_init(|| c_string(name)).as_ptr(),
        None => ptr::null(),
    })
}

/// The indices of the nodes: several for a delegate's partition.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_observed_nodes(
    observed: *const ArObserved<'_>,
    count: *mut usize,
) -> *const usize {
    // SAFETY: `count` is null or writable, as the header requires.
    of(observed, ptr::null(), |it| unsafe { give_list(it.observed.nodes(), count) })
}

/// The indices of the tensors that are read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_observed_inputs(
    observed: *const ArObserved<'_>,
    count: *mut usize,
) -> *const i32 {
    // SAFETY: `count` is null or writable, as the header requires.
    of(observed, ptr::null(), |it| unsafe { give_list(it.observed.inputs(), count) })
}

/// The indices of the tensors that are written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_observed_outputs(
    observed: *const ArObserved<'_>,
    count: *mut usize,
) -> *const i32 {
    // SAFETY: `count` is null or writable, as the header requires.
    of(observed, ptr::null(), |it| unsafe { give_list(it.observed.outputs(), count) })
}

/// The current data, shape and type of a tensor of the subgraph.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_observed_tensor(
    observed: *const ArObserved<'_>,
    index: i32,
    view: *mut ArTensorView,
) -> *mut ArError {
    guard(|| {
        // SAFETY: `observed` is null or a live handle, as the header requires.
        let observed = unsafe { shared(observed, "observed") }?;
        let index = usize::try_from(index)
            .map_err(|_| Failure::argument(format!("tensor {index} is absent and has no data")))?;
        let tensor = observed.observed.tensor(index)?;
        let bytes = tensor.bytes()?;
        let value = ArTensorView {
            data: bytes.as_ptr().cast(),
            bytes: bytes.len(),
            dims: tensor.shape.as_ptr(),
            rank: tensor.shape.len(),
            element_type: tensor.ty as u32,
        };
        // SAFETY: `view` is null or writable, as the header requires.
        unsafe { put(view, "view", value) }
    })
}

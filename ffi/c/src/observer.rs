//! Observers: functions of the program that see each node before and after it runs.

use std::cell::OnceCell;
use std::ffi::{CString, c_char, c_void};
use std::ptr;

use arenite::abi::UserData;
use arenite::{Moment, Observed};

use crate::arguments::{ArReleaseCallback, give_list, put, shared};
use crate::error::{ArError, Failure, c_string, guard, guard_value};
use crate::interpreter::{ArInterpreter, using};

/// `AR_MOMENT_*`.
pub type ArMoment = u32;
/// The node is about to run.
pub const AR_MOMENT_BEFORE: ArMoment = 0;
/// The node ran.
pub const AR_MOMENT_AFTER: ArMoment = 1;

/// A node that is about to run or ran, for the length of the callback.
pub struct ArObserved<'a> {
    observed: &'a Observed<'a>,
    op: OnceCell<CString>,
    delegate: OnceCell<CString>,
}

/// Called around each node.
pub type ArObserverCallback =
    Option<unsafe extern "C" fn(observed: *const ArObserved<'_>, user_data: *mut c_void)>;

/// A tensor as it is now.
#[repr(C)]
pub struct ArTensorView {
    data: *const c_void,
    bytes: usize,
    dims: *const i32,
    rank: usize,
    element_type: u32,
}

/// Has a function see each node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_set_observer(
    interpreter: *mut ArInterpreter,
    observer: ArObserverCallback,
    user_data: *mut c_void,
    release: ArReleaseCallback,
) -> *mut ArError {
    // SAFETY: the crate's rule; the header says how the pointer is used.
    let user_data = unsafe { UserData::new(user_data, release) };
    using(interpreter, |state| {
        let Some(observer) = observer else {
            state.interpreter.remove_observer();
            return Ok(());
        };
        state.interpreter.set_observer(move |observed| {
            let observed = ArObserved { observed, op: OnceCell::new(), delegate: OnceCell::new() };
            // SAFETY: the program's function with its pointer; the node is there until it returns.
            unsafe { observer(&raw const observed, user_data.pointer()) };
        });
        Ok(())
    })
}

/// Calls `body` with what is observed.
fn of<'a, R>(observed: *const ArObserved<'a>, otherwise: R, body: impl FnOnce(&ArObserved<'a>) -> R) -> R {
    // SAFETY: `observed` is null or a live handle, as `# Safety` requires.
    guard_value(otherwise, || Ok(body(unsafe { shared(observed, "observed") }?)))
}

/// Before or after.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_observed_moment(observed: *const ArObserved<'_>) -> ArMoment {
    of(observed, AR_MOMENT_BEFORE, |it| match it.observed.moment {
        Moment::Before => AR_MOMENT_BEFORE,
        Moment::After => AR_MOMENT_AFTER,
    })
}

/// The subgraph that runs it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_observed_subgraph(observed: *const ArObserved<'_>) -> usize {
    of(observed, 0, |it| it.observed.subgraph)
}

/// The op's name, or the delegate's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_observed_op(observed: *const ArObserved<'_>) -> *const c_char {
    of(observed, ptr::null(), |it| it.op.get_or_init(|| c_string(it.observed.op())).as_ptr())
}

/// The delegate, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_observed_delegate(observed: *const ArObserved<'_>) -> *const c_char {
    of(observed, ptr::null(), |it| match it.observed.delegate() {
        Some(name) => it.delegate.get_or_init(|| c_string(name)).as_ptr(),
        None => ptr::null(),
    })
}

/// The nodes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_observed_nodes(
    observed: *const ArObserved<'_>,
    count: *mut usize,
) -> *const usize {
    // SAFETY: the crate's rule.
    of(observed, ptr::null(), |it| unsafe { give_list(it.observed.nodes(), count) })
}

/// The tensors that it reads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_observed_inputs(
    observed: *const ArObserved<'_>,
    count: *mut usize,
) -> *const i32 {
    // SAFETY: the crate's rule.
    of(observed, ptr::null(), |it| unsafe { give_list(it.observed.inputs(), count) })
}

/// The tensors that it writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_observed_outputs(
    observed: *const ArObserved<'_>,
    count: *mut usize,
) -> *const i32 {
    // SAFETY: the crate's rule.
    of(observed, ptr::null(), |it| unsafe { give_list(it.observed.outputs(), count) })
}

/// A tensor of the subgraph as it is now.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_observed_tensor(
    observed: *const ArObserved<'_>,
    index: i32,
    view: *mut ArTensorView,
) -> *mut ArError {
    guard(|| {
        // SAFETY: `observed` is null or a live handle, as `# Safety` requires.
        let observed = unsafe { shared(observed, "observed") }?;
        let index = usize::try_from(index)
            .map_err(|_| Failure::argument(format!("tensor {index} is absent, it has no data")))?;
        let tensor = observed.observed.tensor(index)?;
        let bytes = tensor.bytes()?;
        let value = ArTensorView {
            data: bytes.as_ptr().cast(),
            bytes: bytes.len(),
            dims: tensor.shape.as_ptr(),
            rank: tensor.shape.len(),
            element_type: tensor.ty as u32,
        };
        // SAFETY: `view` is null or writable, as `# Safety` requires.
        unsafe { put(view, "view", value) }
    })
}

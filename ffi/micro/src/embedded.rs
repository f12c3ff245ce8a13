//! The functions of `arenite_embedded.h`.

use core::ffi::c_void;

use arenite_abi::Status;
use arenite_abi::raw::{ArStatus, slice};
use arenite_micro::embedded::{self, EmbeddedModel, EmbeddedStep, run_embedded};

/// Runs the nodes of an embedded model.
///
/// # Safety
/// `steps` must point to `count` steps of a generated file.
#[unsafe(no_mangle)]
unsafe extern "C" fn ar_embedded_run(steps: *const EmbeddedStep, count: usize, states: u32) -> ArStatus {
    if states != arenite_ops::STATES {
        return Status::Internal as ArStatus;
    }
    // SAFETY: the caller passes the table of a generated file.
    unsafe { run_embedded(slice(steps, count)) }
}

/// Removes the values of an embedded model's variables.
///
/// # Safety
/// `model` must point to the struct of a generated file, whose nodes are not running.
#[unsafe(no_mangle)]
unsafe extern "C" fn ar_embedded_forget(model: *const EmbeddedModel) {
    // SAFETY: the caller passes the struct of a generated file.
    unsafe { embedded::forget(&*model) }
}

/// `resize_output` of the contexts in generated files.
#[unsafe(no_mangle)]
extern "C" fn ar_embedded_resize_output(
    context: *mut c_void,
    output: u32,
    dims: *const i32,
    rank: u32,
    bytes: u64,
) -> ArStatus {
    embedded::resize_output(context, output, dims, rank, bytes)
}

/// `is_cancelled` of the contexts in generated files.
#[unsafe(no_mangle)]
extern "C" fn ar_embedded_is_cancelled(context: *mut c_void) -> u8 {
    embedded::is_cancelled(context)
}

/// `query` of the contexts in generated files.
#[unsafe(no_mangle)]
extern "C" fn ar_embedded_query(context: *mut c_void, interface: u64) -> *const c_void {
    embedded::query(context, interface)
}

/// `query` of the contexts of nodes that call subgraphs or use variables.
#[unsafe(no_mangle)]
extern "C" fn ar_embedded_query_model(context: *mut c_void, interface: u64) -> *const c_void {
    embedded::query_model(context, interface)
}

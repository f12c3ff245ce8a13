//! Functions of `arenite/profile.h`: the time of each node, and of each step of a delegate.

use std::ffi::{CString, c_char};
use std::time::Duration;

use arenite::ProfileRow;

use crate::arguments::{self, out, put, shared};
use crate::error::{AR_ERROR_STATE, ArError, Failure, c_string, guard, guard_value};
use crate::interpreter::{ArInterpreter, give_report, using};
use crate::report;

/// A copy of the times of the nodes of a subgraph.
pub struct ArProfile {
    rows: Vec<Row>,
}

struct Row {
    op: CString,
    output: CString,
    runs: u64,
    total: Duration,
    min: Duration,
    parts: usize,
}

/// A row of a profile.
#[repr(C)]
pub struct ArProfileRow {
    op: *const c_char,
    output: *const c_char,
    runs: u64,
    total_ns: u64,
    min_ns: u64,
    parts: usize,
}

impl Row {
    fn new(row: &ProfileRow) -> Self {
        let (op, output) = (c_string(&row.op), c_string(&row.output));
        let min = if row.runs == 0 { Duration::ZERO } else { row.min };
        Row { op, output, runs: row.runs, total: row.total, min, parts: row.parts.len() }
    }
}

/// Starts to measure the time of each node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_start_profile(interpreter: *mut ArInterpreter) -> *mut ArError {
    using(interpreter, |state| {
        state.interpreter.start_profile();
        Ok(())
    })
}

/// The error if no times were measured.
fn not_started() -> Failure {
    Failure::new(
        AR_ERROR_STATE,
        "the subgraph has no profile yet: call ar_interpreter_start_profile, then run the subgraph",
    )
}

/// The times of the nodes of a subgraph.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_profile(
    interpreter: *const ArInterpreter,
    subgraph: usize,
    profile: *mut *mut ArProfile,
) -> *mut ArError {
    using(interpreter, |state| {
        // SAFETY: `profile` is null or writable, as the header requires.
        let out = unsafe { out(profile, "profile") }?;
        let profile = state.interpreter.profile_of(subgraph).ok_or_else(not_started)?;
        let rows = profile.rows().iter().flat_map(|row| std::iter::once(row).chain(&row.parts));
        out.give(ArProfile { rows: rows.map(Row::new).collect() });
        Ok(())
    })
}

/// Frees a profile. Does nothing for null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_profile_free(profile: *mut ArProfile) {
    // SAFETY: `profile` is null or a profile that the caller owns, as the header requires.
    unsafe { arguments::free(profile) };
}

/// The number of rows.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_profile_row_count(profile: *const ArProfile) -> usize {
    // SAFETY: `profile` is null or a live handle, as the header requires.
    guard_value(0, || Ok(unsafe { shared(profile, "profile") }?.rows.len()))
}

/// A row of the profile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_profile_row(
    profile: *const ArProfile,
    index: usize,
    row: *mut ArProfileRow,
) -> *mut ArError {
    guard(|| {
        // SAFETY: `profile` is null or a live handle, as the header requires.
        let rows = &unsafe { shared(profile, "profile") }?.rows;
        let found = rows.get(index).ok_or_else(|| {
            Failure::argument(format!("row {index} does not exist; the profile has {}", rows.len()))
        })?;
        let value = ArProfileRow {
            op: found.op.as_ptr(),
            output: found.output.as_ptr(),
            runs: found.runs,
            total_ns: found.total.as_nanos() as u64,
            min_ns: found.min.as_nanos() as u64,
            parts: found.parts,
        };
        // SAFETY: `row` is null or writable, as the header requires.
        unsafe { put(row, "row", value) }
    })
}

/// The times of the nodes of a subgraph, as JSON.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_profile_json(
    interpreter: *mut ArInterpreter,
    subgraph: usize,
    json: *mut *const c_char,
) -> *mut ArError {
    give_report(interpreter, json, &mut |_, state| {
        report::profile(state.interpreter.profile_of(subgraph).ok_or_else(not_started)?)
    })
}

//! Ops, planners and delegates that the program hands over.

use std::ffi::c_void;

use arenite::Registry;
use arenite::abi::UserData;
use arenite::abi::raw::{ArDelegateV1, ArHostV1, ArOpV1, ArPlannerV1};

use crate::arguments::{ArReleaseCallback, given};
use crate::error::{ArError, Failure, guard_value};
use crate::options::{ArOptions, change};

/// Registers an op of the program's own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_register_op(
    options: *mut ArOptions,
    op: *const ArOpV1,
    user_data: *mut c_void,
    drop: ArReleaseCallback,
) -> *mut ArError {
    // SAFETY: arenite.h says that the pointer goes to the registered functions, and to `drop` once.
    let user_data = unsafe { UserData::new(user_data, drop) };
    change(options, |options| {
        options.check_open()?;
        // SAFETY: the struct is null or readable, as arenite.h asks; `foreign::read` checks it before it is used.
        unsafe { options.handed_over.add_raw_op(given(op, "op")?, user_data) }.map_err(Failure::from)
    })
}

/// Registers a planner of the program's own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_register_planner(
    options: *mut ArOptions,
    planner: *const ArPlannerV1,
    user_data: *mut c_void,
    drop: ArReleaseCallback,
) -> *mut ArError {
    // SAFETY: as for an op: the pointer goes to the registered functions, and to `drop` once.
    let user_data = unsafe { UserData::new(user_data, drop) };
    change(options, |options| {
        options.check_open()?;
        // SAFETY: the struct is null or readable, as arenite.h asks; `foreign::read` checks it before it is used.
        unsafe { options.handed_over.add_raw_planner(given(planner, "planner")?, user_data) }
            .map_err(Failure::from)
    })
}

/// Registers a delegate of the program's own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_register_delegate(
    options: *mut ArOptions,
    delegate: *const ArDelegateV1,
    user_data: *mut c_void,
    drop: ArReleaseCallback,
) -> *mut ArError {
    // SAFETY: as for an op: the pointer goes to the registered functions, and to `drop` once.
    let user_data = unsafe { UserData::new(user_data, drop) };
    change(options, |options| {
        options.check_open()?;
        // SAFETY: the struct is null or readable, as arenite.h asks; `foreign::read` checks it before it is used.
        unsafe { options.handed_over.add_raw_delegate(given(delegate, "delegate")?, user_data) }
            .map_err(Failure::from)
    })
}

/// What the functions of these tell errors with.
#[unsafe(no_mangle)]
pub extern "C" fn ar_host() -> *const ArHostV1 {
    guard_value(std::ptr::null(), || Ok(std::ptr::from_ref(Registry::host())))
}

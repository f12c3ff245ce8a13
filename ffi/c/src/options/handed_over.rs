//! Registers ops, planners and delegates that the program implements.

use std::ffi::c_void;

use arenite::Registry;
use arenite::abi::UserData;
use arenite::abi::raw::{ArDelegateV1, ArHostV1, ArOpV1, ArPlannerV1};

use super::{ArOptions, change};
use crate::arguments::{ArReleaseCallback, given};
use crate::error::{ArError, Failure, guard_value};

/// Registers an op that the program implements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_register_op(
    options: *mut ArOptions,
    op: *const ArOpV1,
    user_data: *mut c_void,
    drop: ArReleaseCallback,
) -> *mut ArError {
    // SAFETY: the header documents that the pointer is passed to the registered functions, and once to `drop`.
    let user_data = unsafe { UserData::new(user_data, drop) };
    change(options, |options| {
        options.check_open()?;
        // SAFETY: the struct is null or readable, as the header requires; `foreign::read` checks it before it is used.
        unsafe { options.handed_over.add_raw_op(given(op, "op")?, user_data) }.map_err(Failure::from)
    })
}

/// Registers a planner that the program implements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_register_planner(
    options: *mut ArOptions,
    planner: *const ArPlannerV1,
    user_data: *mut c_void,
    drop: ArReleaseCallback,
) -> *mut ArError {
    // SAFETY: the header documents that the pointer is passed to the registered functions, and once to `drop`.
    let user_data = unsafe { UserData::new(user_data, drop) };
    change(options, |options| {
        options.check_open()?;
        // SAFETY: the struct is null or readable, as the header requires; `foreign::read` checks it before it is used.
        unsafe { options.handed_over.add_raw_planner(given(planner, "planner")?, user_data) }
            .map_err(Failure::from)
    })
}

/// Registers a delegate that the program implements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_register_delegate(
    options: *mut ArOptions,
    delegate: *const ArDelegateV1,
    user_data: *mut c_void,
    drop: ArReleaseCallback,
) -> *mut ArError {
    // SAFETY: the header documents that the pointer is passed to the registered functions, and once to `drop`.
    let user_data = unsafe { UserData::new(user_data, drop) };
    change(options, |options| {
        options.check_open()?;
        // SAFETY: the struct is null or readable, as the header requires; `foreign::read` checks it before it is used.
        unsafe { options.handed_over.add_raw_delegate(given(delegate, "delegate")?, user_data) }
            .map_err(Failure::from)
    })
}

/// The table of functions with which registered functions report errors.
#[unsafe(no_mangle)]
pub extern "C" fn ar_host() -> *const ArHostV1 {
    guard_value(std::ptr::null(), || Ok(std::ptr::from_ref(Registry::host())))
}

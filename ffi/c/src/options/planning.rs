//! Options for memory planning.

use std::ffi::c_char;
use std::time::Duration;

use arenite::config::PlannerConfig;
use arenite::{OutputLifetimeStart, Techniques};

use super::{ArOption, ArOptions, change, pairs};
use crate::arguments::text;
use crate::error::{AR_ERROR_NOT_FOUND, ArError, Failure};

/// Chooses the planner.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_set_planner(
    options: *mut ArOptions,
    name: *const c_char,
    planner_options: *const ArOption,
    option_count: usize,
) -> *mut ArError {
    change(options, |options| {
        // SAFETY: `name` is null or a null-terminated string, as the header requires.
        let mut planner = PlannerConfig::new(unsafe { text(name, "name") }?);
        // SAFETY: `planner_options` is null or has the given number of elements, as the header requires.
        planner.options = unsafe { pairs(planner_options, option_count, "planner_options") }?;
        options.config.planner = Some(planner);
        Ok(())
    })
}

/// Limits the planner's time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_set_planning_time(
    options: *mut ArOptions,
    milliseconds: u64,
) -> *mut ArError {
    change(options, |options| {
        options.planning_time = (milliseconds > 0).then(|| Duration::from_millis(milliseconds));
        Ok(())
    })
}

/// Enables or disables a technique that lets tensors share memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_set_technique(
    options: *mut ArOptions,
    name: *const c_char,
    on: bool,
) -> *mut ArError {
    change(options, |options| {
        // SAFETY: `name` is null or a null-terminated string, as the header requires.
        let name = unsafe { text(name, "name") }?;
        let technique = options.config.techniques.named(name).ok_or_else(|| {
            let known = Techniques::NAMES.join(", ");
            Failure::new(AR_ERROR_NOT_FOUND, format!("unknown technique '{name}'; known techniques: {known}"))
        })?;
        *technique = on;
        Ok(())
    })
}

/// Sets whether all tensors keep their values until the end of an invocation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_set_preserve_all(
    options: *mut ArOptions,
    preserve: bool,
) -> *mut ArError {
    change(options, |options| {
        options.config.lifetimes.preserve_all = preserve;
        Ok(())
    })
}

/// Sets whether outputs have their own memory from the first node of an invocation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_set_outputs_from_start(
    options: *mut ArOptions,
    from_start: bool,
) -> *mut ArError {
    change(options, |options| {
        options.config.lifetimes.outputs =
            if from_start { OutputLifetimeStart::Start } else { OutputLifetimeStart::Producer };
        Ok(())
    })
}

//! How memory is planned.

use std::ffi::c_char;
use std::time::Duration;

use arenite::config::PlannerConfig;
use arenite::{OutputsFrom, Techniques};

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
        // SAFETY: `name` is null or a string that ends with a null byte, as `# Safety` requires.
        let mut planner = PlannerConfig::new(unsafe { text(name, "name") }?);
        // SAFETY: `planner_options` has as many elements as its count says, as `# Safety` requires.
        planner.options = unsafe { pairs(planner_options, option_count, "planner_options") }?;
        options.config.planner = Some(planner);
        Ok(())
    })
}

/// Limits the time that the planner may take.
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

/// Switches a technique of laying tensors over one another.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_set_technique(
    options: *mut ArOptions,
    name: *const c_char,
    on: bool,
) -> *mut ArError {
    change(options, |options| {
        // SAFETY: `name` is null or a string that ends with a null byte, as `# Safety` requires.
        let name = unsafe { text(name, "name") }?;
        let technique = options.config.techniques.named(name).ok_or_else(|| {
            let known = Techniques::NAMES.join(", ");
            Failure::new(AR_ERROR_NOT_FOUND, format!("there is no technique '{name}'; known: {known}"))
        })?;
        *technique = on;
        Ok(())
    })
}

/// Overwrites no tensor.
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

/// Gives outputs their memory from the first node on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_set_outputs_from_start(
    options: *mut ArOptions,
    from_start: bool,
) -> *mut ArError {
    change(options, |options| {
        options.config.lifetimes.outputs =
            if from_start { OutputsFrom::Start } else { OutputsFrom::Producer };
        Ok(())
    })
}

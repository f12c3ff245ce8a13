//! Options for delegates: which ones claim nodes, and which nodes they may claim.

use std::ffi::c_char;
use std::num::NonZeroUsize;

use arenite::config::{DelegateConfig, OnFailure, OnMissing, Require};

use super::{ArOption, ArOptions, change, pairs};
use crate::arguments::text;
use crate::error::{AR_ERROR_NOT_FOUND, ArError, Failure, Result};

/// `AR_ON_MISSING_*`.
pub type ArOnMissing = u32;
/// A missing delegate is an error.
pub const AR_ON_MISSING_ERROR: ArOnMissing = 0;
/// A missing delegate is skipped.
pub const AR_ON_MISSING_SKIP: ArOnMissing = 1;

/// `AR_ON_FAILURE_*`.
pub type ArOnFailure = u32;
/// If a delegate loses its device, the invocation fails.
pub const AR_ON_FAILURE_ERROR: ArOnFailure = 0;
/// If a delegate loses its device, the invocation is repeated without the delegate.
pub const AR_ON_FAILURE_FALLBACK: ArOnFailure = 1;

/// Adds a delegate.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_add_delegate(
    options: *mut ArOptions,
    name: *const c_char,
    on_missing: ArOnMissing,
    delegate_options: *const ArOption,
    option_count: usize,
) -> *mut ArError {
    change(options, |options| {
        // SAFETY: `name` is null or a null-terminated string, as the header requires.
        let mut delegate = DelegateConfig::new(unsafe { text(name, "name") }?);
        delegate.on_missing = match on_missing {
            AR_ON_MISSING_ERROR => OnMissing::Error,
            AR_ON_MISSING_SKIP => OnMissing::Skip,
            other => {
                return Err(Failure::argument(format!(
                    "argument 'on_missing' is {other}; AR_ON_MISSING_* end at 1"
                )));
            }
        };
        // SAFETY: `delegate_options` is null or has the given number of elements, as the header requires.
        delegate.options = unsafe { pairs(delegate_options, option_count, "delegate_options") }?;
        options.config.delegates.push(delegate);
        Ok(())
    })
}

/// Changes the delegate that was added last under this name.
fn change_delegate(
    options: *mut ArOptions,
    delegate: *const c_char,
    body: impl FnOnce(&mut DelegateConfig) -> Result<()>,
) -> *mut ArError {
    change(options, |options| {
        // SAFETY: `delegate` is null or a null-terminated string, as the header requires.
        let name = unsafe { text(delegate, "delegate") }?;
        let added = options.config.delegates.iter_mut().rev().find(|delegate| delegate.name == name);
        body(added.ok_or_else(|| {
            let message = format!("delegate '{name}' was not added: call ar_options_add_delegate first");
            Failure::new(AR_ERROR_NOT_FOUND, message)
        })?)
    })
}

/// Forbids a delegate to claim nodes of an op.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_exclude_op(
    options: *mut ArOptions,
    delegate: *const c_char,
    op: *const c_char,
) -> *mut ArError {
    change_delegate(options, delegate, |delegate| {
        // SAFETY: `op` is null or a null-terminated string, as the header requires.
        delegate.exclude_ops.push(unsafe { text(op, "op") }?.to_owned());
        Ok(())
    })
}

/// Sets the smallest number of nodes in a delegate's partition.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_set_min_nodes(
    options: *mut ArOptions,
    delegate: *const c_char,
    nodes: usize,
) -> *mut ArError {
    change_delegate(options, delegate, |delegate| {
        delegate.min_nodes = nodes;
        Ok(())
    })
}

/// Limits the number of a delegate's partitions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_set_max_partitions(
    options: *mut ArOptions,
    delegate: *const c_char,
    partitions: usize,
) -> *mut ArError {
    change_delegate(options, delegate, |delegate| {
        delegate.max_partitions = NonZeroUsize::new(partitions);
        Ok(())
    })
}

/// Sets what happens to an invocation in which a delegate loses its device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_set_on_failure(
    options: *mut ArOptions,
    delegate: *const c_char,
    on_failure: ArOnFailure,
) -> *mut ArError {
    change_delegate(options, delegate, |delegate| {
        delegate.on_failure = match on_failure {
            AR_ON_FAILURE_ERROR => OnFailure::Error,
            AR_ON_FAILURE_FALLBACK => OnFailure::Fallback,
            other => {
                return Err(Failure::argument(format!(
                    "argument 'on_failure' is {other}; AR_ON_FAILURE_* end at 1"
                )));
            }
        };
        Ok(())
    })
}

/// Sets the nodes that a delegate must run: all nodes, or all nodes of an op.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_require_delegate(
    options: *mut ArOptions,
    delegate: *const c_char,
    op: *const c_char,
) -> *mut ArError {
    change_delegate(options, delegate, |delegate| {
        if op.is_null() {
            delegate.require = Require::AllNodes;
            return Ok(());
        }
        // SAFETY: `op` is a null-terminated string, as the header requires.
        let op = unsafe { text(op, "op") }?.to_owned();
        match &mut delegate.require {
            Require::AllNodes => {}
            Require::Ops(ops) => ops.push(op),
            Require::Nothing => delegate.require = Require::Ops(vec![op]),
        }
        Ok(())
    })
}

/// Sets whether the default delegate claims nodes after the delegates that were added.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_set_default_delegate(
    options: *mut ArOptions,
    added: bool,
) -> *mut ArError {
    change(options, |options| {
        options.has_default_delegate = added;
        Ok(())
    })
}

//! Options that limit the memory, size, nesting and time of an interpreter.

use super::{ArOptions, change};
use crate::error::ArError;

/// Limits the memory of an interpreter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_set_quota_bytes(options: *mut ArOptions, bytes: u64) -> *mut ArError {
    change(options, |options| {
        options.config.quota.bytes = Some(bytes);
        Ok(())
    })
}

/// Limits the device memory of an interpreter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_set_quota_device_bytes(
    options: *mut ArOptions,
    bytes: u64,
) -> *mut ArError {
    change(options, |options| {
        options.config.quota.device_bytes = Some(bytes);
        Ok(())
    })
}

/// Limits the number of nodes of a model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_set_quota_nodes(options: *mut ArOptions, nodes: u64) -> *mut ArError {
    change(options, |options| {
        options.config.quota.nodes = Some(nodes);
        Ok(())
    })
}

/// Limits how deeply subgraphs may call each other.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_set_quota_depth(options: *mut ArOptions, depth: u32) -> *mut ArError {
    change(options, |options| {
        options.config.quota.depth = Some(depth);
        Ok(())
    })
}

/// Limits how often nodes may call subgraphs in one invocation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_set_quota_calls(options: *mut ArOptions, calls: u64) -> *mut ArError {
    change(options, |options| {
        options.config.quota.calls = Some(calls);
        Ok(())
    })
}

/// Limits the time of one allocation or invocation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_set_time_limit(
    options: *mut ArOptions,
    milliseconds: u64,
) -> *mut ArError {
    change(options, |options| {
        options.config.quota.time = (milliseconds > 0).then_some(milliseconds);
        Ok(())
    })
}

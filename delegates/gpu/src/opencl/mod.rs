//! The OpenCL backend: devices with one context per process, queues, and kernel texts.
//!
//! libOpenCL is opened when devices are first listed or opened. Without it, or without a driver, the delegate is
//! unavailable.

mod backend;
mod bound;
mod device;
mod events;
mod memory;
mod queue;
#[cfg(test)]
mod tests;
mod text;
mod timing;

pub(crate) use device::Device;

use arenite_abi::prelude::*;
use opencl3::error_codes::ClError;

use crate::work_groups::Extent;

/// A driver's error. It is `Unavailable`, so an application can continue without the device.
fn failed(stage: &str, error: ClError) -> Error {
    unavailable!("{stage}: {error}")
}

/// The work-items of a grid, rounded up to whole work-groups.
fn global(grid: Extent, size: Extent) -> [usize; 3] {
    [0, 1, 2].map(|axis| (grid[axis].max(1) as usize).next_multiple_of(size[axis] as usize))
}

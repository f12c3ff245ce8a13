//! OpenCL: devices, one context of each per process, and what a kernel of the delegate asks of them.
//!
//! libOpenCL is opened when the first device is asked for; without it, or without a driver, there are no devices.

mod device;
mod memory;
mod queue;
#[cfg(test)]
mod tests;
mod text;
mod timing;

pub use device::Device;

use arenite_abi::prelude::*;
use opencl3::error_codes::ClError;

/// A device's error: whatever it is, the user may go on without the device.
fn failed(stage: &str, error: ClError) -> Error {
    unavailable!("{stage}: {error}")
}

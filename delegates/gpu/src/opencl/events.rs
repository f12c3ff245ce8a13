//! Waiting for the device.

use std::time::{Duration, Instant};

use arenite_abi::prelude::*;
use opencl3::event::{CL_COMPLETE, Event};

use super::failed;
use crate::device::late;

/// How long a wait spins, and then the length of each pause.
const SPIN: Duration = Duration::from_micros(50);

/// Waits until an event completes or `stop` returns true.
pub(super) fn wait_until(event: &Event, stop: &dyn Fn() -> bool) -> Result<()> {
    let lost = |error| failed("the device was lost", error);
    let start = Instant::now();
    loop {
        match event.command_execution_status().map_err(lost)?.0 {
            CL_COMPLETE => return Ok(()),
            error @ ..0 => return Err(lost(error.into())),
            _ if stop() => return Err(late()),
            _ if start.elapsed() < SPIN => std::thread::yield_now(),
            _ => std::thread::sleep(SPIN),
        }
    }
}

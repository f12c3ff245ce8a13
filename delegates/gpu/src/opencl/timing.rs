//! Times a kernel with several work-groups by the events of a profiling queue.

use std::ptr::null;

use arenite_abi::prelude::*;
use opencl3::command_queue::{CL_QUEUE_PROFILING_ENABLE, CommandQueue};
use opencl3::event::Event;
use opencl3::kernel::Kernel;

use super::device::Device;
use super::events::wait_until;
use super::{failed, global};
use crate::work_groups::Extent;
use crate::work_groups::best::{Procedure, fastest, warm};

/// The fastest work-group. All arguments of the kernel must be set; its results must be rewritten before they are read.
///
/// # Errors
/// `Cancelled` if `stop` returns true.
pub(super) fn best(
    device: &Device,
    kernel: &Kernel,
    grid: Extent,
    sizes: &[Extent],
    stop: &dyn Fn() -> bool,
) -> Result<Extent> {
    let about = &device.limits().limits;
    let procedure = Procedure::on(about);
    let queue = queue(device)?;
    let ended = |event: &Event| {
        queue.flush().map_err(|error| failed("the device does not start", error))?;
        wait_until(event, stop)
    };
    let mut samples = Vec::new();
    for &size in sizes {
        let mut events = Vec::<Event>::new();
        for _ in 0..procedure.samples {
            let (global, local) = (global(grid, size), size.map(|n| n as usize));
            // SAFETY: both pointers have three sizes. `Queue::bind` set all arguments of the kernel, which accesses
            // nothing else.
            let event = unsafe {
                queue.enqueue_nd_range_kernel(kernel.get(), 3, null(), global.as_ptr(), local.as_ptr(), &[])
            };
            // A size that the driver rejects has no time.
            let Ok(event) = event else { break };
            if procedure.one_by_one {
                ended(&event)?;
            }
            events.push(event);
        }
        events.last().map_or(Ok(()), ended)?;
        // A missing time counts as the longest.
        let times: Vec<u64> = events.iter().map(|event| time(event).unwrap_or(u64::MAX)).collect();
        samples.push(warm(&times).to_vec());
    }
    // Without a credible time, the first size is used.
    Ok(sizes[fastest(about, &samples).unwrap_or(0)])
}

/// Creates a profiling queue.
pub(super) fn queue(device: &Device) -> Result<CommandQueue> {
    let queue = CommandQueue::create_default(&device.context, CL_QUEUE_PROFILING_ENABLE);
    queue.map_err(|error| failed("the device has no profiling queue", error))
}

/// The duration of a command of a profiling queue in nanoseconds, if the device reports it.
pub(super) fn time(event: &Event) -> Option<u64> {
    let (start, end) = (event.profiling_command_start(), event.profiling_command_end());
    Some(end.ok()?.saturating_sub(start.ok()?))
}

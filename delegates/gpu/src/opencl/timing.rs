//! Times of a kernel in work-groups of several sizes, by the events of a queue of their own.

use std::ptr::null;

use arenite_abi::prelude::*;
use opencl3::command_queue::{CL_QUEUE_PROFILING_ENABLE, CommandQueue};
use opencl3::event::Event;
use opencl3::kernel::Kernel;

use super::device::Device;
use super::failed;
use super::queue::{global, until};
use crate::work_groups::Extent;
use crate::work_groups::best::{Procedure, fastest, warm};

/// The size with the shortest time, unless `stop` says that there is none for it. All arguments of the kernel are set, and it keeps to them; what it writes is written again before it
/// is read.
pub fn best(
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
        until(event, stop)
    };
    let mut samples = Vec::new();
    for &size in sizes {
        let mut events = Vec::<Event>::new();
        for _ in 0..procedure.samples {
            let (global, local) = (global(grid, size), size.map(|n| n as usize));
            // SAFETY: three sizes each; the caller's promise about the kernel.
            let event = unsafe {
                queue.enqueue_nd_range_kernel(kernel.get(), 3, null(), global.as_ptr(), local.as_ptr(), &[])
            };
            // A size that the driver refuses has no time.
            let Ok(event) = event else { break };
            if procedure.one_by_one {
                ended(&event)?;
            }
            events.push(event);
        }
        events.last().map_or(Ok(()), ended)?;
        // Without a time it is one that cannot be believed.
        let times: Vec<u64> = events.iter().map(|event| time(event).unwrap_or(u64::MAX)).collect();
        samples.push(warm(&times).to_vec());
    }
    // Without a time to be believed the first one is as good as any.
    Ok(sizes[fastest(about, &samples).unwrap_or(0)])
}

/// A queue whose events tell times.
pub fn queue(device: &Device) -> Result<CommandQueue> {
    let queue = CommandQueue::create_default(&device.context, CL_QUEUE_PROFILING_ENABLE);
    queue.map_err(|error| failed("no queue of the device that tells times", error))
}

/// Nanoseconds of a command of such a queue, if the device tells them.
pub fn time(event: &Event) -> Option<u64> {
    let (start, end) = (event.profiling_command_start(), event.profiling_command_end());
    Some(end.ok()?.saturating_sub(start.ok()?))
}

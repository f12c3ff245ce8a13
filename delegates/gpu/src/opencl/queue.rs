//! Memory of a device, kernels with their arguments, and the queue in which they run one after the other.

use std::ptr::{null, null_mut};
use std::sync::Arc;

use arenite_abi::prelude::*;
use opencl3::command_queue::CommandQueue;
use opencl3::kernel::Kernel;
use opencl3::memory::{Buffer, CL_MEM_READ_WRITE, ClMem as _};
use opencl3::types::{CL_BLOCKING, cl_mem};

use super::device::Device;
use super::failed;
use crate::work_groups::{Extent, Kind, Tuning, candidates};

/// Floats in the device's memory.
pub struct Memory {
    buffer: Buffer<f32>,
    len: usize,
}

impl Memory {
    /// Number of floats.
    pub fn len(&self) -> usize {
        self.len
    }
}

/// An argument of a kernel.
#[derive(Clone, Copy)]
pub enum Argument<'a> {
    /// Floats, or numbers in their place.
    Memory(&'a Memory),
    /// A number.
    Number(i32),
}

/// A kernel with its arguments, and how many work-items run it.
pub struct Launch {
    kernel: Kernel,
    global: [usize; 3],
    local: [usize; 3],
}

/// A queue of a device: what is put into it runs in order.
pub struct Queue {
    device: Arc<Device>,
    queue: CommandQueue,
}

impl Queue {
    /// A queue of its own.
    pub fn new(device: Arc<Device>) -> Result<Queue> {
        let queue = CommandQueue::create_default(&device.context, 0);
        let queue = queue.map_err(|error| failed("no queue of the device", error))?;
        Ok(Queue { device, queue })
    }

    /// Room for so many floats, of zeros.
    pub fn memory(&self, len: usize) -> Result<Memory> {
        let bytes = len as u64 * 4;
        let largest = self.device.about().largest;
        if bytes > largest {
            return Err(unavailable!(
                "a buffer of {bytes} bytes is wanted, the device's largest has {largest}"
            ));
        }
        // SAFETY: no memory of the host is lent.
        let buffer =
            unsafe { Buffer::create(&self.device.context, CL_MEM_READ_WRITE, len.max(1), null_mut()) };
        let buffer = buffer.map_err(|error| failed("no memory of the device", error))?;
        let mut memory = Memory { buffer, len };
        self.clear(&mut memory)?;
        Ok(memory)
    }

    /// Floats of the host, copied.
    pub fn upload(&self, floats: &[f32]) -> Result<Memory> {
        let mut memory = self.memory(floats.len())?;
        self.write(&mut memory, floats)?;
        Ok(memory)
    }

    /// Makes all zeros of it.
    pub fn clear(&self, memory: &mut Memory) -> Result<()> {
        let bytes = memory.len.max(1) * 4;
        // SAFETY: the buffer has so many bytes; the pattern is read before the call returns.
        let event = unsafe { self.queue.enqueue_fill_buffer(&mut memory.buffer, &[0f32], 0, bytes, &[]) };
        event.map(drop).map_err(|error| failed("memory of the device is not filled", error))
    }

    /// Copies floats to the beginning of it.
    pub fn write(&self, memory: &mut Memory, floats: &[f32]) -> Result<()> {
        ensure!(floats.len() <= memory.len, "{} floats do not go into {}", floats.len(), memory.len);
        if floats.is_empty() {
            return Ok(());
        }
        // SAFETY: there is room; the floats are read before the call, which blocks, returns.
        let event =
            unsafe { self.queue.enqueue_write_buffer(&mut memory.buffer, CL_BLOCKING, 0, floats, &[]) };
        event.map(drop).map_err(|error| failed("a tensor does not reach the device", error))
    }

    /// Copies floats from the beginning of it, when all that came before is done.
    pub fn read(&self, memory: &Memory, floats: &mut [f32]) -> Result<()> {
        ensure!(floats.len() <= memory.len, "{} floats are not in {}", floats.len(), memory.len);
        if floats.is_empty() {
            return Ok(());
        }
        // SAFETY: so many are there; the floats are written before the call, which blocks, returns.
        let event = unsafe { self.queue.enqueue_read_buffer(&memory.buffer, CL_BLOCKING, 0, floats, &[]) };
        event.map(drop).map_err(|error| failed("a tensor does not come back from the device", error))
    }

    /// The kernel `name` of a program for a grid of work-items, in work-groups as `tuning` selects them. The kernel looks where the grid
    /// ends, and touches nothing but the memory that it is given, inside of it.
    pub fn launch(
        &self,
        text: &str,
        name: &str,
        arguments: &[Argument<'_>],
        grid: Extent,
        kind: Kind,
    ) -> Result<Launch> {
        let kernel = self.device.kernel(text, name)?;
        for (i, argument) in (0..).zip(arguments) {
            // SAFETY: of the kernel's own types, as its text has them; whoever has the launch owns the memory.
            let set = unsafe {
                match argument {
                    Argument::Memory(memory) => kernel.set_arg::<cl_mem>(i, &memory.buffer.get()),
                    Argument::Number(number) => kernel.set_arg(i, number),
                }
            };
            set.map_err(|error| failed(&format!("argument {i} of '{name}'"), error))?;
        }
        let most = kernel.get_work_group_size(self.device.device.id());
        let most = most.map_err(|error| failed("a kernel does not describe itself", error))?;
        let most = u32::try_from(most).unwrap_or(u32::MAX);
        let sizes = candidates(Tuning::Fast, kind, &self.device.about().limits, most, grid);
        let local = sizes[0].map(|n| n as usize);
        let global = [0, 1, 2].map(|axis| (grid[axis].max(1) as usize).next_multiple_of(local[axis]));
        Ok(Launch { kernel, global, local })
    }

    /// Puts the kernel into the queue.
    pub fn run(&self, launch: &Launch) -> Result<()> {
        let Launch { kernel, global, local } = launch;
        // SAFETY: three sizes each; all arguments are set, and the kernel keeps to them.
        let event = unsafe {
            self.queue.enqueue_nd_range_kernel(kernel.get(), 3, null(), global.as_ptr(), local.as_ptr(), &[])
        };
        event.map(drop).map_err(|error| failed("a kernel does not start", error))
    }

    /// Starts what is in the queue.
    pub fn flush(&self) -> Result<()> {
        self.queue.flush().map_err(|error| failed("the device does not start", error))
    }

    /// Waits for all that is in the queue.
    pub fn finish(&self) -> Result<()> {
        self.queue.finish().map_err(|error| failed("the device was lost", error))
    }
}

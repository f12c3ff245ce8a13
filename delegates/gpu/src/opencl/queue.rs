//! Kernels with their arguments, and the queue in which they run one after the other.

use std::ptr::null;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use arenite_abi::prelude::*;
use opencl3::command_queue::CommandQueue;
use opencl3::event::{CL_COMPLETE, Event};
use opencl3::kernel::Kernel;
use opencl3::memory::ClMem as _;
use opencl3::program::Program;
use opencl3::types::{CL_BLOCKING, cl_mem};

use super::device::Device;
use super::failed;
use super::memory::Memory;
use super::text::{Images, images, numbers, text};
use super::timing;
use crate::device::{self, Argument, Effort, Memory as _, Plan, Port, Settings, Step, late};
use crate::precision::Precision;
use crate::tuner::{Tuner, Untimed};
use crate::work_groups::Extent;

/// A kernel with its arguments, and how many work-items run it.
struct Launch {
    kernel: Kernel,
    grid: Extent,
    size: Extent,
    /// The same kernel once more, to be timed: some drivers keep memory with one that was started often.
    trial: Option<(Kernel, Untimed)>,
    /// What its arguments are, for as long as it may run.
    _memory: Vec<Arc<Memory>>,
}

/// What the queue is given next.
enum Command {
    Launch(Launch),
    Clear(Arc<Memory>),
}

/// Commands of a partition.
pub struct Recording {
    inputs: Vec<Port<Memory>>,
    commands: Vec<Command>,
    outputs: Vec<Port<Memory>>,
}

/// How long a device is waited for without a pause, and then each pause.
const SPIN: Duration = Duration::from_micros(50);

/// A queue of a device: what is put into it runs in order.
pub struct Queue {
    device: Arc<Device>,
    queue: CommandQueue,
    /// For runs that are timed.
    timed: OnceLock<CommandQueue>,
    tuner: Tuner,
}

impl Queue {
    /// A queue of its own.
    pub fn new(device: Arc<Device>, settings: &Settings) -> Result<Queue> {
        let queue = CommandQueue::create_default(&device.context, 0);
        let queue = queue.map_err(|error| failed("no queue of the device", error))?;
        let tuner = Tuner::new(settings, &device.limits().limits);
        Ok(Queue { device, queue, timed: OnceLock::new(), tuner })
    }

    /// The queue whose events tell times.
    fn timed(&self) -> Result<&CommandQueue> {
        match self.timed.get() {
            Some(queue) => Ok(queue),
            None => {
                let queue = timing::queue(&self.device)?;
                Ok(self.timed.get_or_init(|| queue))
            }
        }
    }

    /// Copies floats to the beginning of it.
    fn fill(&self, memory: &Memory, floats: &[f32]) -> Result<()> {
        ensure!(floats.len() <= memory.len(), "{} floats do not go into {}", floats.len(), memory.len());
        if floats.is_empty() {
            return Ok(());
        }
        // SAFETY: there is room; the floats are read before the call, which blocks, returns.
        let event =
            unsafe { self.queue.enqueue_write_buffer(&mut memory.buffer(), CL_BLOCKING, 0, floats, &[]) };
        event.map(drop).map_err(|error| failed("a tensor does not reach the device", error))
    }

    /// The kernel with its arguments, in work-groups as they are tuned, or of a fast size until they are.
    fn launch(&self, launch: &device::Launch<'_, Memory>) -> Result<Launch> {
        let images = self.images(launch)?;
        let text = text(launch.kernel, !images.is_empty())?;
        let program = self.device.program(&text, &self.tuner)?;
        let (kernel, memory) = self.bind(&program, launch, &images)?;
        let most = kernel.get_work_group_size(self.device.device.id());
        let most = most.map_err(|error| failed("a kernel does not describe itself", error))?;
        let most = u32::try_from(most).unwrap_or(u32::MAX);
        let (info, asked) = (&self.device.limits().limits, (launch.grid, launch.kind));
        let key = || self.device.key(&text);
        let (size, untimed) = self.tuner.size(&self.device.sizes, key, asked, (info, most));
        let trial = match untimed {
            Some(untimed) => Some((self.bind(&program, launch, &images)?.0, untimed)),
            None => None,
        };
        Ok(Launch { kernel, grid: launch.grid, size, trial, _memory: memory })
    }

    /// Which arguments are images, and of what: none if the kernel reads through pointers, as it does where memory is too large for an
    /// image.
    fn images(&self, launch: &device::Launch<'_, Memory>) -> Result<Images> {
        let images = images(launch.kernel)?;
        let most = self.device.limits().images;
        let fits = |&(i, precision): &(usize, Precision)| match launch.arguments.get(i) {
            Some(Argument::Memory(memory)) => memory.pixels(precision) as u64 <= most,
            _ => false,
        };
        if images.iter().all(fits) {
            return Ok(images);
        }
        self.tuner.count(|effort| effort.imageless += 1);
        Ok(Images::new())
    }

    /// A kernel of a program with its arguments, and what they are.
    fn bind(
        &self,
        program: &Program,
        launch: &device::Launch<'_, Memory>,
        images: &Images,
    ) -> Result<(Kernel, Vec<Arc<Memory>>)> {
        let name = launch.kernel.name.as_str();
        let kernel =
            Kernel::create(program, name).map_err(|error| failed("no kernel of a program", error))?;
        let fault = |i: usize, error| failed(&format!("argument {i} of '{name}'"), error);
        let mut held = Vec::new();
        for (i, argument) in launch.arguments.iter().enumerate() {
            let precision = images.iter().find(|(image, _)| *image == i).map(|&(_, precision)| precision);
            let set = match argument {
                Argument::Memory(memory) => {
                    held.push(Arc::clone(memory));
                    let memory = match precision {
                        Some(precision) => memory.image(&self.device.context, precision)?,
                        None => memory.buffer().get(),
                    };
                    // SAFETY: memory or an image, as the kernel's text has it; whoever has the kernel holds the memory.
                    unsafe { kernel.set_arg::<cl_mem>(i as u32, &memory) }
                }
                // SAFETY: of the kernel's own type, as its text has it.
                Argument::Number(number) => unsafe { kernel.set_arg(i as u32, number) },
            };
            set.map_err(|error| fault(i, error))?;
        }
        for (i, number) in (launch.arguments.len()..).zip(numbers(launch.kernel)) {
            // SAFETY: behind its other parameters, the kernel has one float for each number of its epilogue.
            let set = unsafe { kernel.set_arg(i as u32, &number) };
            set.map_err(|error| fault(i, error))?;
        }
        Ok((kernel, held))
    }

    /// Waits for all that is in the queue.
    fn finish(&self) -> Result<()> {
        self.queue.finish().map_err(|error| failed("the device was lost", error))
    }
}

/// Puts a command into a queue.
fn begin(queue: &CommandQueue, command: &Command) -> Result<Event> {
    match command {
        Command::Launch(launch) => start(queue, launch),
        Command::Clear(memory) => clear(queue, memory),
    }
}

/// Puts a kernel into a queue.
fn start(queue: &CommandQueue, launch: &Launch) -> Result<Event> {
    let Launch { kernel, grid, size, .. } = launch;
    let (global, local) = (global(*grid, *size), size.map(|n| n as usize));
    // SAFETY: three sizes each; all arguments are set, and the kernel keeps to them.
    let event = unsafe {
        queue.enqueue_nd_range_kernel(kernel.get(), 3, null(), global.as_ptr(), local.as_ptr(), &[])
    };
    event.map_err(|error| failed("a kernel does not start", error))
}

/// Makes all zeros of memory.
fn clear(queue: &CommandQueue, memory: &Memory) -> Result<Event> {
    let bytes = memory.len().max(1) * 4;
    // SAFETY: the buffer has so many bytes; the pattern is read before the call returns.
    let event = unsafe { queue.enqueue_fill_buffer(&mut memory.buffer(), &[0f32], 0, bytes, &[]) };
    event.map_err(|error| failed("memory of the device is not filled", error))
}

/// Has the device begin with what is in a queue.
fn flush(queue: &CommandQueue) -> Result<()> {
    queue.flush().map_err(|error| failed("the device does not start", error))
}

/// Waits for all that is in a queue, until `stop` says so.
fn ended(queue: &CommandQueue, stop: &dyn Fn() -> bool) -> Result<()> {
    // SAFETY: it waits for what is in the queue alone.
    let marker = unsafe { queue.enqueue_marker_with_wait_list(&[]) };
    let marker = marker.map_err(|error| failed("the device was lost", error))?;
    flush(queue)?;
    until(&marker, stop)
}

/// Waits for an event's end, until `stop` says so.
pub fn until(event: &Event, stop: &dyn Fn() -> bool) -> Result<()> {
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

/// Work-items of a grid, rounded up to whole work-groups.
pub fn global(grid: Extent, size: Extent) -> [usize; 3] {
    [0, 1, 2].map(|axis| (grid[axis].max(1) as usize).next_multiple_of(size[axis] as usize))
}

impl device::Queue for Queue {
    type Memory = Memory;
    type Recording = Recording;

    fn memory(&self, len: usize) -> Result<Memory> {
        let bytes = len as u64 * 4;
        let largest = self.device.limits().largest;
        if bytes > largest {
            return Err(unavailable!(
                "a buffer of {bytes} bytes is wanted, the device's largest has {largest}"
            ));
        }
        let memory = Memory::new(&self.device.context, len)?;
        clear(&self.queue, &memory)?;
        Ok(memory)
    }

    fn upload(&self, floats: &[f32]) -> Result<Memory> {
        let memory = self.memory(floats.len())?;
        self.fill(&memory, floats)?;
        Ok(memory)
    }

    fn record(&self, plan: Plan<'_, Memory>) -> Result<Recording> {
        let Plan { inputs, steps, outputs } = plan;
        let command = |step| match step {
            Step::Launch(launch) => self.launch(&launch).map(Command::Launch),
            Step::Clear(memory) => Ok(Command::Clear(memory)),
        };
        let commands = steps.into_iter().map(command).collect::<Result<_>>()?;
        Ok(Recording { inputs, commands, outputs })
    }

    fn tune(&self, recording: &mut Recording, stop: &dyn Fn() -> bool) -> Result<()> {
        for command in &mut recording.commands {
            if let Command::Launch(launch) = command
                && let Some((kernel, untimed)) = &launch.trial
            {
                let best = |sizes: &[Extent]| timing::best(&self.device, kernel, launch.grid, sizes, stop);
                launch.size = self.tuner.time(&self.device.sizes, untimed, best)?;
                launch.trial = None;
            }
        }
        Ok(())
    }

    fn write(&self, recording: &mut Recording, port: usize, floats: &[f32]) -> Result<()> {
        self.fill(&recording.inputs[port].memory, floats)
    }

    fn run(&self, recording: &mut Recording) -> Result<()> {
        recording.commands.iter().try_for_each(|command| begin(&self.queue, command).map(drop))?;
        flush(&self.queue)
    }

    fn run_timed(
        &self,
        recording: &mut Recording,
        stop: &dyn Fn() -> bool,
        time: &mut dyn FnMut(usize, u64),
    ) -> Result<()> {
        ended(&self.queue, stop)?;
        let queue = self.timed()?;
        let events = recording.commands.iter().map(|command| begin(queue, command));
        let events = events.collect::<Result<Vec<_>>>()?;
        ended(queue, stop)?;
        let times = events.iter().map(timing::time).enumerate();
        times.filter_map(|(i, nanoseconds)| Some((i, nanoseconds?))).for_each(|(i, n)| time(i, n));
        Ok(())
    }

    fn copy(&self, recording: &mut Recording, port: usize, from: &Arc<Memory>) -> Result<()> {
        let Port { memory, floats, .. } = &recording.inputs[port];
        ensure!(
            *floats <= from.len() && *floats <= memory.len(),
            "{floats} floats are not in {}",
            from.len()
        );
        if *floats == 0 || Arc::ptr_eq(from, memory) {
            return Ok(());
        }
        // SAFETY: both have so many bytes, and are two, so that neither lock waits for the other.
        let event = unsafe {
            self.queue.enqueue_copy_buffer(&from.buffer(), &mut memory.buffer(), 0, 0, floats * 4, &[])
        };
        event.map(drop).map_err(|error| failed("a tensor does not move on the device", error))
    }

    fn wait(&self, _: &mut Recording, stop: &dyn Fn() -> bool) -> Result<()> {
        ended(&self.queue, stop)?;
        self.timed.get().map_or(Ok(()), |queue| ended(queue, stop))
    }

    fn effort(&self) -> Effort {
        self.tuner.effort()
    }

    fn read(&self, recording: &mut Recording, port: usize, floats: &mut [f32]) -> Result<()> {
        let memory = &recording.outputs[port].memory;
        ensure!(floats.len() <= memory.len(), "{} floats are not in {}", floats.len(), memory.len());
        if floats.is_empty() {
            return self.finish();
        }
        // SAFETY: so many are there; the floats are written before the call, which blocks, returns.
        let event = unsafe { self.queue.enqueue_read_buffer(&memory.buffer(), CL_BLOCKING, 0, floats, &[]) };
        event.map(drop).map_err(|error| failed("a tensor does not come back from the device", error))
    }
}

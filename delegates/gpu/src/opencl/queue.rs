//! Queues, and the recorded kernels that run on them in order.

use std::ptr::null;
use std::sync::{Arc, OnceLock};

use arenite_abi::DeviceObject;
use arenite_abi::prelude::*;
use opencl3::command_queue::CommandQueue;
use opencl3::event::Event;
use opencl3::kernel::Kernel;
use opencl3::memory::ClMem as _;
use opencl3::program::Program;
use opencl3::types::{CL_BLOCKING, cl_mem};

use super::bound::OpenClBound;
use super::device::Device;
use super::events::wait_until;
use super::memory::OpenClMemory;
use super::text::{Images, images, numbers, text};
use super::timing;
use super::{failed, global};
use crate::device::{self, Argument, Dispatch, Effort, Memory as _, PaddedRows, Plan, Port, Settings, Step};
use crate::store::precision::Precision;
use crate::store::tuner::{LaunchSize, Tuner, UntunedKernel};
use crate::work_groups::{Extent, KernelLimits, WorkGroup};

/// A kernel with its arguments, grid and work-group.
struct Launch {
    kernel: Kernel,
    name: &'static str,
    grid: Extent,
    group: WorkGroup,
    /// A second kernel object for timing: some drivers leak memory per launch of a kernel object.
    trial: Option<(Kernel, UntunedKernel)>,
    /// The memory of its arguments, kept while it may run.
    _memory: Vec<Arc<OpenClMemory>>,
}

/// A step of a recording.
enum Command {
    Launch(Launch),
    Clear(Arc<OpenClMemory>),
}

/// The commands of a partition.
pub struct Recording {
    inputs: Vec<Port<OpenClMemory>>,
    commands: Vec<Command>,
    outputs: Vec<Port<OpenClMemory>>,
}

/// An in-order queue of a device.
pub struct Queue {
    device: Arc<Device>,
    queue: CommandQueue,
    /// The profiling queue.
    timed: OnceLock<CommandQueue>,
    tuner: Tuner,
}

impl Queue {
    /// Creates a queue.
    ///
    /// # Errors
    /// The driver refuses the queue.
    pub fn new(device: Arc<Device>, settings: &Settings) -> Result<Queue> {
        let queue = CommandQueue::create_default(&device.context, 0);
        let queue = queue.map_err(|error| failed("no queue of the device", error))?;
        let tuner = Tuner::new(settings, &device.limits().limits);
        Ok(Queue { device, queue, timed: OnceLock::new(), tuner })
    }

    /// The queue with profiling events.
    fn timed(&self) -> Result<&CommandQueue> {
        match self.timed.get() {
            Some(queue) => Ok(queue),
            None => {
                let queue = timing::queue(&self.device)?;
                Ok(self.timed.get_or_init(|| queue))
            }
        }
    }

    /// Copies floats to the start of a buffer.
    fn fill(&self, memory: &OpenClMemory, floats: &[f32]) -> Result<()> {
        ensure!(floats.len() <= memory.len(), "{} floats do not go into {}", floats.len(), memory.len());
        if floats.is_empty() {
            return Ok(());
        }
        // SAFETY: the length was checked above; the call blocks until the floats are read.
        let event =
            unsafe { self.queue.enqueue_write_buffer(&mut memory.buffer(), CL_BLOCKING, 0, floats, &[]) };
        event.map(drop).map_err(|error| failed("a tensor does not reach the device", error))
    }

    /// Creates a kernel with its arguments, in its tuned work-groups, or in work-groups by formula until they are
    /// tuned.
    fn launch(&self, launch: &device::Launch<'_, OpenClMemory>) -> Result<Launch> {
        let images = self.images(launch)?;
        let text = text(launch.kernel, !images.is_empty())?;
        let program = self.device.program(&text, &self.tuner)?;
        let (kernel, memory) = self.bind(&program, launch, &images)?;
        let limits = self.limits(&kernel)?;
        let size = LaunchSize { grid: launch.grid, kind: launch.kernel.name.declaration().kind, limits };
        let info = &self.device.limits().limits;
        let key = || self.device.key(&text);
        let (group, untuned) = self.tuner.size(&self.device.sizes, key, size, info);
        let trial = match untuned {
            Some(untuned) => Some((self.bind(&program, launch, &images)?.0, untuned)),
            None => None,
        };
        let name = launch.kernel.name.declaration().name;
        Ok(Launch { kernel, name, grid: launch.grid, group, trial, _memory: memory })
    }

    /// The limits that the driver reports for a kernel.
    fn limits(&self, kernel: &Kernel) -> Result<KernelLimits> {
        let device = self.device.device.id();
        let number = |number: opencl3::Result<usize>| {
            let number = number.map_err(|error| failed("a kernel does not describe itself", error))?;
            Ok::<_, Error>(u32::try_from(number).unwrap_or(u32::MAX))
        };
        let most = number(kernel.get_work_group_size(device))?;
        Ok(KernelLimits { most, wave: number(kernel.get_work_group_size_multiple(device))? })
    }

    /// The arguments that are images. Empty if the kernel reads through pointers, as it does if memory is too large for
    /// an image.
    fn images(&self, launch: &device::Launch<'_, OpenClMemory>) -> Result<Images> {
        let images = images(launch.kernel);
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

    /// Creates a kernel and sets its arguments. Returns the memory that must outlive it.
    fn bind(
        &self,
        program: &Program,
        launch: &device::Launch<'_, OpenClMemory>,
        images: &Images,
    ) -> Result<(Kernel, Vec<Arc<OpenClMemory>>)> {
        let name = launch.kernel.name.declaration().name;
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
                    // SAFETY: the argument is a buffer or an image as the kernel's declaration says; `Launch::_memory`
                    // outlives the kernel's runs.
                    unsafe { kernel.set_arg::<cl_mem>(i as u32, &memory) }
                }
                // SAFETY: the declaration of the kernel has an `int` at this position.
                Argument::Number(number) => unsafe { kernel.set_arg(i as u32, number) },
            };
            set.map_err(|error| fault(i, error))?;
        }
        for (i, number) in (launch.arguments.len()..).zip(numbers(launch.kernel)) {
            // SAFETY: the last parameters of the kernel are one float per number of its epilogue.
            let set = unsafe { kernel.set_arg(i as u32, &number) };
            set.map_err(|error| fault(i, error))?;
        }
        Ok((kernel, held))
    }

    /// Waits until the queue is empty.
    fn finish(&self) -> Result<()> {
        self.queue.finish().map_err(|error| failed("the device was lost", error))
    }
}

/// Enqueues a command.
fn begin(queue: &CommandQueue, command: &Command) -> Result<Event> {
    match command {
        Command::Launch(launch) => start(queue, launch),
        Command::Clear(memory) => clear(queue, memory),
    }
}

/// Enqueues a kernel.
fn start(queue: &CommandQueue, launch: &Launch) -> Result<Event> {
    let Launch { kernel, grid, group: WorkGroup { size, .. }, .. } = launch;
    let (global, local) = (global(*grid, *size), size.map(|n| n as usize));
    // SAFETY: both pointers have three sizes. All arguments are set, and kernels access nothing but their arguments,
    // within bounds.
    let event = unsafe {
        queue.enqueue_nd_range_kernel(kernel.get(), 3, null(), global.as_ptr(), local.as_ptr(), &[])
    };
    event.map_err(|error| failed("a kernel does not start", error))
}

/// Fills a buffer with zeros.
fn clear(queue: &CommandQueue, memory: &OpenClMemory) -> Result<Event> {
    let bytes = memory.len().max(1) * 4;
    // SAFETY: `OpenClMemory::new` allocated at least `bytes` bytes; the pattern is read before the call returns.
    let event = unsafe { queue.enqueue_fill_buffer(&mut memory.buffer(), &[0f32], 0, bytes, &[]) };
    event.map_err(|error| failed("memory of the device is not filled", error))
}

/// Submits the commands of a queue.
fn flush(queue: &CommandQueue) -> Result<()> {
    queue.flush().map_err(|error| failed("the device does not start", error))
}

/// Waits until the queue is empty or `stop` returns true.
fn wait_until_ended(queue: &CommandQueue, stop: &dyn Fn() -> bool) -> Result<()> {
    // SAFETY: the wait list is empty, so the marker waits for earlier commands of the queue only.
    let marker = unsafe { queue.enqueue_marker_with_wait_list(&[]) };
    let marker = marker.map_err(|error| failed("the device was lost", error))?;
    flush(queue)?;
    wait_until(&marker, stop)
}

impl device::Queue for Queue {
    type Memory = OpenClMemory;
    type Recording = Recording;
    type Bound = OpenClBound;

    fn memory(&self, len: usize) -> Result<OpenClMemory> {
        let bytes = len as u64 * 4;
        let largest = self.device.limits().largest;
        if bytes > largest {
            return Err(unavailable!(
                "a buffer of {bytes} bytes is wanted, the device's largest has {largest}"
            ));
        }
        let memory = OpenClMemory::new(&self.device.context, len)?;
        clear(&self.queue, &memory)?;
        Ok(memory)
    }

    fn upload(&self, floats: &[f32]) -> Result<OpenClMemory> {
        let memory = self.memory(floats.len())?;
        self.fill(&memory, floats)?;
        Ok(memory)
    }

    fn record(&self, plan: Plan<'_, OpenClMemory>) -> Result<Recording> {
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
                && let Some((kernel, untuned)) = &launch.trial
            {
                let best = |sizes: &[Extent]| timing::best(&self.device, kernel, launch.grid, sizes, stop);
                launch.group = self.tuner.time(&self.device.sizes, untuned, best)?;
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
        wait_until_ended(&self.queue, stop)?;
        let queue = self.timed()?;
        let events = recording.commands.iter().map(|command| begin(queue, command));
        let events = events.collect::<Result<Vec<_>>>()?;
        wait_until_ended(queue, stop)?;
        let times = events.iter().map(timing::time).enumerate();
        times.filter_map(|(i, nanoseconds)| Some((i, nanoseconds?))).for_each(|(i, n)| time(i, n));
        Ok(())
    }

    fn copy(&self, recording: &mut Recording, port: usize, from: &Arc<OpenClMemory>) -> Result<()> {
        let Port { memory, floats, .. } = &recording.inputs[port];
        ensure!(
            *floats <= from.len() && *floats <= memory.len(),
            "{floats} floats are not in {}",
            from.len()
        );
        if *floats == 0 || Arc::ptr_eq(from, memory) {
            return Ok(());
        }
        // SAFETY: the length was checked against both buffers. They are distinct, so the two locks cannot deadlock.
        let event = unsafe {
            self.queue.enqueue_copy_buffer(&from.buffer(), &mut memory.buffer(), 0, 0, floats * 4, &[])
        };
        event.map(drop).map_err(|error| failed("a tensor does not move on the device", error))
    }

    fn object(&self, name: &str) -> Result<u64> {
        match name {
            "context" => Ok(self.device.context.get() as u64),
            "device" => Ok(self.device.device.id() as u64),
            "queue" => Ok(self.queue.get() as u64),
            _ => Err(unsupported!("OpenCL object '{name}' is unknown; known: context, device, queue")),
        }
    }

    fn bind(&self, object: DeviceObject, offset: u64, bytes: u64) -> Result<OpenClBound> {
        OpenClBound::new(&self.device.context, object, offset, bytes)
    }

    fn load(
        &self,
        recording: &mut Recording,
        port: usize,
        from: &Arc<OpenClBound>,
        rows: PaddedRows,
    ) -> Result<()> {
        let memory = &recording.inputs[port].memory;
        if rows.floats < rows.pitch {
            clear(&self.queue, memory)?;
        }
        from.load(&self.queue, memory, rows)
    }

    fn store(&self, from: &Arc<OpenClMemory>, to: &Arc<OpenClBound>, rows: PaddedRows) -> Result<()> {
        to.store(&self.queue, from, rows)?;
        self.finish()
    }

    fn read_bound(&self, from: &Arc<OpenClBound>, data: &mut [u8]) -> Result<()> {
        from.read(&self.queue, data)
    }

    fn write_bound(&self, to: &Arc<OpenClBound>, data: &[u8]) -> Result<()> {
        to.write(&self.queue, data)
    }

    fn wait(&self, _: &mut Recording, stop: &dyn Fn() -> bool) -> Result<()> {
        wait_until_ended(&self.queue, stop)?;
        self.timed.get().map_or(Ok(()), |queue| wait_until_ended(queue, stop))
    }

    fn dispatches(&self, recording: &Recording) -> Vec<Dispatch> {
        let dispatch = |command: &Command| match command {
            Command::Launch(Launch { name, grid, group, .. }) => {
                Some(Dispatch { kernel: name, grid: *grid, group: *group })
            }
            Command::Clear(_) => None,
        };
        recording.commands.iter().filter_map(dispatch).collect()
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
        // SAFETY: the length was checked above; the call blocks until the floats are written.
        let event = unsafe { self.queue.enqueue_read_buffer(&memory.buffer(), CL_BLOCKING, 0, floats, &[]) };
        event.map(drop).map_err(|error| failed("a tensor does not come back from the device", error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device as _;
    use crate::device::Queue as _;
    use crate::work_groups::Choice;

    /// The work-items of group 0 tell the size of their group.
    const PROBE: &str = "__kernel void probe(__global float *to) {
        if (get_global_id(0) + get_global_id(1) + get_global_id(2) > 0) return;
        for (int axis = 0; axis < 3; ++axis) to[axis] = get_local_size(axis);
    }";

    #[test]
    fn the_driver_runs_a_launch_in_its_work_group() {
        let device = match Device::open(None) {
            Ok(device) => device,
            Err(error) => {
                assert!(std::env::var_os("ARENITE_GPU").is_none(), "ARENITE_GPU wants a device: {error}");
                return println!("skipped: {error}");
            }
        };
        let queue = device.queue().expect("a queue");
        let program = device.program(PROBE, &queue.tuner).expect("it compiles");
        for size in [[1, 1, 1], [4, 2, 1], [2, 8, 4]] {
            let memory = Arc::new(queue.memory(3).expect("memory"));
            let kernel = Kernel::create(&program, "probe").expect("it is in the program");
            // SAFETY: the parameter is a buffer, which `_memory` keeps.
            unsafe { kernel.set_arg::<cl_mem>(0, &memory.buffer().get()) }.expect("the argument is a buffer");
            let (group, _memory) = (WorkGroup { size, choice: Choice::Fixed }, vec![Arc::clone(&memory)]);
            let launch = Launch { kernel, name: "probe", grid: [13, 9, 5], group, trial: None, _memory };
            let port = Port { memory, floats: 3, stays: false };
            let commands = vec![Command::Launch(launch)];
            let mut recording = Recording { inputs: Vec::new(), commands, outputs: vec![port] };
            let told = Dispatch { kernel: "probe", grid: [13, 9, 5], group };
            assert_eq!(queue.dispatches(&recording), [told]);
            let mut found = [0.0; 3];
            queue.run(&mut recording).expect("it runs");
            queue.read(&mut recording, 0, &mut found).expect("it is read");
            assert_eq!(found, size.map(|n| n as f32));
        }
    }
}

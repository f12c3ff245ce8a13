//! The interface of a backend: devices, their memory, and recordings of kernels. Code outside of backends names no
//! driver.
//!
//! ```text
//! Device ─► Queue ─► Memory                       constants, objects
//!              └───► Recording of steps on memory  recorded once: write inputs ─► run all in order ─► read outputs
//! ```
//! A kernel is described by its name, definitions and epilogue; the backend selects its text or binary.

use std::path::PathBuf;
use std::sync::Arc;

use arenite_abi::DeviceObject;
use arenite_abi::prelude::*;
use arenite_base::{Binary, Clamp, Unary};

use crate::GpuInfo;
pub(crate) use crate::bound::PaddedRows;
pub(crate) use crate::effort::Effort;
use crate::kernels::KernelName;
use crate::work_groups::{Extent, Tuning, WorkGroup};

/// The properties of a device.
#[derive(Clone, Debug)]
pub struct DeviceInfo {
    /// Its name.
    pub name: String,
    /// The driver's vendor and version.
    pub driver: String,
    /// `gpu`, `cpu` or `other`.
    pub kind: &'static str,
    /// Bytes of its memory.
    pub memory: u64,
    /// The size limit of a buffer in bytes.
    pub largest: u64,
    /// Bytes of local memory of a work-group.
    pub local: u64,
    /// Compute units; 0 if unknown.
    pub units: u32,
    /// The most pixels of an image over a buffer; 0 if kernels cannot read images.
    pub images: u64,
    /// Limits of work-groups.
    pub limits: GpuInfo,
}

/// Settings for the preparation of kernels.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How work-group sizes are found.
    pub tuning: Tuning,
    /// The folder that keeps programs and sizes between processes.
    pub cache: Option<PathBuf>,
}

/// A device. A process has one context per device.
pub trait Device: Send + Sync + Sized + 'static {
    /// The delegate's name.
    const NAME: &'static str;
    /// The capacity of a kernel's epilogue.
    const SLOTS: Slots;
    /// Whether it has the kernels that use local memory.
    const HAS_TILES: bool = false;
    /// Whether it has a kernel for products of matrices with whole slices.
    const HAS_PRODUCTS: bool = false;
    /// Whether it has the kernels of [Winograd's convolutions](crate::ops::winograd).
    const HAS_WINOGRAD: bool = false;
    /// Whether its kernels support 16-bit [storage](crate::store::precision::Precision) of floats, and with the flag
    /// `WIDE` also [32-bit inputs](crate::store::wide) of convolutions and pools.
    const HAS_HALVES: bool = false;
    /// Whether recordings can [copy](Queue::copy) values that stayed on the device.
    const KEEPS: bool = false;
    /// Whether it [binds](Queue::bind) memory of the program.
    const BINDS: bool = false;
    /// The type of its queues.
    type Queue: Queue;

    /// Lists all devices in the order of their numbers.
    ///
    /// # Errors
    /// `Unavailable` if no driver is installed.
    fn list() -> Result<Vec<DeviceInfo>> {
        Err(unavailable!("'{}' does not list its devices", Self::NAME))
    }

    /// The properties of the device, if they are known.
    fn about(&self) -> Option<&DeviceInfo> {
        None
    }

    /// Opens the device with this number, or whose name contains this text. Without a choice, opens the first GPU, else
    /// the first device.
    ///
    /// # Errors
    /// `Unavailable` if no device matches.
    fn open(choice: Option<&str>) -> Result<Arc<Self>>;

    /// Creates a queue.
    fn queue(self: &Arc<Self>) -> Result<Self::Queue>;

    /// Creates a queue with settings for its kernels.
    fn queue_with(self: &Arc<Self>, settings: &Settings) -> Result<Self::Queue> {
        if settings.tuning != Tuning::Fast {
            return Err(unsupported!("option tuning: '{}' supports only 'fast'", Self::NAME));
        }
        if let Some(folder) = &settings.cache {
            return Err(unsupported!(
                "option cache_dir = '{}': '{}' does not support a cache",
                folder.display(),
                Self::NAME
            ));
        }
        self.queue()
    }
}

/// Memory on the device: floats, or other 32-bit words that pass through unchanged.
pub trait Memory: Send + Sync {
    /// Number of floats.
    fn len(&self) -> usize;
}

/// An in-order queue. Recordings hold the memory that they use.
pub trait Queue: Send + Sized + 'static {
    /// The type of its memory.
    type Memory: Memory;
    /// Recorded kernels with their inputs and outputs.
    type Recording: Send;
    /// Memory of the program.
    type Bound: Send + Sync;

    /// Allocates `floats` zeros.
    fn memory(&self, floats: usize) -> Result<Self::Memory>;

    /// Copies floats from the host to new memory.
    fn upload(&self, floats: &[f32]) -> Result<Self::Memory>;

    /// Records the steps of a plan.
    fn record(&self, plan: Plan<'_, Self::Memory>) -> Result<Self::Recording>;

    /// Tunes work-groups that are not known yet, if the settings require it, until `stop` returns true. This may
    /// overwrite all memory of the steps.
    ///
    /// # Errors
    /// `Cancelled` if `stop` returned true. Sizes found by then are kept.
    fn tune(&self, recording: &mut Self::Recording, stop: &dyn Fn() -> bool) -> Result<()> {
        let _ = (recording, stop);
        Ok(())
    }

    /// Copies floats for input `port` of the next run.
    fn write(&self, recording: &mut Self::Recording, port: usize, floats: &[f32]) -> Result<()>;

    /// Starts all steps.
    fn run(&self, recording: &mut Self::Recording) -> Result<()>;

    /// Runs all steps until `stop` returns true, and passes each step's number and nanoseconds to `time`, if the device
    /// reports times.
    ///
    /// # Errors
    /// `Cancelled` if `stop` returned true. Steps may still run, as after [`wait`](Self::wait).
    fn run_timed(
        &self,
        recording: &mut Self::Recording,
        stop: &dyn Fn() -> bool,
        time: &mut dyn FnMut(usize, u64),
    ) -> Result<()>;

    /// Replaces [`write`](Self::write): input `port` of the next run is copied from the start of other memory on the
    /// device.
    fn copy(&self, recording: &mut Self::Recording, port: usize, from: &Arc<Self::Memory>) -> Result<()> {
        let _ = (recording, from);
        Err(unsupported!("input {port} cannot be copied on the device"))
    }

    /// The object of the API with this name, on which a program creates memory.
    ///
    /// # Errors
    /// `Unsupported` with the known names.
    fn object(&self, name: &str) -> Result<u64> {
        Err(unsupported!("'{name}' is unknown: the device has no objects"))
    }

    /// Wraps memory of the program: `bytes` bytes at `offset`, a multiple of 4.
    ///
    /// # Errors
    /// The object has fewer bytes, or belongs to another device.
    fn bind(&self, object: DeviceObject, offset: u64, bytes: u64) -> Result<Self::Bound> {
        let _ = (object, offset, bytes);
        Err(unsupported!("the device binds no memory of a program"))
    }

    /// Replaces [`write`](Self::write): input `port` of the next run is copied from memory of the program.
    ///
    /// # Errors
    /// The memory is smaller.
    fn load(
        &self,
        recording: &mut Self::Recording,
        port: usize,
        from: &Arc<Self::Bound>,
        rows: PaddedRows,
    ) -> Result<()> {
        let _ = (recording, from, rows);
        Err(unsupported!("input {port} cannot be copied from memory of a program"))
    }

    /// Copies the start of a memory to memory of the program, and waits for it.
    ///
    /// # Errors
    /// The memory of the program is smaller.
    fn store(&self, from: &Arc<Self::Memory>, to: &Arc<Self::Bound>, rows: PaddedRows) -> Result<()> {
        let _ = (from, to, rows);
        Err(unsupported!("a value cannot be copied to memory of a program"))
    }

    /// Copies from the start of memory of the program.
    ///
    /// # Errors
    /// The memory is smaller.
    fn read_bound(&self, from: &Arc<Self::Bound>, data: &mut [u8]) -> Result<()> {
        let _ = (from, data);
        Err(unsupported!("memory of a program is not read"))
    }

    /// Copies to the start of memory of the program.
    ///
    /// # Errors
    /// The memory is smaller.
    fn write_bound(&self, to: &Arc<Self::Bound>, data: &[u8]) -> Result<()> {
        let _ = (to, data);
        Err(unsupported!("memory of a program is not written"))
    }

    /// Waits until the run completes or `stop` returns true.
    ///
    /// # Errors
    /// `Cancelled` if `stop` returned true. The run may still be in progress.
    fn wait(&self, recording: &mut Self::Recording, stop: &dyn Fn() -> bool) -> Result<()> {
        let _ = (recording, stop);
        Ok(())
    }

    /// The effort spent on kernels so far.
    fn effort(&self) -> Effort {
        Effort::default()
    }

    /// The kernels of a recording whose work-groups are known, in order.
    fn dispatches(&self, recording: &Self::Recording) -> Vec<Dispatch>;

    /// Copies the floats of output `port` of the last run.
    fn read(&self, recording: &mut Self::Recording, port: usize, floats: &mut [f32]) -> Result<()>;
}

/// The contents of a recording.
pub struct Plan<'p, M> {
    /// Memory that `write` fills from its start.
    pub inputs: Vec<Port<M>>,
    /// The steps, in order.
    pub steps: Vec<Step<'p, M>>,
    /// Memory that `read` copies from its start.
    pub outputs: Vec<Port<M>>,
}

/// Floats that are copied between the host and a device.
pub struct Port<M> {
    /// The memory on the device.
    pub memory: Arc<M>,
    /// The number of floats.
    pub floats: usize,
    /// Whether it may remain unread: an output that stays on the device.
    pub stays: bool,
}

/// A step on the device.
pub enum Step<'p, M> {
    /// A kernel runs.
    Launch(Launch<'p, M>),
    /// Memory is filled with zeros.
    Clear(Arc<M>),
}

/// A kernel with its arguments. It checks the bounds of its grid and accesses only the memory of its arguments, within
/// bounds.
pub struct Launch<'p, M> {
    /// The kernel.
    pub kernel: &'p Kernel,
    /// The arguments, in the order of the parameters.
    pub arguments: Vec<Argument<M>>,
    /// Work-items.
    pub grid: Extent,
    /// An upper bound of the iterations of a work-item's loops.
    pub iterations: u64,
}

/// A kernel as the driver runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dispatch {
    /// The kernel's name.
    pub kernel: &'static str,
    /// Work-items.
    pub grid: Extent,
    /// The work-group that is passed to the driver.
    pub group: WorkGroup,
}

/// An argument of a kernel.
pub enum Argument<M> {
    /// Memory of floats or numbers.
    Memory(Arc<M>),
    /// A number.
    Number(i32),
}

/// A kernel, independent of sizes.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The kernel.
    pub name: KernelName,
    /// The definitions of its text.
    pub definitions: Vec<Definition>,
    /// The functions applied to results; `None` for a kernel without an epilogue.
    pub epilogue: Option<Vec<Function>>,
}

/// A definition for a kernel's text.
#[derive(Clone, Copy, Debug)]
pub enum Definition {
    /// A flag that is set.
    Flag(&'static str),
    /// A number.
    Number(&'static str, i32),
    /// The binary function `FUNCTION`.
    Function(Binary),
}

impl Definition {
    /// The flags that are set.
    pub fn flags<const N: usize>(flags: [(&'static str, bool); N]) -> Vec<Definition> {
        flags.into_iter().filter(|(_, is_set)| *is_set).map(|(name, _)| Definition::Flag(name)).collect()
    }
}

/// A function of a result `v`, four channels at a time. Operands are the kernel's last arguments, in the functions'
/// order.
#[derive(Clone, Copy, Debug)]
pub enum Function {
    /// A clamp.
    Clamp(Clamp),
    /// A function of `v`.
    Unary(Unary),
    /// A function of `v` and a number.
    Scalar(Binary, f32),
    /// A function of `v` and the operand's slice at the same position.
    Binary(Binary),
    /// A function of `v` and the slice of the same channels of an operand with one row.
    Row(Binary),
}

/// The most functions and operands of a kernel's epilogue. Separate kernels apply further functions.
#[derive(Clone, Copy, Debug)]
pub struct Slots {
    /// Functions, at least one.
    pub functions: usize,
    /// Operands.
    pub operands: usize,
}

/// The error of a stopped wait.
pub(crate) fn late() -> Error {
    Error::new(Status::Cancelled, format_args!("the device did not end in time"))
}

/// The position of the chosen device, see [`Device::open`]; `title` is the backend's name in messages.
pub(crate) fn choose(about: &[DeviceInfo], choice: Option<&str>, title: &str) -> Result<usize> {
    let position = match choice {
        None => about.iter().position(|about| about.kind == "gpu").or((!about.is_empty()).then_some(0)),
        Some(text) => match text.parse::<usize>() {
            Ok(number) => Some(number).filter(|&number| number < about.len()),
            Err(_) => about.iter().position(|about| about.name.contains(text)),
        },
    };
    position.ok_or_else(|| {
        let names: Vec<&str> = about.iter().map(|about| about.name.as_str()).collect();
        match choice {
            Some(choice) => unavailable!("unknown {title} device '{choice}'; known: {}", names.join(", ")),
            None => unavailable!("no {title} device was found"),
        }
    })
}

//! What a backend gives the rest of the delegate: devices, their memory, and recordings of kernels. What is above names no driver.
//!
//! ```text
//! Device ─► Queue ─► Memory                       constants, objects
//!              └───► Recording of steps on memory  made once: write inputs ─► run, all in order ─► read outputs
//! ```
//! A kernel is named by its layer, by what its text is compiled with, and by what it does with its results: which text that is, or
//! which binary, is the backend's.

use std::path::PathBuf;
use std::sync::Arc;

use arenite_abi::prelude::*;
use arenite_layers::{Binary, Clamp, Unary};

use crate::GpuInfo;
use crate::kernel_name::KernelName;
use crate::work_groups::{Extent, Kind, Tuning};

/// What a device tells about itself.
#[derive(Clone, Debug)]
pub struct About {
    /// Its name.
    pub name: String,
    /// Who wrote the driver, and its version.
    pub driver: String,
    /// Whether it is a GPU, a processor, or neither.
    pub kind: &'static str,
    /// Bytes of its memory.
    pub memory: u64,
    /// Most bytes of one buffer.
    pub largest: u64,
    /// Bytes of local memory of a work-group.
    pub local: u64,
    /// Units that run work-groups; 0 if the driver does not say.
    pub units: u32,
    /// Most pixels of an image over a buffer; 0 if kernels read none.
    pub images: u64,
    /// What work-groups may be.
    pub limits: GpuInfo,
}

/// How kernels are made ready.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How sizes of work-groups are found.
    pub tuning: Tuning,
    /// The folder where programs and sizes stay from one start to the next.
    pub cache: Option<PathBuf>,
}

/// What it took so far to make kernels ready.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Programs that were compiled, and how long that took in nanoseconds, loading included.
    pub compiled: u64,
    /// Programs from the folder.
    pub loaded: u64,
    /// For both, in nanoseconds.
    pub compiling: u64,
    /// Kernels whose sizes were timed.
    pub tuned: u64,
    /// Kernels whose sizes came from the folder.
    pub recalled: u64,
    /// For timing, in nanoseconds.
    pub tuning: u64,
    /// Kernels that read memory too large for an image, and so none.
    pub imageless: u64,
}

impl Effort {
    /// What was done in both.
    pub fn and(self, other: Effort) -> Effort {
        Effort {
            compiled: self.compiled + other.compiled,
            loaded: self.loaded + other.loaded,
            compiling: self.compiling + other.compiling,
            tuned: self.tuned + other.tuned,
            recalled: self.recalled + other.recalled,
            tuning: self.tuning + other.tuning,
            imageless: self.imageless + other.imageless,
        }
    }

    /// What was done since `before`.
    pub fn since(self, before: Effort) -> Effort {
        Effort {
            compiled: self.compiled - before.compiled,
            loaded: self.loaded - before.loaded,
            compiling: self.compiling - before.compiling,
            tuned: self.tuned - before.tuned,
            recalled: self.recalled - before.recalled,
            tuning: self.tuning - before.tuning,
            imageless: self.imageless - before.imageless,
        }
    }
}

/// A device, of which the process has one context.
pub trait Device: Send + Sync + Sized + 'static {
    /// The delegate's name.
    const NAME: &'static str;
    /// What of an epilogue one of its kernels can do.
    const SLOTS: Slots;
    /// Whether it has the kernels that share local memory.
    const HAS_TILES: bool = false;
    /// Whether it has a kernel of products of matrices that are made of whole slices.
    const HAS_PRODUCTS: bool = false;
    /// Whether it has the kernels of [Winograd's convolutions](crate::ops::winograd).
    const HAS_WINOGRAD: bool = false;
    /// Whether its kernels [store](crate::precision::Precision) floats in 16 bits where that is asked for, and with the flag `WIDE` those of
    /// convolutions and pools read [floats of 32](crate::wide) all the same.
    const HAS_HALVES: bool = false;
    /// Whether recordings [copy](Queue::copy) what others left on the device.
    const KEEPS: bool = false;
    /// The queue of an interpreter.
    type Queue: Queue;

    /// All devices, in the order of their numbers.
    ///
    /// # Errors
    /// `Unavailable` if there is no driver.
    fn list() -> Result<Vec<About>> {
        Err(unavailable!("'{}' does not list its devices", Self::NAME))
    }

    /// What it tells about itself, if it does.
    fn about(&self) -> Option<&About> {
        None
    }

    /// The device with this number or a name that has this text in it; without one the first GPU, else the first device.
    ///
    /// # Errors
    /// `Unavailable` if there is none.
    fn open(choice: Option<&str>) -> Result<Arc<Self>>;

    /// A queue of its own.
    fn queue(self: &Arc<Self>) -> Result<Self::Queue>;

    /// The same, where kernels are made ready in this way.
    fn queue_with(self: &Arc<Self>, settings: &Settings) -> Result<Self::Queue> {
        if settings.tuning != Tuning::Fast {
            return Err(unsupported!(
                "option tuning: '{}' tunes nothing, 'fast' is its only one",
                Self::NAME
            ));
        }
        if let Some(folder) = &settings.cache {
            return Err(unsupported!(
                "option cache_dir = '{}': '{}' keeps no programs",
                folder.display(),
                Self::NAME
            ));
        }
        self.queue()
    }
}

/// Floats in a device's memory, or other words of 32 bits in their place: nothing computes with these on the way.
pub trait Memory: Send + Sync {
    /// Number of floats.
    fn len(&self) -> usize;
}

/// What is done on a device, in order. Whoever uses memory meanwhile holds it.
pub trait Queue: Send + Sized + 'static {
    /// Its memory.
    type Memory: Memory;
    /// Kernels with their arguments, and what goes to the device before them and comes back behind.
    type Recording: Send;

    /// Room for so many floats, of zeros.
    fn memory(&self, floats: usize) -> Result<Self::Memory>;

    /// Floats of the host, copied.
    fn upload(&self, floats: &[f32]) -> Result<Self::Memory>;

    /// Makes steps ready, and what `write` and `read` copy.
    fn record(&self, plan: Plan<'_, Self::Memory>) -> Result<Self::Recording>;

    /// Times sizes of work-groups, where settings ask for it and they are not known, until `stop` says so. It may write to all memory of
    /// the steps.
    ///
    /// # Errors
    /// `Cancelled` if it does: what was found by then is kept.
    fn tune(&self, recording: &mut Self::Recording, stop: &dyn Fn() -> bool) -> Result<()> {
        let _ = (recording, stop);
        Ok(())
    }

    /// Copies floats for input `port` of the next run.
    fn write(&self, recording: &mut Self::Recording, port: usize, floats: &[f32]) -> Result<()>;

    /// Starts all steps.
    fn run(&self, recording: &mut Self::Recording) -> Result<()>;

    /// Runs all steps until `stop` says so, and tells `time` the number of each and its nanoseconds, if the device tells them.
    ///
    /// # Errors
    /// `Cancelled` if it does; steps may be under way, as behind [`wait`](Self::wait).
    fn run_timed(
        &self,
        recording: &mut Self::Recording,
        stop: &dyn Fn() -> bool,
        time: &mut dyn FnMut(usize, u64),
    ) -> Result<()>;

    /// In place of [`write`](Self::write): input `port` of the next run is what lies in other memory of the device, from its beginning.
    fn copy(&self, recording: &mut Self::Recording, port: usize, from: &Arc<Self::Memory>) -> Result<()> {
        let _ = (recording, from);
        Err(unsupported!("input {port} cannot be copied on the device"))
    }

    /// Waits for what was run, until `stop` says so.
    ///
    /// # Errors
    /// `Cancelled` if it does; what was run may be under way.
    fn wait(&self, recording: &mut Self::Recording, stop: &dyn Fn() -> bool) -> Result<()> {
        let _ = (recording, stop);
        Ok(())
    }

    /// What it took to make kernels ready.
    fn effort(&self) -> Effort {
        Effort::default()
    }

    /// Copies the floats of output `port` of the last run.
    fn read(&self, recording: &mut Self::Recording, port: usize, floats: &mut [f32]) -> Result<()>;
}

/// What is to be recorded.
pub struct Plan<'p, M> {
    /// Memory that `write` fills, from its beginning.
    pub inputs: Vec<Port<M>>,
    /// In order.
    pub steps: Vec<Step<'p, M>>,
    /// Memory that `read` reads, from its beginning.
    pub outputs: Vec<Port<M>>,
}

/// Floats that are copied between the host and a device.
pub struct Port<M> {
    /// Where.
    pub memory: Arc<M>,
    /// How many.
    pub floats: usize,
    /// Whether it may be that nobody reads it: an output that stays on the device.
    pub stays: bool,
}

/// What a device does next.
pub enum Step<'p, M> {
    /// A kernel runs.
    Launch(Launch<'p, M>),
    /// Memory becomes zeros.
    Clear(Arc<M>),
}

/// A kernel with its arguments. It looks where the grid ends, and touches nothing but the memory that it is given, inside of it.
pub struct Launch<'p, M> {
    /// Which.
    pub kernel: &'p Kernel,
    /// In the order of its parameters.
    pub arguments: Vec<Argument<M>>,
    /// Work-items.
    pub grid: Extent,
    /// For the choice of work-groups.
    pub kind: Kind,
}

/// An argument of a kernel.
pub enum Argument<M> {
    /// Floats, or numbers in their place.
    Memory(Arc<M>),
    /// A number.
    Number(i32),
}

/// A kernel, whatever its sizes.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Which.
    pub name: KernelName,
    /// What the text is compiled with.
    pub definitions: Vec<Definition>,
    /// What becomes of a result before it is written; `None` for a kernel that does not ask.
    pub epilogue: Option<Vec<Function>>,
}

/// Something that a kernel's text asks for.
#[derive(Clone, Copy, Debug)]
pub enum Definition {
    /// It is defined.
    Flag(&'static str),
    /// It is a number.
    Number(&'static str, i32),
    /// `FUNCTION` is this one of two operands.
    Function(Binary),
}

/// A function of a result `v`, four channels at a time. Operands are the kernel's last arguments, in the functions' order.
#[derive(Clone, Copy, Debug)]
pub enum Function {
    /// Both clamps.
    Clamp(Clamp),
    /// Of `v` alone.
    Unary(Unary),
    /// Of `v` and a number.
    Scalar(Binary, f32),
    /// Of `v` and what lies in the operand where `v` lies in the result.
    Binary(Binary),
    /// Of `v` and the operand's slice of the same channels: it has one row.
    Row(Binary),
}

/// How many functions, and operands of them, a kernel's epilogue has at most. What is left is done by kernels of its own.
#[derive(Clone, Copy, Debug)]
pub struct Slots {
    /// Functions, one at least.
    pub functions: usize,
    /// Operands.
    pub operands: usize,
}

/// The error of a wait that was stopped.
pub fn late() -> Error {
    Error::new(Status::Cancelled, format_args!("the device did not end in time"))
}

/// The position of the device that `choice` means, see [`Device::open`]; `title` is how users know the backend.
pub fn choose(about: &[About], choice: Option<&str>, title: &str) -> Result<usize> {
    let position = match choice {
        None => about.iter().position(|about| about.kind == "gpu").or((!about.is_empty()).then_some(0)),
        Some(text) => match text.parse::<usize>() {
            Ok(number) => Some(number).filter(|&number| number < about.len()),
            Err(_) => about.iter().position(|about| about.name.contains(text)),
        },
    };
    position.ok_or_else(|| {
        let names: Vec<&str> = about.iter().map(|about| about.name.as_str()).collect();
        unavailable!("there is no {title} device {}; known: {}", choice.unwrap_or(""), names.join(", "))
    })
}

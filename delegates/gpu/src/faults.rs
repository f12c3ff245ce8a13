//! For tests, over any backend: a device that fails on purpose, and one that computes nothing and needs no driver.
//!
//! The option `device` of a [`Faulty`] backend says what goes wrong, in front of the device that it stands for: `lost=3;` and a number or
//! a part of a name.
//!
//! | text | what happens |
//! |---|---|
//! | `driver;` | there is no driver |
//! | `device;` | there is no device |
//! | `memory=N;` | the device has no memory for the piece with this number |
//! | `compile;` | no program compiles |
//! | `lost=K;` | the device is lost in the step with this number of each invocation |
//! | `hang;` | the device does not end |
//! | `count=NAME;` | nothing; what lives is counted under this name: see [`living`] |

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use arenite_abi::prelude::*;

use crate::device::{self, About, Effort, Plan, Port, Settings, Slots, Step, choose, late};
use crate::{GpuInfo, Vendor};

/// What goes wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Faults {
    driver: bool,
    device: bool,
    memory: Option<u64>,
    compile: bool,
    lost: Option<usize>,
    hang: bool,
}

impl Faults {
    /// The device is lost, if it is to be.
    fn lose(&self) -> Result<()> {
        match self.lost {
            Some(step) => Err(unavailable!("the device was lost in step {step} (on purpose)")),
            None => Ok(()),
        }
    }
}

/// What lives of a backend: queues, memory, recordings.
#[derive(Debug, Default)]
struct Living([AtomicU64; 3]);

/// By the name that `count` gives.
static LIVING: LazyLock<Mutex<HashMap<String, Arc<Living>>>> = LazyLock::new(Mutex::default);

fn counter(name: &str) -> Arc<Living> {
    let mut all = LIVING.lock().unwrap_or_else(PoisonError::into_inner);
    Arc::clone(all.entry(name.to_owned()).or_default())
}

/// How many queues, pieces of memory and recordings live that count under this name.
pub fn living(name: &str) -> [u64; 3] {
    let living = counter(name);
    [0, 1, 2].map(|kind| living.0[kind].load(Relaxed))
}

/// One of them.
struct One(Arc<Living>, usize);

impl One {
    fn of(living: &Arc<Living>, kind: usize) -> Self {
        living.0[kind].fetch_add(1, Relaxed);
        One(Arc::clone(living), kind)
    }
}

impl Drop for One {
    fn drop(&mut self) {
        self.0.0[self.1].fetch_sub(1, Relaxed);
    }
}

/// A device that fails on purpose.
pub struct Faulty<D> {
    device: Arc<D>,
    faults: Faults,
    living: Arc<Living>,
}

/// Its queue.
pub struct FaultyQueue<Q> {
    queue: Q,
    faults: Faults,
    /// Pieces of memory that were asked for.
    asked: AtomicU64,
    living: Arc<Living>,
    _one: One,
}

/// Its memory.
pub struct FaultyMemory<M> {
    memory: Arc<M>,
    _one: One,
}

/// Its recording: with a fault, of the steps up to that.
pub struct FaultyRecording<R> {
    recording: R,
    _one: One,
}

/// What goes wrong, under which name is counted, and the rest of the text.
fn parse(choice: Option<&str>) -> Result<(Faults, String, Option<String>)> {
    let (mut faults, mut name, mut rest) = (Faults::default(), String::new(), choice.unwrap_or(""));
    while let Some((fault, behind)) = rest.split_once(';') {
        let (key, value) = fault.split_once('=').unwrap_or((fault, "0"));
        let number = || value.parse::<u64>().map_err(|_| invalid!("fault '{fault}' has no number"));
        match key {
            "driver" => faults.driver = true,
            "device" => faults.device = true,
            "memory" => faults.memory = Some(number()?),
            "compile" => faults.compile = true,
            "lost" => faults.lost = Some(number()? as usize),
            "hang" => faults.hang = true,
            "count" => name = value.to_owned(),
            _ => return Err(invalid!("there is no fault '{key}'")),
        }
        rest = behind;
    }
    Ok((faults, name, (!rest.is_empty()).then(|| rest.to_owned())))
}

impl<D: device::Device> device::Device for Faulty<D> {
    const NAME: &'static str = D::NAME;
    const SLOTS: Slots = D::SLOTS;
    const HAS_TILES: bool = D::HAS_TILES;
    const HAS_PRODUCTS: bool = D::HAS_PRODUCTS;
    const HAS_WINOGRAD: bool = D::HAS_WINOGRAD;
    const HAS_HALVES: bool = D::HAS_HALVES;
    const KEEPS: bool = D::KEEPS;
    type Queue = FaultyQueue<D::Queue>;

    fn list() -> Result<Vec<About>> {
        D::list()
    }

    fn about(&self) -> Option<&About> {
        self.device.about()
    }

    fn open(choice: Option<&str>) -> Result<Arc<Self>> {
        let (faults, name, choice) = parse(choice)?;
        if faults.driver {
            return Err(unavailable!("there is no driver (on purpose)"));
        }
        if faults.device {
            choose(&[], choice.as_deref(), D::NAME)?;
        }
        let device = D::open(choice.as_deref())?;
        Ok(Arc::new(Faulty { device, faults, living: counter(&name) }))
    }

    fn queue(self: &Arc<Self>) -> Result<Self::Queue> {
        self.wrap(self.device.queue()?)
    }

    fn queue_with(self: &Arc<Self>, settings: &Settings) -> Result<Self::Queue> {
        self.wrap(self.device.queue_with(settings)?)
    }
}

impl<D> Faulty<D> {
    fn wrap<Q>(&self, queue: Q) -> Result<FaultyQueue<Q>> {
        let (living, one) = (Arc::clone(&self.living), One::of(&self.living, 0));
        Ok(FaultyQueue { queue, faults: self.faults, asked: AtomicU64::new(0), living, _one: one })
    }
}

impl<M: device::Memory> device::Memory for FaultyMemory<M> {
    fn len(&self) -> usize {
        self.memory.len()
    }
}

impl<Q: device::Queue> FaultyQueue<Q> {
    /// Memory, unless its number is the one that fails.
    fn take(&self, make: impl FnOnce(&Q) -> Result<Q::Memory>) -> Result<FaultyMemory<Q::Memory>> {
        if self.faults.memory == Some(self.asked.fetch_add(1, Relaxed)) {
            return Err(unavailable!("no memory of the device (on purpose)"));
        }
        Ok(FaultyMemory { memory: Arc::new(make(&self.queue)?), _one: One::of(&self.living, 1) })
    }
}

/// A plan on the memory that wrappers have; of its steps as many as are asked for.
fn unwrap<'p, M>(plan: Plan<'p, FaultyMemory<M>>, steps: usize) -> Plan<'p, M> {
    let inner = |memory: &Arc<FaultyMemory<M>>| Arc::clone(&memory.memory);
    let port = |Port { memory, floats, stays }: Port<FaultyMemory<M>>| {
        let memory = inner(&memory);
        Port { memory, floats, stays }
    };
    let step = |step| match step {
        Step::Clear(memory) => Step::Clear(inner(&memory)),
        Step::Launch(device::Launch { kernel, arguments, grid, kind }) => {
            let argument = |argument| match argument {
                device::Argument::Memory(memory) => device::Argument::Memory(inner(&memory)),
                device::Argument::Number(number) => device::Argument::Number(number),
            };
            let arguments = arguments.into_iter().map(argument).collect();
            Step::Launch(device::Launch { kernel, arguments, grid, kind })
        }
    };
    Plan {
        inputs: plan.inputs.into_iter().map(port).collect(),
        steps: plan.steps.into_iter().take(steps).map(step).collect(),
        outputs: plan.outputs.into_iter().map(port).collect(),
    }
}

impl<Q: device::Queue> device::Queue for FaultyQueue<Q> {
    type Memory = FaultyMemory<Q::Memory>;
    type Recording = FaultyRecording<Q::Recording>;

    fn memory(&self, floats: usize) -> Result<Self::Memory> {
        self.take(|queue| queue.memory(floats))
    }

    fn upload(&self, floats: &[f32]) -> Result<Self::Memory> {
        self.take(|queue| queue.upload(floats))
    }

    fn record(&self, plan: Plan<'_, Self::Memory>) -> Result<Self::Recording> {
        if self.faults.compile {
            return Err(unavailable!("the device's compiler: it refuses (on purpose)"));
        }
        let recording = self.queue.record(unwrap(plan, self.faults.lost.unwrap_or(usize::MAX)))?;
        Ok(FaultyRecording { recording, _one: One::of(&self.living, 2) })
    }

    fn tune(&self, recording: &mut Self::Recording, stop: &dyn Fn() -> bool) -> Result<()> {
        self.queue.tune(&mut recording.recording, stop)
    }

    fn write(&self, recording: &mut Self::Recording, port: usize, floats: &[f32]) -> Result<()> {
        self.queue.write(&mut recording.recording, port, floats)
    }

    fn run(&self, recording: &mut Self::Recording) -> Result<()> {
        self.queue.run(&mut recording.recording)?;
        self.faults.lose()
    }

    fn run_timed(
        &self,
        recording: &mut Self::Recording,
        stop: &dyn Fn() -> bool,
        time: &mut dyn FnMut(usize, u64),
    ) -> Result<()> {
        self.queue.run_timed(&mut recording.recording, stop, time)?;
        self.faults.lose()
    }

    fn copy(&self, recording: &mut Self::Recording, port: usize, from: &Arc<Self::Memory>) -> Result<()> {
        self.queue.copy(&mut recording.recording, port, &from.memory)
    }

    fn wait(&self, recording: &mut Self::Recording, stop: &dyn Fn() -> bool) -> Result<()> {
        self.queue.wait(&mut recording.recording, stop)?;
        if !self.faults.hang {
            return Ok(());
        }
        while !stop() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        Err(late())
    }

    fn effort(&self) -> Effort {
        self.queue.effort()
    }

    fn read(&self, recording: &mut Self::Recording, port: usize, floats: &mut [f32]) -> Result<()> {
        self.queue.read(&mut recording.recording, port, floats)
    }
}

/// A device that computes nothing: results are zeros. It has memory of the host.
pub struct Null {
    about: About,
}

/// Its memory: floats.
pub struct NullMemory(Mutex<Vec<f32>>);

impl NullMemory {
    fn with<R>(&self, f: impl FnOnce(&mut Vec<f32>) -> R) -> R {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Its queue.
pub struct NullQueue;

/// Its recording: inputs and outputs.
pub struct NullRecording([Vec<Port<NullMemory>>; 2]);

impl device::Device for Null {
    const NAME: &'static str = "null";
    const SLOTS: Slots = Slots { functions: usize::MAX, operands: usize::MAX };
    const KEEPS: bool = true;
    type Queue = NullQueue;

    fn list() -> Result<Vec<About>> {
        let limits = GpuInfo { vendor: Vendor::Other, axes: [64; 3], total: 64 };
        Ok(vec![About {
            name: "Null".into(),
            driver: "none".into(),
            kind: "other",
            memory: 1 << 20,
            largest: 1 << 20,
            local: 0,
            units: 1,
            images: 0,
            limits,
        }])
    }

    fn about(&self) -> Option<&About> {
        Some(&self.about)
    }

    fn open(choice: Option<&str>) -> Result<Arc<Self>> {
        let mut all = Self::list()?;
        let position = choose(&all, choice, "null")?;
        Ok(Arc::new(Null { about: all.swap_remove(position) }))
    }

    fn queue(self: &Arc<Self>) -> Result<NullQueue> {
        Ok(NullQueue)
    }
}

impl device::Memory for NullMemory {
    fn len(&self) -> usize {
        self.with(|floats| floats.len())
    }
}

impl device::Queue for NullQueue {
    type Memory = NullMemory;
    type Recording = NullRecording;

    fn memory(&self, floats: usize) -> Result<NullMemory> {
        Ok(NullMemory(Mutex::new(vec![0.0; floats])))
    }

    fn upload(&self, floats: &[f32]) -> Result<NullMemory> {
        Ok(NullMemory(Mutex::new(floats.to_vec())))
    }

    fn record(&self, plan: Plan<'_, NullMemory>) -> Result<NullRecording> {
        Ok(NullRecording([plan.inputs, plan.outputs]))
    }

    fn write(&self, recording: &mut NullRecording, port: usize, floats: &[f32]) -> Result<()> {
        let Port { memory, .. } = &recording.0[0][port];
        memory.with(|to| to[..floats.len()].copy_from_slice(floats));
        Ok(())
    }

    fn run_timed(
        &self,
        recording: &mut NullRecording,
        _: &dyn Fn() -> bool,
        time: &mut dyn FnMut(usize, u64),
    ) -> Result<()> {
        time(0, 1);
        self.run(recording)
    }

    fn run(&self, recording: &mut NullRecording) -> Result<()> {
        recording.0[1].iter().for_each(|port| port.memory.with(|floats| floats.fill(0.0)));
        Ok(())
    }

    fn copy(&self, recording: &mut NullRecording, port: usize, from: &Arc<NullMemory>) -> Result<()> {
        let floats = from.with(|floats| floats.clone());
        let wanted = recording.0[0][port].floats.min(floats.len());
        self.write(recording, port, &floats[..wanted])
    }

    fn read(&self, recording: &mut NullRecording, port: usize, floats: &mut [f32]) -> Result<()> {
        let Port { memory, .. } = &recording.0[1][port];
        memory.with(|from| floats.copy_from_slice(&from[..floats.len()]));
        Ok(())
    }
}

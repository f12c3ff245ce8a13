//! A test double of devices that wraps any backend and fails on request.
//!
//! The option `device` of a [`Faulty`] backend has a fault in front of the device's number or name, such as `lost=3;`.
//!
//! | text | fault |
//! |---|---|
//! | `driver;` | no driver is found |
//! | `device;` | no device is found |
//! | `memory=N;` | allocation number N fails |
//! | `compile;` | no program compiles |
//! | `lost=K;` | the device is lost in step K of each invocation |
//! | `hang;` | the device hangs |
//! | `count=NAME;` | none; live objects are counted under this name, see [`living`] |

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use arenite_abi::prelude::*;

use crate::device::{self, DeviceInfo, Dispatch, Effort, Plan, Port, Settings, Slots, Step, choose, late};

/// A fault.
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
    /// An error if the device is lost.
    fn lose(&self) -> Result<()> {
        match self.lost {
            Some(step) => Err(unavailable!("the device was lost in step {step} (on purpose)")),
            None => Ok(()),
        }
    }
}

/// Counts of live queues, memory and recordings.
#[derive(Debug, Default)]
struct LiveCounts([AtomicU64; 3]);

/// The counts of a name.
static LIVING: LazyLock<Mutex<HashMap<String, Arc<LiveCounts>>>> = LazyLock::new(Mutex::default);

fn counter(name: &str) -> Arc<LiveCounts> {
    let mut all = LIVING.lock().unwrap_or_else(PoisonError::into_inner);
    Arc::clone(all.entry(name.to_owned()).or_default())
}

/// The numbers of live queues, memory and recordings of a name.
pub fn living(name: &str) -> [u64; 3] {
    let living = counter(name);
    [0, 1, 2].map(|kind| living.0[kind].load(Relaxed))
}

/// LiveObject live object.
struct LiveObject(Arc<LiveCounts>, usize);

impl LiveObject {
    fn of(living: &Arc<LiveCounts>, kind: usize) -> Self {
        living.0[kind].fetch_add(1, Relaxed);
        LiveObject(Arc::clone(living), kind)
    }
}

impl Drop for LiveObject {
    fn drop(&mut self) {
        self.0.0[self.1].fetch_sub(1, Relaxed);
    }
}

/// A device that fails on request.
pub struct Faulty<D> {
    device: Arc<D>,
    faults: Faults,
    living: Arc<LiveCounts>,
}

/// The queue of the device.
pub struct FaultyQueue<Q> {
    queue: Q,
    faults: Faults,
    /// Allocations so far.
    asked: AtomicU64,
    living: Arc<LiveCounts>,
    _one: LiveObject,
}

/// The memory of the device.
pub struct FaultyMemory<M> {
    memory: Arc<M>,
    _one: LiveObject,
}

/// A recording, which ends at the faulty step if there is one.
pub struct FaultyRecording<R> {
    recording: R,
    _one: LiveObject,
}

/// Parses the fault and the name for counts; the rest of the text names the device.
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
            _ => return Err(invalid!("fault '{key}' is unknown")),
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

    fn list() -> Result<Vec<DeviceInfo>> {
        D::list()
    }

    fn about(&self) -> Option<&DeviceInfo> {
        self.device.about()
    }

    fn open(choice: Option<&str>) -> Result<Arc<Self>> {
        let (faults, name, choice) = parse(choice)?;
        if faults.driver {
            return Err(unavailable!("no driver was found (on purpose)"));
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
        let (living, one) = (Arc::clone(&self.living), LiveObject::of(&self.living, 0));
        Ok(FaultyQueue { queue, faults: self.faults, asked: AtomicU64::new(0), living, _one: one })
    }
}

impl<M: device::Memory> device::Memory for FaultyMemory<M> {
    fn len(&self) -> usize {
        self.memory.len()
    }
}

impl<Q: device::Queue> FaultyQueue<Q> {
    /// Allocates memory, unless this allocation must fail.
    fn take(&self, make: impl FnOnce(&Q) -> Result<Q::Memory>) -> Result<FaultyMemory<Q::Memory>> {
        if self.faults.memory == Some(self.asked.fetch_add(1, Relaxed)) {
            return Err(unavailable!("no memory of the device (on purpose)"));
        }
        Ok(FaultyMemory { memory: Arc::new(make(&self.queue)?), _one: LiveObject::of(&self.living, 1) })
    }
}

/// The plan on unwrapped memory, with its first `steps` steps.
fn unwrap<'p, M>(plan: Plan<'p, FaultyMemory<M>>, steps: usize) -> Plan<'p, M> {
    let inner = |memory: &Arc<FaultyMemory<M>>| Arc::clone(&memory.memory);
    let port = |Port { memory, floats, stays }: Port<FaultyMemory<M>>| {
        let memory = inner(&memory);
        Port { memory, floats, stays }
    };
    let step = |step| match step {
        Step::Clear(memory) => Step::Clear(inner(&memory)),
        Step::Launch(device::Launch { kernel, arguments, grid, iterations }) => {
            let argument = |argument| match argument {
                device::Argument::Memory(memory) => device::Argument::Memory(inner(&memory)),
                device::Argument::Number(number) => device::Argument::Number(number),
            };
            let arguments = arguments.into_iter().map(argument).collect();
            Step::Launch(device::Launch { kernel, arguments, grid, iterations })
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
    type Bound = Q::Bound;

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
        Ok(FaultyRecording { recording, _one: LiveObject::of(&self.living, 2) })
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

    fn dispatches(&self, recording: &Self::Recording) -> Vec<Dispatch> {
        self.queue.dispatches(&recording.recording)
    }

    fn read(&self, recording: &mut Self::Recording, port: usize, floats: &mut [f32]) -> Result<()> {
        self.queue.read(&mut recording.recording, port, floats)
    }
}

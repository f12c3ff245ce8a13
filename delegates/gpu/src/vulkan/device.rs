//! Devices that were opened, and what was compiled for them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Instant;

use arenite_abi::host::{self, LogLevel};
use arenite_abi::prelude::*;
use ash::vk;

use super::about::{Types, Use};
use super::commands::{Commands, Writer};
use super::instance::{Found, devices, find};
use super::kept::{Kept, Origin};
use super::kernels::{Id, OPERANDS, SLOTS, Text};
use super::logical::Logical;
use super::memory::{Blocks, Memory, buffer};
use super::pipeline::{Layouts, Pipeline};
use super::queue::Queue;
use super::turns;
use crate::device::{self, About, Kernel, Settings, Slots, choose};
use crate::kernel_name::KernelName;
use crate::recent::Recent;
use crate::tuner::{self, Tuner};
use crate::work_groups::{Extent, Tuning};

/// Buffers that a kernel may have, with operands.
const BUFFERS: u32 = 8;
/// Pipelines that are kept while nobody uses them, for the next who may.
const PIPELINES: usize = 512;

/// A device with its memory and pipelines, of which the process has one.
pub struct Device {
    /// What kernels were compiled to.
    pipelines: Mutex<Recent<Key, Pipeline>>,
    layouts: Mutex<HashMap<Id, Arc<Layouts>>>,
    /// By keys of variants.
    pub(super) sizes: tuner::Found,
    origin: Origin,
    /// For what is done once.
    once: Mutex<Commands>,
    pub(super) blocks: Blocks,
    pub(super) logical: Arc<Logical>,
    pub(super) about: About,
    /// Most work-groups along each axis.
    most: Extent,
    /// Nanoseconds of a timestamp's step, and the bits of it that count; `None` without timestamps.
    pub(super) stamps: Option<(f32, u64)>,
}

/// A kernel, its constants, its work-group.
type Key = (Id, Vec<u32>, Extent);

/// A kernel with the values of its constants.
pub struct Variant {
    pub(super) layouts: Arc<Layouts>,
    pub(super) constants: Vec<u32>,
}

impl device::Device for Device {
    const NAME: &'static str = "vulkan";
    const SLOTS: Slots = Slots { functions: SLOTS, operands: OPERANDS };
    const KEEPS: bool = true;
    const HAS_TILES: bool = true;
    const HAS_PRODUCTS: bool = true;
    const HAS_WINOGRAD: bool = true;
    const HAS_HALVES: bool = true;
    type Queue = Queue;

    fn list() -> Result<Vec<About>> {
        devices()
    }

    fn about(&self) -> Option<&About> {
        Some(&self.about)
    }

    fn open(choice: Option<&str>) -> Result<Arc<Device>> {
        /// By their place among all.
        type Open = HashMap<usize, Arc<Device>>;
        static OPEN: LazyLock<Mutex<Open>> = LazyLock::new(Mutex::default);
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        let found = find()?;
        let about: Vec<About> = found.iter().map(|found| found.about.clone()).collect();
        let position = choose(&about, choice, "Vulkan")?;
        open.retain(|_, device| !device.logical.is_lost());
        if let Some(device) = open.get(&position) {
            return Ok(Arc::clone(device));
        }
        let device = Arc::new(Device::new(&found[position])?);
        let About { name, driver, .. } = &device.about;
        host::log(LogLevel::Info, "arenite_gpu", &format!("Vulkan device {name}, driver {driver}"));
        open.insert(position, Arc::clone(&device));
        Ok(device)
    }

    fn queue(self: &Arc<Self>) -> Result<Queue> {
        self.queue_with(&Settings { tuning: Tuning::Fast, cache: None })
    }

    fn queue_with(self: &Arc<Self>, settings: &Settings) -> Result<Queue> {
        Queue::new(Arc::clone(self), settings)
    }
}

impl Device {
    pub(super) fn new(found: &Found) -> Result<Device> {
        let limits = &found.properties.limits;
        if limits.max_per_stage_descriptor_storage_buffers < BUFFERS {
            return Err(unavailable!("kernels of the device '{}' have too few buffers", found.about.name));
        }
        let logical = Arc::new(Logical::new(found)?);
        let probe = buffer(&logical, 256)?;
        // SAFETY: the buffer is the device's, and goes here.
        let needs = unsafe {
            let needs = logical.raw.get_buffer_memory_requirements(probe);
            logical.raw.destroy_buffer(probe, None);
            needs
        };
        let types = Types::of(found.properties.device_type, &found.memory, needs.memory_type_bits);
        let types = types.ok_or_else(|| unavailable!("the device has no memory that the host sees"))?;
        let align = [needs.alignment, limits.min_storage_buffer_offset_alignment, 64].into_iter().max();
        let bits = found.stamps.min(64);
        Ok(Device {
            pipelines: Mutex::new(Recent::new(PIPELINES)),
            layouts: Mutex::default(),
            sizes: tuner::Found::default(),
            origin: Origin::of(&found.properties),
            once: Mutex::new(Commands::new(&logical)?),
            blocks: Blocks::new(Arc::clone(&logical), types, align.unwrap_or(256)),
            about: found.about.clone(),
            most: limits.max_compute_work_group_count,
            stamps: (bits > 0).then(|| (limits.timestamp_period, u64::MAX >> (64 - bits))),
            logical,
        })
    }

    /// A kernel with the values of its constants.
    pub(super) fn variant(&self, kernel: &Kernel) -> Result<Variant> {
        let text = Text::of(kernel)?;
        let constants = text.constants(kernel)?;
        let mut layouts = self.layouts.lock().unwrap_or_else(PoisonError::into_inner);
        let layouts = match layouts.entry(text.id()) {
            Entry::Occupied(known) => Arc::clone(known.get()),
            Entry::Vacant(place) => Arc::clone(place.insert(Arc::new(Layouts::new(&self.logical, text)?))),
        };
        Ok(Variant { layouts, constants })
    }

    /// What a file is for: a driver, a device, a kernel, and of pipelines the size of work-groups.
    pub(super) fn key(&self, variant: &Variant, group: Option<Extent>) -> String {
        let About { name, driver, .. } = &self.about;
        let (text, origin) = (variant.layouts.text, &self.origin);
        let (id, digest, constants) = (text.id(), text.digest(), &variant.constants);
        format!("{driver}\n{name}\n{origin:?}\n{id:?} {digest:032x}\n{constants:?}\n{group:?}")
    }

    /// A kernel for work-groups of this size, which is compiled once while somebody uses it or did lately, or taken from the folder. What that took is counted.
    pub(super) fn pipeline(&self, variant: &Variant, group: Extent, tuner: &Tuner) -> Result<Arc<Pipeline>> {
        let key = (variant.layouts.text.id(), variant.constants.clone(), group);
        let mut pipelines = self.pipelines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipeline) = pipelines.get(&key) {
            return Ok(pipeline);
        }
        let start = Instant::now();
        let pipeline = Arc::new(self.compile(variant, group, tuner)?);
        tuner.count(|effort| effort.compiling += start.elapsed().as_nanos() as u64);
        pipelines.insert(key, Arc::clone(&pipeline));
        Ok(pipeline)
    }

    fn compile(&self, variant: &Variant, group: Extent, tuner: &Tuner) -> Result<Pipeline> {
        let Variant { layouts, constants } = variant;
        let Some(cache) = tuner.cache() else {
            tuner.count(|effort| effort.compiled += 1);
            return Pipeline::new(layouts, vk::PipelineCache::null(), constants, group);
        };
        let key = self.key(variant, Some(group));
        let before = cache.load("pipeline", &key).filter(|data| self.origin.takes(data));
        let kept = Kept::new(&self.logical, before.as_deref())?;
        let pipeline = Pipeline::new(layouts, kept.raw, constants, group)?;
        let data = kept.data();
        // What the driver did not find there it compiled and added.
        if before.is_some_and(|before| data.len() <= before.len()) {
            tuner.count(|effort| effort.loaded += 1);
            return Ok(pipeline);
        }
        tuner.count(|effort| effort.compiled += 1);
        if self.origin.takes(&data) {
            cache.save("pipeline", &key, &data);
        }
        Ok(pipeline)
    }

    /// Work-groups of this size that cover a grid; `None` if they are too many.
    pub(super) fn groups(&self, grid: Extent, size: Extent) -> Option<Extent> {
        let groups = [0, 1, 2].map(|axis| grid[axis].div_ceil(size[axis]));
        groups.iter().zip(self.most).all(|(&groups, most)| groups <= most).then_some(groups)
    }

    /// An error if the device ends a kernel's loops before so many turns.
    pub(super) fn expect_turns(&self, turns: u64, kernel: KernelName) -> Result<()> {
        match turns::most(&self.about.name).filter(|&most| turns > most) {
            Some(most) => Err(unsupported!(
                "'{kernel}' would go round its loops {turns} times, the device '{}' ends them after {most}",
                self.about.name
            )),
            None => Ok(()),
        }
    }

    /// Times between timestamps.
    pub(super) fn nanoseconds(&self, stamps: &[u64]) -> Result<Vec<u64>> {
        let (period, mask) = self.stamps.ok_or_else(|| unsupported!("the device tells no times"))?;
        let ticks = stamps.windows(2).map(|pair| pair[1].wrapping_sub(pair[0]) & mask);
        Ok(ticks.map(|ticks| (ticks as f64 * f64::from(period)) as u64).collect())
    }

    /// Copies floats from the beginning of one memory to that of the other.
    pub(super) fn copy(&self, from: &Arc<Memory>, to: &Arc<Memory>, floats: usize) -> Result<()> {
        let used = [from, to].map(Arc::clone);
        let copied = self.once(used, |writer, [from, to]| {
            writer.barrier();
            writer.copy(from, to, floats);
            writer.show_host();
        });
        copied.map(drop)
    }

    /// Room for so many floats, of zeros or a copy of the host's.
    pub(super) fn memory(&self, len: usize, floats: Option<&[f32]>) -> Result<Memory> {
        let (bytes, largest) = (len as u64 * 4, self.about.largest);
        if bytes > largest {
            return Err(unavailable!(
                "a buffer of {bytes} bytes is wanted, the device's largest has {largest}"
            ));
        }
        let memory = self.blocks.take(Use::Device, len)?;
        match (self.blocks.unified(), floats) {
            (true, None) => memory.clear()?,
            (true, Some(floats)) => memory.write(floats)?,
            (false, None) => return self.once(memory, |writer, memory| writer.clear(memory)),
            (false, Some(floats)) => {
                let staging = self.blocks.take(Use::Up, len)?;
                staging.write(floats)?;
                let copied = self.once((memory, staging), |writer, (to, from)| writer.copy(from, to, len));
                return copied.map(|(memory, _)| memory);
            }
        }
        Ok(memory)
    }

    /// Does something once, with memory that it uses.
    fn once<M>(&self, used: M, write: impl Fn(&Writer<'_>, &M)) -> Result<M> {
        let mut once = self.once.lock().unwrap_or_else(PoisonError::into_inner);
        once.record(|writer| {
            write(writer, &used);
            Ok(())
        })?;
        // SAFETY: it was recorded. What it uses lives until the call returns, and for ever if it does not end.
        match unsafe { once.run() } {
            Ok(()) => Ok(used),
            Err(error) => {
                if once.is_under_way() {
                    std::mem::forget(used);
                }
                Err(error)
            }
        }
    }
}

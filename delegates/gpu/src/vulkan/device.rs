//! Open devices and the pipelines compiled for them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use arenite_abi::prelude::*;
use ash::vk;

use super::commands::{Commands, Writer};
use super::instance::PhysicalDevice;
use super::iterations;
use super::kernels::{Id, Text};
use super::logical::Logical;
use super::memory::{Blocks, VulkanMemory, buffer};
use super::pipeline::{Layouts, Pipeline};
use super::pipeline_cache::{Origin, PipelineCache};
use super::properties::{MemoryTypes, MemoryUse};
use crate::device::{DeviceInfo, Kernel};
use crate::kernels::KernelName;
use crate::store::recent::RecentCache;
use crate::store::tuner::{self, Tuner};
use crate::work_groups::{Extent, KernelLimits};

/// The most buffers that a kernel has, with the operands of its epilogue.
const BUFFERS: u32 = 8;
/// Pipelines that are cached while unused.
const PIPELINES: usize = 512;

/// A device with its memory and pipelines. A process opens a device once.
pub struct Device {
    /// Compiled kernels.
    pipelines: Mutex<RecentCache<Key, Pipeline>>,
    layouts: Mutex<HashMap<Id, Arc<Layouts>>>,
    /// Tuned sizes, by variant keys.
    pub(super) sizes: tuner::TunedSizes,
    origin: Origin,
    /// For commands that run once.
    once: Mutex<Commands>,
    pub(super) blocks: Blocks,
    pub(super) logical: Arc<Logical>,
    pub(super) about: DeviceInfo,
    /// The work-group limit of every kernel, and its waves.
    pub(super) kernels: KernelLimits,
    /// The most work-groups along each axis.
    most: Extent,
    /// `None` without timestamps.
    pub(super) stamps: Option<Clock>,
}

/// The clock of timestamps.
#[derive(Clone, Copy)]
pub(super) struct Clock {
    /// Nanoseconds per tick.
    period: f32,
    /// The valid bits.
    mask: u64,
}

/// A kernel, its constants and its work-group.
type Key = (Id, Vec<u32>, Extent);

/// A kernel with the values of its constants.
pub(super) struct Variant {
    pub(super) layouts: Arc<Layouts>,
    pub(super) constants: Vec<u32>,
}

impl Device {
    pub(super) fn new(found: &PhysicalDevice) -> Result<Device> {
        let limits = &found.properties.limits;
        if limits.max_per_stage_descriptor_storage_buffers < BUFFERS {
            return Err(unavailable!("kernels of the device '{}' have too few buffers", found.about.name));
        }
        let logical = Arc::new(Logical::new(found)?);
        let probe = buffer(&logical, 256)?;
        // SAFETY: the buffer belongs to the device and is destroyed once.
        let needs = unsafe {
            let needs = logical.raw.get_buffer_memory_requirements(probe);
            logical.raw.destroy_buffer(probe, None);
            needs
        };
        let types = MemoryTypes::of(found.properties.device_type, &found.memory, needs.memory_type_bits);
        let types = types.ok_or_else(|| unavailable!("the device has no host-visible memory"))?;
        let align = [needs.alignment, limits.min_storage_buffer_offset_alignment, 64].into_iter().max();
        let bits = found.stamps.min(64);
        Ok(Device {
            pipelines: Mutex::new(RecentCache::new(PIPELINES)),
            layouts: Mutex::default(),
            sizes: tuner::TunedSizes::default(),
            origin: Origin::of(&found.properties),
            once: Mutex::new(Commands::new(&logical)?),
            blocks: Blocks::new(Arc::clone(&logical), types, align.unwrap_or(256)),
            kernels: KernelLimits { most: found.about.limits.total, wave: found.wave },
            about: found.about.clone(),
            most: limits.max_compute_work_group_count,
            stamps: (bits > 0)
                .then(|| Clock { period: limits.timestamp_period, mask: u64::MAX >> (64 - bits) }),
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

    /// The key of a cache file: driver, device, kernel, and for pipelines the work-group.
    pub(super) fn key(&self, variant: &Variant, group: Option<Extent>) -> String {
        let DeviceInfo { name, driver, .. } = &self.about;
        let (text, origin) = (variant.layouts.text, &self.origin);
        let (id, digest, constants) = (text.id(), text.digest(), &variant.constants);
        format!("{driver}\n{name}\n{origin:?}\n{id:?} {digest:032x}\n{constants:?}\n{group:?}")
    }

    /// The pipeline of a kernel for this work-group: from memory, from the cache folder, or compiled. The time is
    /// counted.
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
        let kept = PipelineCache::new(&self.logical, before.as_deref())?;
        let pipeline = Pipeline::new(layouts, kept.raw, constants, group)?;
        let data = kept.data();
        // The driver adds data that was not in the cache.
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

    /// The number of work-groups of this size that cover a grid; `None` if it exceeds the device's limits.
    pub(super) fn groups(&self, grid: Extent, size: Extent) -> Option<Extent> {
        let groups = [0, 1, 2].map(|axis| grid[axis].div_ceil(size[axis]));
        groups.iter().zip(self.most).all(|(&groups, most)| groups <= most).then_some(groups)
    }

    /// An error if the device ends loops before this many iterations.
    pub(super) fn expect_iterations(&self, iterations: u64, kernel: KernelName) -> Result<()> {
        match iterations::most(&self.about.name).filter(|&most| iterations > most) {
            Some(most) => Err(unsupported!(
                "'{kernel}' needs {iterations} loop iterations, the device '{}' ends them after {most}",
                self.about.name
            )),
            None => Ok(()),
        }
    }

    /// Nanoseconds between consecutive timestamps.
    pub(super) fn nanoseconds(&self, stamps: &[u64]) -> Result<Vec<u64>> {
        let Clock { period, mask } =
            self.stamps.ok_or_else(|| unsupported!("the device reports no times"))?;
        let ticks = stamps.windows(2).map(|pair| pair[1].wrapping_sub(pair[0]) & mask);
        Ok(ticks.map(|ticks| (ticks as f64 * f64::from(period)) as u64).collect())
    }

    /// Copies floats between the starts of two memories.
    pub(super) fn copy(&self, from: &Arc<VulkanMemory>, to: &Arc<VulkanMemory>, floats: usize) -> Result<()> {
        let used = [from, to].map(Arc::clone);
        let copied = self.once(used, |writer, [from, to]| {
            writer.barrier();
            writer.copy(from, to, floats);
            writer.show_host();
        });
        copied.map(drop)
    }

    /// Allocates `len` floats: zeros, or a copy of `floats`.
    pub(super) fn memory(&self, len: usize, floats: Option<&[f32]>) -> Result<VulkanMemory> {
        let (bytes, largest) = (len as u64 * 4, self.about.largest);
        if bytes > largest {
            return Err(unavailable!(
                "a buffer of {bytes} bytes is wanted, the device's largest has {largest}"
            ));
        }
        let memory = self.blocks.take(MemoryUse::Device, len)?;
        match (self.blocks.is_unified(), floats) {
            (true, None) => memory.clear()?,
            (true, Some(floats)) => memory.write(floats)?,
            (false, None) => return self.once(memory, |writer, memory| writer.clear(memory)),
            (false, Some(floats)) => {
                let staging = self.blocks.take(MemoryUse::Up, len)?;
                staging.write(floats)?;
                let copied = self.once((memory, staging), |writer, (to, from)| writer.copy(from, to, len));
                return copied.map(|(memory, _)| memory);
            }
        }
        Ok(memory)
    }

    /// Records and runs commands once; `used` is the memory that they use.
    pub(super) fn once<M>(&self, used: M, write: impl Fn(&Writer<'_>, &M)) -> Result<M> {
        let mut once = self.once.lock().unwrap_or_else(PoisonError::into_inner);
        once.record(|writer| {
            write(writer, &used);
            Ok(())
        })?;
        // SAFETY: the commands were recorded above. `used` lives until the call returns, and is leaked below if they do
        // not complete.
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

//! Devices that were opened, and what was compiled for them.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use arenite_abi::host::{self, LogLevel};
use arenite_abi::prelude::*;
use ash::vk;

use super::about::{Types, Use};
use super::commands::{Commands, Writer};
use super::instance::{Found, devices, find};
use super::kernels::{OPERANDS, SLOTS, Text};
use super::logical::Logical;
use super::memory::{Blocks, Memory, buffer};
use super::pipeline::Pipeline;
use super::queue::Queue;
use crate::device::{self, About, Kernel, Slots, choose};
use crate::work_groups::Extent;

/// How long an invocation may take: a kernel that takes longer does not end.
pub(super) const TIMEOUT: Duration = Duration::from_secs(120);
/// Buffers that a kernel may have, with operands.
const BUFFERS: u32 = 8;

/// A device with its memory and pipelines, of which the process has one.
pub struct Device {
    /// What kernels were compiled to.
    pipelines: Mutex<HashMap<Key, Arc<Pipeline>>>,
    cache: Cache,
    /// For what is done once.
    once: Mutex<Commands>,
    pub(super) blocks: Blocks,
    pub(super) logical: Arc<Logical>,
    pub(super) about: About,
    /// Most work-groups along each axis.
    pub(super) groups: Extent,
    /// Nanoseconds of a timestamp's step, and the bits of it that count; `None` without timestamps.
    pub(super) stamps: Option<(f32, u64)>,
}

/// A kernel's name, its constants, its work-group.
type Key = (&'static str, Vec<u32>, Extent);

/// The driver's cache of what it compiled.
struct Cache {
    logical: Arc<Logical>,
    raw: vk::PipelineCache,
}

impl Drop for Cache {
    fn drop(&mut self) {
        // SAFETY: whoever compiles has borrowed it.
        unsafe { self.logical.raw.destroy_pipeline_cache(self.raw, None) };
    }
}

impl device::Device for Device {
    const NAME: &'static str = "vulkan";
    const SLOTS: Slots = Slots { functions: SLOTS, operands: OPERANDS };
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
        Ok(Queue::new(Arc::clone(self)))
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
        let info = vk::PipelineCacheCreateInfo::default();
        // SAFETY: the device lives; there is no data.
        let cache = unsafe { logical.raw.create_pipeline_cache(&info, None) };
        let cache = cache.map_err(|error| logical.failed("no cache of the device", error))?;
        let bits = found.stamps.min(64);
        Ok(Device {
            pipelines: Mutex::default(),
            cache: Cache { logical: Arc::clone(&logical), raw: cache },
            once: Mutex::new(Commands::new(&logical)?),
            blocks: Blocks::new(Arc::clone(&logical), types, align.unwrap_or(256)),
            about: found.about.clone(),
            groups: limits.max_compute_work_group_count,
            stamps: (bits > 0).then(|| (limits.timestamp_period, u64::MAX >> (64 - bits))),
            logical,
        })
    }

    /// A kernel for work-groups of this size, which is compiled once per process.
    pub(super) fn pipeline(&self, kernel: &Kernel, group: Extent) -> Result<Arc<Pipeline>> {
        let text = Text::of(kernel)?;
        let constants = text.constants(kernel)?;
        let key = (text.name, constants, group);
        let mut pipelines = self.pipelines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipeline) = pipelines.get(&key) {
            return Ok(Arc::clone(pipeline));
        }
        let pipeline = Arc::new(Pipeline::new(&self.logical, self.cache.raw, text, &key.1, group)?);
        pipelines.insert(key, Arc::clone(&pipeline));
        Ok(pipeline)
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
            (false, None) => return self.once(memory, None, |writer, memory, _| writer.clear(memory)),
            (false, Some(floats)) => {
                let staging = self.blocks.take(Use::Up, len)?;
                staging.write(floats)?;
                let copy = |writer: &Writer<'_>, to: &Memory, from: Option<&Memory>| {
                    from.into_iter().for_each(|from| writer.copy(from, to, len));
                };
                return self.once(memory, Some(staging), copy);
            }
        }
        Ok(memory)
    }

    /// Does something once, with memory and what it is copied from.
    fn once(
        &self,
        memory: Memory,
        staging: Option<Memory>,
        write: impl Fn(&Writer<'_>, &Memory, Option<&Memory>),
    ) -> Result<Memory> {
        let mut once = self.once.lock().unwrap_or_else(PoisonError::into_inner);
        once.record(|writer| {
            write(writer, &memory, staging.as_ref());
            Ok(())
        })?;
        // SAFETY: it was recorded. Both memories live until the call returns, and for ever if it does not end.
        match unsafe { once.run(TIMEOUT) } {
            Ok(()) => Ok(memory),
            Err(error) => {
                if once.is_under_way() {
                    std::mem::forget((memory, staging));
                }
                Err(error)
            }
        }
    }
}

//! Queues of a device.

use std::sync::Arc;

use arenite_abi::DeviceObject;
use arenite_abi::prelude::*;
use ash::vk::Handle as _;

use super::bound::VulkanBound;
use super::device::Device;
use super::instance::instance;
use super::memory::VulkanMemory;
use super::recording::Recording;
use crate::device::{self, Dispatch, Effort, PaddedRows, Plan, Settings};
use crate::store::tuner::Tuner;
use crate::work_groups::Tuning;

/// A queue for an interpreter.
pub struct Queue {
    device: Arc<Device>,
    tuner: Tuner,
}

impl Queue {
    /// Creates a queue.
    ///
    /// # Errors
    /// The driver refuses the queue.
    pub fn new(device: Arc<Device>, settings: &Settings) -> Result<Queue> {
        if settings.tuning == Tuning::Exhaustive && device.stamps.is_none() {
            let name = &device.about.name;
            return Err(unsupported!("option tuning = 'exhaustive': the device '{name}' reports no times"));
        }
        let tuner = Tuner::new(settings, &device.about.limits);
        Ok(Queue { device, tuner })
    }
}

impl device::Queue for Queue {
    type Memory = VulkanMemory;
    type Recording = Recording;
    type Bound = VulkanBound;

    fn memory(&self, floats: usize) -> Result<VulkanMemory> {
        self.device.memory(floats, None)
    }

    fn upload(&self, floats: &[f32]) -> Result<VulkanMemory> {
        self.device.memory(floats.len(), Some(floats))
    }

    fn record(&self, plan: Plan<'_, VulkanMemory>) -> Result<Recording> {
        Recording::new(&self.device, &self.tuner, plan)
    }

    fn write(&self, recording: &mut Recording, port: usize, floats: &[f32]) -> Result<()> {
        recording.write(port, floats)
    }

    fn run(&self, recording: &mut Recording) -> Result<()> {
        recording.start()
    }

    fn run_timed(
        &self,
        recording: &mut Recording,
        stop: &dyn Fn() -> bool,
        time: &mut dyn FnMut(usize, u64),
    ) -> Result<()> {
        match self.device.stamps {
            Some(_) => recording.run_timed(stop, time),
            None => recording.start(),
        }
    }

    fn tune(&self, recording: &mut Recording, stop: &dyn Fn() -> bool) -> Result<()> {
        recording.tune(&self.tuner, stop)
    }

    fn copy(&self, recording: &mut Recording, port: usize, from: &Arc<VulkanMemory>) -> Result<()> {
        recording.copy(port, from)
    }

    fn object(&self, name: &str) -> Result<u64> {
        let logical = &self.device.logical;
        match name {
            "instance" => Ok(instance()?.raw.handle().as_raw()),
            "physical_device" => Ok(logical.physical.as_raw()),
            "device" => Ok(logical.raw.handle().as_raw()),
            "queue" => Ok(logical.queue().as_raw()),
            "queue_family" => Ok(logical.family.into()),
            _ => Err(unsupported!(
                "Vulkan object '{name}' is unknown; known: instance, physical_device, device, queue, queue_family"
            )),
        }
    }

    fn bind(&self, object: DeviceObject, offset: u64, bytes: u64) -> Result<VulkanBound> {
        VulkanBound::new(&self.device, object, offset, bytes)
    }

    fn load(
        &self,
        recording: &mut Recording,
        port: usize,
        from: &Arc<VulkanBound>,
        rows: PaddedRows,
    ) -> Result<()> {
        from.load(&self.device, recording.fill(port), rows)
    }

    fn store(&self, from: &Arc<VulkanMemory>, to: &Arc<VulkanBound>, rows: PaddedRows) -> Result<()> {
        to.store(&self.device, from, rows)
    }

    fn read_bound(&self, from: &Arc<VulkanBound>, data: &mut [u8]) -> Result<()> {
        from.read(&self.device, data)
    }

    fn write_bound(&self, to: &Arc<VulkanBound>, data: &[u8]) -> Result<()> {
        to.write(&self.device, data)
    }

    fn wait(&self, recording: &mut Recording, stop: &dyn Fn() -> bool) -> Result<()> {
        recording.wait(stop)
    }

    fn dispatches(&self, recording: &Recording) -> Vec<Dispatch> {
        recording.dispatches()
    }

    fn effort(&self) -> Effort {
        self.tuner.effort()
    }

    fn read(&self, recording: &mut Recording, port: usize, floats: &mut [f32]) -> Result<()> {
        recording.read(port, floats)
    }
}

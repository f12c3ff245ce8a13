//! Queues of a device.

use std::sync::Arc;

use arenite_abi::prelude::*;

use super::device::Device;
use super::memory::VulkanMemory;
use super::recording::Recording;
use crate::device::{self, Dispatch, Effort, Plan, Settings};
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

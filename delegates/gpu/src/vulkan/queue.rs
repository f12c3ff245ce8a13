//! What is done on a device for a partition.

use std::sync::Arc;

use arenite_abi::prelude::*;

use super::device::Device;
use super::memory::Memory;
use super::recording::Recording;
use crate::device::{self, Plan};

/// A partition's use of a device. Whatever is submitted is waited for, so there is nothing of its own.
pub struct Queue {
    device: Arc<Device>,
}

impl Queue {
    /// One more.
    pub fn new(device: Arc<Device>) -> Queue {
        Queue { device }
    }
}

impl device::Queue for Queue {
    type Memory = Memory;
    type Recording = Recording;

    fn memory(&self, floats: usize) -> Result<Memory> {
        self.device.memory(floats, None)
    }

    fn upload(&self, floats: &[f32]) -> Result<Memory> {
        self.device.memory(floats.len(), Some(floats))
    }

    fn record(&self, plan: Plan<'_, Memory>) -> Result<Recording> {
        Recording::new(&self.device, plan)
    }

    fn write(&self, recording: &mut Recording, port: usize, floats: &[f32]) -> Result<()> {
        recording.write(port, floats)
    }

    fn run(&self, recording: &mut Recording, time: Option<&mut dyn FnMut(usize, u64)>) -> Result<()> {
        match (time, self.device.stamps) {
            (Some(time), Some((period, mask))) => recording.run_timed(period, mask, time),
            _ => recording.run(),
        }
    }

    fn read(&self, recording: &mut Recording, port: usize, floats: &mut [f32]) -> Result<()> {
        recording.read(port, floats)
    }
}

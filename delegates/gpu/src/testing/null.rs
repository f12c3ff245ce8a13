//! A test double of devices that computes nothing and needs no driver.

use std::sync::{Arc, Mutex, PoisonError};

use arenite_abi::prelude::*;

use crate::device::{self, DeviceInfo, Dispatch, Plan, Port, Slots, choose};
use crate::{GpuInfo, Vendor};

/// A device that computes nothing: results are zeros. Its memory is on the host.
pub struct Null {
    about: DeviceInfo,
}

/// Floats on the host.
pub struct NullMemory(Mutex<Vec<f32>>);

impl NullMemory {
    fn with<R>(&self, f: impl FnOnce(&mut Vec<f32>) -> R) -> R {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The queue of the device.
pub struct NullQueue;

/// The inputs and outputs of a recording.
pub struct NullRecording([Vec<Port<NullMemory>>; 2]);

impl device::Device for Null {
    const NAME: &'static str = "null";
    const SLOTS: Slots = Slots { functions: usize::MAX, operands: usize::MAX };
    const KEEPS: bool = true;
    type Queue = NullQueue;

    fn list() -> Result<Vec<DeviceInfo>> {
        let limits = GpuInfo { vendor: Vendor::Other, axes: [64; 3], total: 64 };
        Ok(vec![DeviceInfo {
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

    fn about(&self) -> Option<&DeviceInfo> {
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
    type Bound = ();

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

    fn dispatches(&self, _: &NullRecording) -> Vec<Dispatch> {
        Vec::new()
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

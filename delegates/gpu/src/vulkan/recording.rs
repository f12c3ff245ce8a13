//! A partition's kernels, recorded once.

use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::time::Duration;

use super::about::Use;
use super::commands::{Commands, Writer};
use super::device::{Device, TIMEOUT};
use super::dispatch::{Command, Prepared, Sets};
use super::logical::Logical;
use super::memory::Memory;
use super::stamps::Stamps;
use crate::device::{Plan, Port};
use arenite_abi::prelude::*;

/// A recording, and how it is timed.
pub struct Recording {
    /// Never dropped if the device may still use it.
    parts: ManuallyDrop<Parts>,
    plain: Commands,
    timed: Option<Timed>,
    logical: Arc<Logical>,
}

/// What commands are made of.
struct Parts {
    inputs: Vec<Staged>,
    steps: Vec<Command>,
    outputs: Vec<Staged>,
    /// Of the steps.
    _sets: Sets,
}

/// Memory that the host writes or reads, through staging memory where it does not see it.
struct Staged {
    port: Port<Memory>,
    staging: Option<Memory>,
}

/// Commands with a timestamp in front of the first step and behind each.
struct Timed {
    commands: Commands,
    stamps: Stamps,
}

impl Recording {
    /// Makes all of a plan ready.
    pub fn new(device: &Device, plan: Plan<'_, Memory>) -> Result<Recording> {
        let Plan { inputs, steps, outputs } = plan;
        let staged = |purpose| {
            move |port: Port<Memory>| {
                let staging = match device.blocks.unified() {
                    true => None,
                    false => Some(device.blocks.take(purpose, port.floats)?),
                };
                Ok(Staged { port, staging })
            }
        };
        let prepared =
            steps.into_iter().map(|step| Prepared::new(device, step)).collect::<Result<Vec<_>>>()?;
        let sets = Sets::new(&device.logical, &prepared)?;
        let parts = Parts {
            inputs: inputs.into_iter().map(staged(Use::Up)).collect::<Result<_>>()?,
            steps: prepared.into_iter().map(|step| step.bind(&sets)).collect::<Result<_>>()?,
            outputs: outputs.into_iter().map(staged(Use::Down)).collect::<Result<_>>()?,
            _sets: sets,
        };
        let mut plain = Commands::new(&device.logical)?;
        plain.record(|writer| parts.write(writer, None))?;
        Ok(Recording {
            parts: ManuallyDrop::new(parts),
            plain,
            timed: None,
            logical: Arc::clone(&device.logical),
        })
    }

    /// See [`crate::device::Queue::write`].
    pub fn write(&mut self, port: usize, floats: &[f32]) -> Result<()> {
        self.parts.inputs[port].host().write(floats)
    }

    /// See [`crate::device::Queue::read`].
    pub fn read(&mut self, port: usize, floats: &mut [f32]) -> Result<()> {
        self.parts.outputs[port].host().read(floats)
    }

    /// Runs all steps in one submission.
    pub fn run(&mut self) -> Result<()> {
        self.run_for(TIMEOUT)
    }

    /// As [`run`](Self::run), for so long at most.
    pub(super) fn run_for(&mut self, timeout: Duration) -> Result<()> {
        // SAFETY: it was recorded when this was made; what it uses are the parts, which are never dropped if it does not end.
        unsafe { self.plain.run(timeout) }
    }

    /// As [`run`](Self::run), with a time for each step: so many nanoseconds are a step of timestamps, whose bits of the mask count.
    pub fn run_timed(&mut self, period: f32, mask: u64, time: &mut dyn FnMut(usize, u64)) -> Result<()> {
        let timed = match self.timed.take() {
            Some(timed) => timed,
            None => Timed::new(&self.logical, &self.parts)?,
        };
        let timed = self.timed.insert(timed);
        // SAFETY: as of `run`; timestamps go behind the commands, which never go if they do not end.
        unsafe { timed.commands.run(TIMEOUT) }?;
        let stamps = timed.stamps.read()?;
        for (i, pair) in stamps.windows(2).enumerate() {
            let ticks = pair[1].wrapping_sub(pair[0]) & mask;
            time(i, (ticks as f64 * f64::from(period)) as u64);
        }
        Ok(())
    }

    fn is_under_way(&self) -> bool {
        self.plain.is_under_way() || self.timed.as_ref().is_some_and(|timed| timed.commands.is_under_way())
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        self.plain.settle();
        self.timed.iter_mut().for_each(|timed| timed.commands.settle());
        if self.is_under_way() {
            std::mem::forget(self.timed.take());
            return;
        }
        // SAFETY: nothing of it is under way; it is not used again.
        unsafe { ManuallyDrop::drop(&mut self.parts) };
    }
}

impl Timed {
    fn new(logical: &Arc<Logical>, parts: &Parts) -> Result<Timed> {
        let stamps = Stamps::new(logical, parts.steps.len() as u32 + 1)?;
        let mut commands = Commands::new(logical)?;
        commands.record(|writer| parts.write(writer, Some(&stamps)))?;
        Ok(Timed { commands, stamps })
    }
}

impl Staged {
    /// The memory that the host sees.
    fn host(&self) -> &Memory {
        self.staging.as_ref().unwrap_or(&self.port.memory)
    }
}

impl Parts {
    /// Inputs, all steps, outputs.
    fn write(&self, writer: &Writer<'_>, stamps: Option<&Stamps>) -> Result<()> {
        for Staged { port, staging } in &self.inputs {
            staging.iter().for_each(|from| writer.copy(from, &port.memory, port.floats));
        }
        if let Some(stamps) = stamps {
            stamps.begin(writer);
        }
        for (i, step) in (1..).zip(&self.steps) {
            writer.barrier();
            match step {
                Command::Dispatch(dispatch) => dispatch.write(writer),
                Command::Clear(memory) => writer.clear(memory),
            }
            if let Some(stamps) = stamps {
                stamps.stamp(writer, i);
            }
        }
        writer.barrier();
        for Staged { port, staging } in &self.outputs {
            staging.iter().for_each(|to| writer.copy(&port.memory, to, port.floats));
        }
        writer.show_host();
        Ok(())
    }
}

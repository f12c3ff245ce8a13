//! The recorded kernels of a partition.
//!
//! ```text
//! one submission:  inputs from staging memory, or values on the device     │ all steps, outputs to staging memory
//!                  recorded again when sources change                      │ recorded once
//! ```

use std::mem::ManuallyDrop;
use std::sync::Arc;
#[cfg(test)]
use std::time::Duration;

use arenite_abi::prelude::*;

use super::commands::{Commands, Writer};
use super::device::Device;
use super::dispatch::{Command, Sets};
use super::inputs::Inputs;
use super::memory::{StagedMemory, VulkanMemory};
use super::properties::MemoryUse;
use super::stamps::Stamps;
use super::timing::Trial;
use crate::device::{Dispatch, Plan};
use crate::store::tuner::Tuner;

/// A recording and its tuning.
pub struct Recording {
    /// Leaked if the device may still use it.
    parts: ManuallyDrop<CommandParts>,
    plain: Commands,
    /// Whether all sizes are known and `plain` has all steps.
    is_recorded: bool,
    timed: Option<TimedCommands>,
    trial: Option<Trial>,
    device: Arc<Device>,
}

/// The parts of the commands.
struct CommandParts {
    inputs: Inputs,
    steps: Vec<Command>,
    outputs: Vec<StagedMemory>,
    /// The descriptor sets of the steps.
    _sets: Sets,
}

/// Commands with timestamps before the first step and after each step.
struct TimedCommands {
    commands: Commands,
    stamps: Stamps,
}

impl Recording {
    /// Prepares a plan, except for sizes that must be tuned.
    ///
    /// # Errors
    /// A kernel cannot be compiled, or the device has too little memory.
    pub fn new(device: &Arc<Device>, tuner: &Tuner, plan: Plan<'_, VulkanMemory>) -> Result<Recording> {
        let Plan { inputs, steps, outputs } = plan;
        let step = |step| Command::new(device, tuner, step);
        let mut steps = steps.into_iter().map(step).collect::<Result<Vec<_>>>()?;
        let sets = Sets::bind(&device.logical, &mut steps)?;
        let staged = |port| StagedMemory::new(&device.blocks, MemoryUse::Down, port);
        let parts = CommandParts {
            inputs: Inputs::new(device, inputs)?,
            steps,
            outputs: outputs.into_iter().map(staged).collect::<Result<_>>()?,
            _sets: sets,
        };
        let mut recording = Recording {
            parts: ManuallyDrop::new(parts),
            plain: Commands::new(&device.logical)?,
            is_recorded: false,
            timed: None,
            trial: None,
            device: Arc::clone(device),
        };
        if !recording.parts.steps.iter().any(Command::is_untuned) {
            recording.record()?;
        }
        Ok(recording)
    }

    fn record(&mut self) -> Result<()> {
        let parts = &self.parts;
        self.plain.record(|writer| parts.write(writer, None))?;
        self.is_recorded = true;
        Ok(())
    }

    /// See [`crate::device::Queue::tune`].
    ///
    /// # Errors
    /// As for [`crate::device::Queue::tune`].
    pub fn tune(&mut self, tuner: &Tuner, stop: &dyn Fn() -> bool) -> Result<()> {
        if self.is_recorded {
            return Ok(());
        }
        let (device, trial) = (&self.device, &mut self.trial);
        for step in &mut self.parts.steps {
            let Command::Dispatch(dispatch) = step else { continue };
            let Some(untuned) = dispatch.untuned() else { continue };
            let group = tuner.time(&device.sizes, untuned, |sizes| {
                let trial = match trial {
                    Some(trial) => trial,
                    None => trial.insert(Trial::new(device)?),
                };
                // SAFETY: the steps are leaked if they may still run.
                unsafe { trial.best(device, dispatch, sizes, stop) }
            })?;
            dispatch.resize(device, tuner, group)?;
        }
        if let Some(trial) = &mut self.trial {
            trial.wait(stop)?;
        }
        self.trial = None;
        self.record()
    }

    /// See [`crate::device::Queue::write`].
    ///
    /// # Errors
    /// The floats do not fit.
    pub fn write(&mut self, port: usize, floats: &[f32]) -> Result<()> {
        self.parts.inputs.write(port, floats)
    }

    /// See [`crate::device::Queue::copy`].
    ///
    /// # Errors
    /// The sizes differ.
    pub fn copy(&mut self, port: usize, from: &Arc<VulkanMemory>) -> Result<()> {
        self.parts.inputs.copy(port, from)
    }

    /// The memory of an input, which the caller fills before the next run.
    pub(super) fn fill(&mut self, port: usize) -> &Arc<VulkanMemory> {
        self.parts.inputs.fill(port)
    }

    /// See [`crate::device::Queue::read`]. Outputs that may stay on the device are copied to staging memory here.
    ///
    /// # Errors
    /// The device was lost, or there are fewer floats.
    pub fn read(&mut self, port: usize, floats: &mut [f32]) -> Result<()> {
        let StagedMemory { port, staging } = &self.parts.outputs[port];
        match staging {
            Some(staging) if port.stays => self.device.copy(&port.memory, staging, port.floats)?,
            _ => {}
        }
        staging.as_deref().unwrap_or(&port.memory).read(floats)
    }

    /// Submits all steps.
    ///
    /// # Errors
    /// The device was lost.
    pub fn start(&mut self) -> Result<()> {
        ensure!(self.is_recorded, "kernels run before they are tuned");
        self.expect_ended()?;
        let before = self.parts.inputs.record()?;
        // SAFETY: both buffers were recorded. They use the parts, which are leaked if the commands do not complete.
        unsafe { self.plain.start(before) }
    }

    /// See [`crate::device::Queue::wait`].
    ///
    /// # Errors
    /// As for [`crate::device::Queue::wait`].
    pub fn wait(&mut self, stop: &dyn Fn() -> bool) -> Result<()> {
        self.plain.wait(stop)?;
        self.timed.as_mut().map_or(Ok(()), |timed| timed.commands.wait(stop))
    }

    /// See [`crate::device::Queue::run_timed`].
    ///
    /// # Errors
    /// As for [`crate::device::Queue::run_timed`].
    pub fn run_timed(&mut self, stop: &dyn Fn() -> bool, time: &mut dyn FnMut(usize, u64)) -> Result<()> {
        ensure!(self.is_recorded, "kernels run before they are tuned");
        self.expect_ended()?;
        let timed = match self.timed.take() {
            Some(timed) => timed,
            None => TimedCommands::new(&self.device, &self.parts)?,
        };
        let timed = self.timed.insert(timed);
        let before = self.parts.inputs.record()?;
        // SAFETY: as in `run`; the timestamps are dropped after the commands, which are leaked if they do not complete.
        unsafe { timed.commands.start(before) }?;
        timed.commands.wait(stop)?;
        let times = self.device.nanoseconds(&timed.stamps.read()?)?;
        times.into_iter().enumerate().for_each(|(i, nanoseconds)| time(i, nanoseconds));
        Ok(())
    }

    /// As [`wait`](Self::wait), with a time limit.
    #[cfg(test)]
    pub(super) fn wait_for(&mut self, timeout: Duration) -> Result<()> {
        self.plain.wait_for(timeout, &|| false)
    }

    /// See [`crate::device::Queue::dispatches`].
    pub fn dispatches(&self) -> Vec<Dispatch> {
        let described = |step: &Command| match step {
            Command::Dispatch(dispatch) => dispatch.described(),
            Command::Clear(_) => None,
        };
        self.parts.steps.iter().filter_map(described).collect()
    }

    fn expect_ended(&self) -> Result<()> {
        self.plain.expect_ended()?;
        self.timed.as_ref().map_or(Ok(()), |timed| timed.commands.expect_ended())
    }

    fn is_under_way(&self) -> bool {
        self.plain.is_under_way()
            || self.timed.as_ref().is_some_and(|timed| timed.commands.is_under_way())
            || self.trial.as_ref().is_some_and(Trial::is_under_way)
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        self.plain.settle();
        self.timed.iter_mut().for_each(|timed| timed.commands.settle());
        self.trial.iter_mut().for_each(Trial::settle);
        if self.is_under_way() {
            std::mem::forget((self.timed.take(), self.trial.take()));
            return;
        }
        // SAFETY: no commands run, and the value is not used again.
        unsafe { ManuallyDrop::drop(&mut self.parts) };
    }
}

impl TimedCommands {
    fn new(device: &Device, parts: &CommandParts) -> Result<TimedCommands> {
        let stamps = Stamps::new(&device.logical, parts.steps.len() as u32 + 1)?;
        let mut commands = Commands::new(&device.logical)?;
        commands.record(|writer| parts.write(writer, Some(&stamps)))?;
        Ok(TimedCommands { commands, stamps })
    }
}

impl CommandParts {
    /// Writes all steps, and the copies of outputs that do not stay on the device.
    fn write(&self, writer: &Writer<'_>, stamps: Option<&Stamps>) -> Result<()> {
        if let Some(stamps) = stamps {
            stamps.begin(writer);
        }
        for (i, step) in (1..).zip(&self.steps) {
            writer.barrier();
            match step {
                Command::Dispatch(dispatch) => dispatch.write(writer)?,
                Command::Clear(memory) => writer.clear(memory),
            }
            if let Some(stamps) = stamps {
                stamps.stamp(writer, i);
            }
        }
        writer.barrier();
        for StagedMemory { port, staging } in self.outputs.iter().filter(|output| !output.port.stays) {
            staging.iter().for_each(|to| writer.copy(&port.memory, to, port.floats));
        }
        writer.show_host();
        Ok(())
    }
}

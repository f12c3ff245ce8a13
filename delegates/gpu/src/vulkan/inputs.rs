//! The inputs of a partition: written by the host, or copied on the device.

use std::sync::Arc;

use arenite_abi::prelude::*;

use super::commands::{Commands, Writer};
use super::device::Device;
use super::logical::Logical;
use super::memory::{StagedMemory, VulkanMemory};
use super::properties::MemoryUse;
use crate::device::{Memory as _, Port};

/// Inputs and the copies into them that run before the steps.
pub(super) struct Inputs {
    inputs: Vec<StagedMemory>,
    /// The sources of the next run.
    sources: Vec<Source>,
    /// Recorded copies, and the sources that they were recorded for.
    copies: Option<(Commands, Vec<Source>)>,
    logical: Arc<Logical>,
}

/// The source of an input.
#[derive(Clone)]
enum Source {
    /// The host, which writes to staging memory if the input has some.
    Host,
    /// Another memory on the device.
    Device(Arc<VulkanMemory>),
    /// The input's memory, which was filled before the run.
    Filled,
}

impl Source {
    fn is_same(&self, other: &Source) -> bool {
        match (self, other) {
            (Source::Host, Source::Host) | (Source::Filled, Source::Filled) => true,
            (Source::Device(a), Source::Device(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl Inputs {
    /// Inputs that the host writes.
    pub(super) fn new(device: &Device, ports: Vec<Port<VulkanMemory>>) -> Result<Inputs> {
        let sources = vec![Source::Host; ports.len()];
        let staged = |port| StagedMemory::new(&device.blocks, MemoryUse::Up, port);
        let inputs = ports.into_iter().map(staged).collect::<Result<_>>()?;
        Ok(Inputs { inputs, sources, copies: None, logical: Arc::clone(&device.logical) })
    }

    /// Takes the input from the host.
    pub(super) fn write(&mut self, port: usize, floats: &[f32]) -> Result<()> {
        self.sources[port] = Source::Host;
        let StagedMemory { port, staging } = &self.inputs[port];
        staging.as_deref().unwrap_or(&port.memory).write(floats)
    }

    /// Takes the input from the start of another memory.
    pub(super) fn copy(&mut self, port: usize, from: &Arc<VulkanMemory>) -> Result<()> {
        let Port { memory, floats, .. } = &self.inputs[port].port;
        ensure!(
            *floats <= from.len() && *floats <= memory.len(),
            "{floats} floats are not in {}",
            from.len()
        );
        self.sources[port] = Source::Device(Arc::clone(from));
        Ok(())
    }

    /// Leaves the input to the caller, who fills its memory before the run.
    pub(super) fn fill(&mut self, port: usize) -> &Arc<VulkanMemory> {
        self.sources[port] = Source::Filled;
        &self.inputs[port].port.memory
    }

    /// Sources and targets of the copies.
    fn wanted(&self) -> impl Iterator<Item = (&VulkanMemory, &Port<VulkanMemory>)> {
        self.inputs.iter().zip(&self.sources).filter_map(|(StagedMemory { port, staging }, source)| {
            match source {
                Source::Host => staging.as_deref().map(|staging| (staging, port)),
                Source::Filled => None,
                Source::Device(from) => (!Arc::ptr_eq(from, &port.memory)).then_some((&**from, port)),
            }
        })
    }

    /// The commands that copy inputs, if there are any. Commands of earlier runs must have completed.
    pub(super) fn record(&mut self) -> Result<Option<&Commands>> {
        if self.wanted().next().is_none() {
            return Ok(None);
        }
        let same = |known: &[Source]| known.iter().zip(&self.sources).all(|(a, b)| a.is_same(b));
        if !self.copies.as_ref().is_some_and(|(_, known)| same(known)) {
            let mut commands = match self.copies.take() {
                Some((commands, _)) => commands,
                None => Commands::new(&self.logical)?,
            };
            commands.record(|writer| self.write_copies(writer))?;
            self.copies = Some((commands, self.sources.clone()));
        }
        Ok(self.copies.as_ref().map(|(commands, _)| commands))
    }

    fn write_copies(&self, writer: &Writer<'_>) -> Result<()> {
        writer.barrier();
        self.wanted().for_each(|(from, port)| writer.copy(from, &port.memory, port.floats));
        Ok(())
    }
}

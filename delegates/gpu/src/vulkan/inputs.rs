//! Where a partition's inputs come from: the host writes them, or others left them on the device.

use std::sync::Arc;

use arenite_abi::prelude::*;

use super::about::Use;
use super::commands::{Commands, Writer};
use super::device::Device;
use super::logical::Logical;
use super::memory::{Memory, Staged};
use crate::device::{Memory as _, Port};

/// Inputs, with what is copied into them in front of the steps.
pub struct Inputs {
    inputs: Vec<Staged>,
    /// For the next run.
    sources: Vec<Source>,
    /// Copies from sources as they were then.
    copies: Option<(Commands, Vec<Source>)>,
    logical: Arc<Logical>,
}

/// Where an input comes from.
#[derive(Clone)]
enum Source {
    /// The host wrote it, into staging memory if it has some.
    Host,
    /// Other memory of the device.
    Kept(Arc<Memory>),
}

impl Source {
    fn is(&self, other: &Source) -> bool {
        match (self, other) {
            (Source::Host, Source::Host) => true,
            (Source::Kept(a), Source::Kept(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl Inputs {
    /// That the host writes.
    pub fn new(device: &Device, ports: Vec<Port<Memory>>) -> Result<Inputs> {
        let sources = vec![Source::Host; ports.len()];
        let staged = |port| Staged::new(&device.blocks, Use::Up, port);
        let inputs = ports.into_iter().map(staged).collect::<Result<_>>()?;
        Ok(Inputs { inputs, sources, copies: None, logical: Arc::clone(&device.logical) })
    }

    /// From the host.
    pub fn write(&mut self, port: usize, floats: &[f32]) -> Result<()> {
        self.sources[port] = Source::Host;
        let Staged { port, staging } = &self.inputs[port];
        staging.as_deref().unwrap_or(&port.memory).write(floats)
    }

    /// From the beginning of other memory.
    pub fn copy(&mut self, port: usize, from: &Arc<Memory>) -> Result<()> {
        let Port { memory, floats, .. } = &self.inputs[port].port;
        ensure!(
            *floats <= from.len() && *floats <= memory.len(),
            "{floats} floats are not in {}",
            from.len()
        );
        self.sources[port] = Source::Kept(Arc::clone(from));
        Ok(())
    }

    /// What is copied: from where, and into which input.
    fn wanted(&self) -> impl Iterator<Item = (&Memory, &Port<Memory>)> {
        self.inputs.iter().zip(&self.sources).filter_map(|(Staged { port, staging }, source)| match source {
            Source::Host => staging.as_deref().map(|staging| (staging, port)),
            Source::Kept(from) => (!Arc::ptr_eq(from, &port.memory)).then_some((&**from, port)),
        })
    }

    /// Commands that copy what is to be copied, if anything is. None of an earlier run are under way.
    pub fn record(&mut self) -> Result<Option<&Commands>> {
        if self.wanted().next().is_none() {
            return Ok(None);
        }
        let same = |known: &[Source]| known.iter().zip(&self.sources).all(|(a, b)| a.is(b));
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

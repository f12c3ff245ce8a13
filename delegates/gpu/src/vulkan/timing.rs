//! Times a kernel with several work-groups by timestamps.

use arenite_abi::prelude::*;
use ash::vk;

use super::commands::Commands;
use super::device::Device;
use super::dispatch::Dispatch;
use super::pipeline::Pipeline;
use super::stamps::Stamps;
use crate::device::late;
use crate::work_groups::Extent;
use crate::work_groups::best::{Procedure, fastest, warm};

/// The commands of a trial, and the objects that they use while they may run.
pub(super) struct Trial {
    commands: Commands,
    stamps: Stamps,
    pipeline: Option<Pipeline>,
}

impl Trial {
    /// Prepares trials on a device with timestamps.
    pub(super) fn new(device: &Device) -> Result<Trial> {
        let samples = Procedure::on(&device.about.limits).samples as u32;
        let stamps = Stamps::new(&device.logical, samples + 1)?;
        Ok(Trial { commands: Commands::new(&device.logical)?, stamps, pipeline: None })
    }

    /// Whether a trial may still run, so that its objects must not be freed.
    pub(super) fn is_under_way(&self) -> bool {
        self.commands.is_under_way()
    }

    /// As [`Commands::wait`].
    pub(super) fn wait(&mut self, stop: &dyn Fn() -> bool) -> Result<()> {
        self.commands.wait(stop)
    }

    /// As [`Commands::settle`].
    pub(super) fn settle(&mut self) {
        self.commands.settle();
    }

    /// The fastest work-group. The kernel's results must be rewritten before they are read.
    ///
    /// # Safety
    /// The dispatch and its memory must live until no trial [is running](Self::is_under_way), or be leaked.
    pub(super) unsafe fn best(
        &mut self,
        device: &Device,
        dispatch: &Dispatch,
        sizes: &[Extent],
        stop: &dyn Fn() -> bool,
    ) -> Result<Extent> {
        let mut samples = Vec::with_capacity(sizes.len());
        for &size in sizes {
            // SAFETY: the caller keeps the dispatch alive as `times` requires.
            let times = unsafe { self.times(device, dispatch, size, stop) }?;
            samples.push(warm(&times).to_vec());
        }
        // Without a credible time, the first size is used.
        Ok(sizes[fastest(&device.about.limits, &samples).unwrap_or(0)])
    }

    /// Nanoseconds of each dispatch with this work-group; empty if the driver rejects it.
    ///
    /// # Safety
    /// See [`best`](Self::best).
    unsafe fn times(
        &mut self,
        device: &Device,
        dispatch: &Dispatch,
        size: Extent,
        stop: &dyn Fn() -> bool,
    ) -> Result<Vec<u64>> {
        self.wait(stop)?;
        if stop() {
            return Err(late());
        }
        let Some(groups) = device.groups(dispatch.grid, size) else { return Ok(Vec::new()) };
        let (variant, cache) = (&dispatch.variant, vk::PipelineCache::null());
        let pipeline = match Pipeline::new(&variant.layouts, cache, &variant.constants, size) {
            Err(error) if device.logical.is_lost() => return Err(error),
            Err(_) => return Ok(Vec::new()),
            Ok(pipeline) => self.pipeline.insert(pipeline),
        };
        let stamps = &self.stamps;
        self.commands.record(|writer| {
            stamps.begin(writer);
            for sample in 1..stamps.count() {
                writer.barrier();
                dispatch.write_with(writer, pipeline, groups);
                stamps.stamp(writer, sample);
            }
            Ok(())
        })?;
        // SAFETY: the commands were recorded above. `self` keeps the pipeline and timestamps alive, the caller keeps
        // the dispatch alive.
        unsafe { self.commands.start(None) }?;
        self.commands.wait(stop)?;
        device.nanoseconds(&self.stamps.read()?)
    }
}

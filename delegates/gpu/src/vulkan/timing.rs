//! Times of a kernel in work-groups of several sizes, by the device's timestamps.

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

/// What a size is tried with, for as long as it may be under way.
pub struct Trial {
    commands: Commands,
    stamps: Stamps,
    pipeline: Option<Pipeline>,
}

impl Trial {
    /// On a device that tells times.
    pub fn new(device: &Device) -> Result<Trial> {
        let samples = Procedure::on(&device.about.limits).samples as u32;
        let stamps = Stamps::new(&device.logical, samples + 1)?;
        Ok(Trial { commands: Commands::new(&device.logical)?, stamps, pipeline: None })
    }

    /// Whether a size is being tried, and what it uses must not be freed.
    pub fn is_under_way(&self) -> bool {
        self.commands.is_under_way()
    }

    /// As [`Commands::wait`].
    pub fn wait(&mut self, stop: &dyn Fn() -> bool) -> Result<()> {
        self.commands.wait(stop)
    }

    /// As [`Commands::settle`].
    pub fn settle(&mut self) {
        self.commands.settle();
    }

    /// The size with the shortest time, unless `stop` says that there is none for it. What the kernel writes is written again before it is
    /// read.
    ///
    /// # Safety
    /// The dispatch, with all that it uses, lives until nothing [is under way](Self::is_under_way), or for ever.
    pub unsafe fn best(
        &mut self,
        device: &Device,
        dispatch: &Dispatch,
        sizes: &[Extent],
        stop: &dyn Fn() -> bool,
    ) -> Result<Extent> {
        let mut samples = Vec::with_capacity(sizes.len());
        for &size in sizes {
            // SAFETY: this function requires of the dispatch what `times` does.
            let times = unsafe { self.times(device, dispatch, size, stop) }?;
            samples.push(warm(&times).to_vec());
        }
        // Without a time to be believed the first one is as good as any.
        Ok(sizes[fastest(&device.about.limits, &samples).unwrap_or(0)])
    }

    /// Nanoseconds of each dispatch in work-groups of this size; none if the driver refuses it.
    ///
    /// # Safety
    /// As for [`best`](Self::best).
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
        // SAFETY: it was recorded. Pipeline and timestamps are kept here, what the dispatch uses by the caller.
        unsafe { self.commands.start(None) }?;
        self.commands.wait(stop)?;
        device.nanoseconds(&self.stamps.read()?)
    }
}

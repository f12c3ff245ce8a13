//! Timestamps.

use std::sync::Arc;

use arenite_abi::prelude::*;
use ash::vk;

use super::commands::Writer;
use super::logical::Logical;

/// A pool of timestamps.
pub(super) struct Stamps {
    logical: Arc<Logical>,
    pool: vk::QueryPool,
    count: u32,
}

impl Stamps {
    /// Creates a pool of `count` timestamps.
    pub(super) fn new(logical: &Arc<Logical>, count: u32) -> Result<Stamps> {
        let info = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(count);
        // SAFETY: the device lives; `info` lives until the call returns.
        let pool = unsafe { logical.raw.create_query_pool(&info, None) };
        let pool = pool.map_err(|error| logical.failed("no timestamps of the device", error))?;
        Ok(Stamps { logical: Arc::clone(logical), pool, count })
    }

    /// The number of timestamps.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// Resets all timestamps and writes the first.
    pub(super) fn begin(&self, writer: &Writer<'_>) {
        // SAFETY: the buffer is being recorded; the pool has `count` timestamps.
        unsafe { writer.raw().cmd_reset_query_pool(writer.buffer, self.pool, 0, self.count) };
        self.stamp(writer, 0);
    }

    /// Writes timestamp `i` after all earlier commands complete.
    pub(super) fn stamp(&self, writer: &Writer<'_>, number: u32) {
        let when = vk::PipelineStageFlags::BOTTOM_OF_PIPE;
        // SAFETY: the buffer is being recorded; its queue family supports timestamps, and this timestamp is in the pool
        // and was reset.
        unsafe { writer.raw().cmd_write_timestamp(writer.buffer, when, self.pool, number) };
    }

    /// Reads all timestamps of completed commands.
    pub(super) fn read(&self) -> Result<Vec<u64>> {
        let mut stamps = vec![0; self.count as usize];
        // SAFETY: the pool has `count` timestamps of 64 bits each.
        let read = unsafe {
            self.logical.raw.get_query_pool_results(self.pool, 0, &mut stamps, vk::QueryResultFlags::TYPE_64)
        };
        read.map_err(|error| self.logical.failed("no timestamps of kernels", error))?;
        Ok(stamps)
    }
}

impl Drop for Stamps {
    fn drop(&mut self) {
        // SAFETY: no running commands write to the pool: it is leaked together with commands that may still run.
        unsafe { self.logical.raw.destroy_query_pool(self.pool, None) };
    }
}

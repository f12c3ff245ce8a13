//! Times that the device tells.

use std::sync::Arc;

use arenite_abi::prelude::*;
use ash::vk;

use super::commands::Writer;
use super::logical::Logical;

/// Places for timestamps.
pub struct Stamps {
    logical: Arc<Logical>,
    pool: vk::QueryPool,
    count: u32,
}

impl Stamps {
    /// So many.
    pub fn new(logical: &Arc<Logical>, count: u32) -> Result<Stamps> {
        let info = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(count);
        // SAFETY: the device lives; `info` lives until the call returns.
        let pool = unsafe { logical.raw.create_query_pool(&info, None) };
        let pool = pool.map_err(|error| logical.failed("no timestamps of the device", error))?;
        Ok(Stamps { logical: Arc::clone(logical), pool, count })
    }

    /// How many.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Forgets all, and writes the first.
    pub fn begin(&self, writer: &Writer<'_>) {
        // SAFETY: the buffer is being recorded; the pool has so many.
        unsafe { writer.raw().cmd_reset_query_pool(writer.buffer, self.pool, 0, self.count) };
        self.stamp(writer, 0);
    }

    /// Writes one, below `count`, when all is done that came before.
    pub fn stamp(&self, writer: &Writer<'_>, number: u32) {
        let when = vk::PipelineStageFlags::BOTTOM_OF_PIPE;
        // SAFETY: the buffer is being recorded; the family of its queue has timestamps, and the pool this one, which was reset.
        unsafe { writer.raw().cmd_write_timestamp(writer.buffer, when, self.pool, number) };
    }

    /// All of them, of commands that are done.
    pub fn read(&self) -> Result<Vec<u64>> {
        let mut stamps = vec![0; self.count as usize];
        // SAFETY: the pool has so many, of 64 bits each.
        let read = unsafe {
            self.logical.raw.get_query_pool_results(self.pool, 0, &mut stamps, vk::QueryResultFlags::TYPE_64)
        };
        read.map_err(|error| self.logical.failed("no timestamps of kernels", error))?;
        Ok(stamps)
    }
}

impl Drop for Stamps {
    fn drop(&mut self) {
        // SAFETY: commands that write them are not under way, or this is not dropped.
        unsafe { self.logical.raw.destroy_query_pool(self.pool, None) };
    }
}

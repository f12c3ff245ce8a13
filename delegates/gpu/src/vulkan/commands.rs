//! Commands that are recorded once, and submitted one by one.

use std::sync::Arc;
use std::time::Duration;

use arenite_abi::prelude::*;
use ash::vk;
use ash::vk::{AccessFlags as Access, PipelineStageFlags as Stage};

use super::logical::{Logical, Waited};
use super::memory::Memory;

/// How long what took too long is waited for before it is left alone for ever.
const GRACE: Duration = Duration::from_secs(10);

/// A command buffer with a pool of its own, and the fence that tells when it is done.
pub struct Commands {
    logical: Arc<Logical>,
    pool: vk::CommandPool,
    buffer: vk::CommandBuffer,
    fence: vk::Fence,
    /// It was submitted, and is not known to have ended.
    under_way: bool,
}

/// What is written into a command buffer.
pub struct Writer<'c> {
    logical: &'c Logical,
    pub(super) buffer: vk::CommandBuffer,
}

impl Commands {
    /// Nothing yet.
    pub fn new(logical: &Arc<Logical>) -> Result<Commands> {
        let mut commands = Commands {
            logical: Arc::clone(logical),
            pool: vk::CommandPool::null(),
            buffer: vk::CommandBuffer::null(),
            fence: vk::Fence::null(),
            under_way: false,
        };
        let failed = |error| logical.failed("no commands of the device", error);
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(logical.family);
        // SAFETY: the family is that of the device's queue; each info lives until its call returns, and what it names is the device's.
        unsafe {
            commands.pool = logical.raw.create_command_pool(&info, None).map_err(failed)?;
            let info =
                vk::CommandBufferAllocateInfo::default().command_pool(commands.pool).command_buffer_count(1);
            commands.buffer = logical.raw.allocate_command_buffers(&info).map_err(failed)?[0];
            commands.fence =
                logical.raw.create_fence(&vk::FenceCreateInfo::default(), None).map_err(failed)?;
        }
        Ok(commands)
    }

    /// Records what `write` writes, in the place of what was there.
    pub fn record(&mut self, write: impl FnOnce(&Writer<'_>) -> Result<()>) -> Result<()> {
        self.expect_ended()?;
        let raw = &self.logical.raw;
        let failed = |error| self.logical.failed("commands are not recorded", error);
        let (reset, begin) = (vk::CommandPoolResetFlags::empty(), vk::CommandBufferBeginInfo::default());
        // SAFETY: nothing of the pool is under way, and it is used here alone: `self` is borrowed for it.
        unsafe {
            raw.reset_command_pool(self.pool, reset).map_err(failed)?;
            raw.begin_command_buffer(self.buffer, &begin).map_err(failed)?;
        }
        write(&Writer { logical: &self.logical, buffer: self.buffer })?;
        // SAFETY: it was begun.
        unsafe { raw.end_command_buffer(self.buffer) }.map_err(failed)
    }

    /// Runs what was recorded. An error if it does not end in time: then the device is given up.
    ///
    /// # Safety
    /// Something was recorded. What it uses lives until this is dropped, or for ever if it [does not end](Self::is_under_way).
    pub unsafe fn run(&mut self, timeout: Duration) -> Result<()> {
        self.expect_ended()?;
        // SAFETY: recorded, as promised, and not under way; so is the fence, which was reset when it came.
        unsafe { self.logical.submit(self.buffer, self.fence) }?;
        self.under_way = true;
        // SAFETY: the fence is used here alone.
        match unsafe { self.logical.wait(self.fence, timeout) } {
            Ok(Waited::Done) => self.under_way = false,
            Ok(Waited::Late) => {
                self.logical.lose();
                return Err(unavailable!(
                    "kernels do not end: they ran for {timeout:?}, and the device is given up"
                ));
            }
            Err(error) => {
                // Of a device that was lost nothing is under way; of another one nothing is known.
                self.under_way = !self.logical.is_lost();
                return Err(error);
            }
        }
        Ok(())
    }

    /// Waits once more for what took too long.
    pub fn settle(&mut self) {
        if self.under_way {
            // SAFETY: the fence is used here alone.
            let waited = unsafe { self.logical.wait(self.fence, GRACE) };
            self.under_way = !matches!(waited, Ok(Waited::Done));
        }
    }

    /// Whether it was submitted and did not end. What it uses must then never be freed.
    pub fn is_under_way(&self) -> bool {
        self.under_way
    }

    fn expect_ended(&self) -> Result<()> {
        match self.under_way {
            true => Err(unavailable!("kernels of an earlier invocation did not end")),
            false => Ok(()),
        }
    }
}

impl Drop for Commands {
    fn drop(&mut self) {
        if self.under_way {
            // Never freed, and neither is the device.
            std::mem::forget(Arc::clone(&self.logical));
            return;
        }
        // SAFETY: nothing is under way. Null handles are ignored.
        unsafe {
            self.logical.raw.destroy_fence(self.fence, None);
            self.logical.raw.destroy_command_pool(self.pool, None);
        }
    }
}

impl Writer<'_> {
    /// The device's functions.
    pub(super) fn raw(&self) -> &ash::Device {
        &self.logical.raw
    }

    /// What follows sees what kernels and copies wrote before.
    pub fn barrier(&self) {
        let written = Access::SHADER_WRITE | Access::TRANSFER_WRITE;
        let used = written | Access::SHADER_READ | Access::TRANSFER_READ;
        self.dependency(written, Stage::COMPUTE_SHADER | Stage::TRANSFER, used);
    }

    /// The host sees, after the fence, what was written before.
    pub fn show_host(&self) {
        let written = Access::SHADER_WRITE | Access::TRANSFER_WRITE;
        self.dependency(written, Stage::HOST, Access::HOST_READ);
    }

    fn dependency(&self, written: Access, stage: Stage, used: Access) {
        let barriers = [vk::MemoryBarrier::default().src_access_mask(written).dst_access_mask(used)];
        let (before, flags) = (Stage::COMPUTE_SHADER | Stage::TRANSFER, vk::DependencyFlags::empty());
        // SAFETY: the buffer is being recorded.
        unsafe { self.raw().cmd_pipeline_barrier(self.buffer, before, stage, flags, &barriers, &[], &[]) };
    }

    /// Copies floats from the beginning of one to that of the other.
    pub fn copy(&self, from: &Memory, to: &Memory, floats: usize) {
        let (from, from_at, from_bytes) = from.range();
        let (to, to_at, to_bytes) = to.range();
        let bytes = (floats as u64 * 4).min(from_bytes).min(to_bytes);
        if bytes > 0 {
            let regions = [vk::BufferCopy { src_offset: from_at, dst_offset: to_at, size: bytes }];
            // SAFETY: the buffer is being recorded; the ranges are inside, and of two memories.
            unsafe { self.raw().cmd_copy_buffer(self.buffer, from, to, &regions) };
        }
    }

    /// Makes it zeros.
    pub fn clear(&self, memory: &Memory) {
        let (buffer, at, bytes) = memory.range();
        // SAFETY: the buffer is being recorded; the range is inside, and made of whole words.
        unsafe { self.raw().cmd_fill_buffer(self.buffer, buffer, at, bytes, 0) };
    }
}

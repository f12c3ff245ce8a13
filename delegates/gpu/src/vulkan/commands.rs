//! Commands that are recorded once, and submitted one by one.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arenite_abi::prelude::*;
use ash::vk;
use ash::vk::{AccessFlags as Access, PipelineStageFlags as Stage};

use super::logical::{Logical, Waited};
use super::memory::Memory;
use crate::device::late;

/// How long what took too long is waited for before it is left alone for ever.
const GRACE: Duration = Duration::from_secs(10);
/// How long what was submitted may take: a kernel that takes longer does not end.
const TIMEOUT: Duration = Duration::from_secs(120);
/// How long is waited between two looks at whether to stop.
const SLICE: Duration = Duration::from_millis(1);

/// A command buffer with a pool of its own, and the fence that tells when it is done.
pub struct Commands {
    logical: Arc<Logical>,
    pool: vk::CommandPool,
    buffer: vk::CommandBuffer,
    fence: vk::Fence,
    /// Since when it runs, if it is not known to have ended.
    under_way: Option<Instant>,
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
            under_way: None,
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

    /// Starts what was recorded, behind what `before` has recorded.
    ///
    /// # Safety
    /// Something was recorded in both. What they use lives until this [ended](Self::wait), or for ever if that is not known; until then
    /// nobody records `before` anew or drops it.
    pub unsafe fn start(&mut self, before: Option<&Commands>) -> Result<()> {
        self.expect_ended()?;
        let buffers: Vec<_> = before.into_iter().map(|before| before.buffer).chain([self.buffer]).collect();
        // SAFETY: recorded, as promised, and not under way; so is the fence, which was reset when it came.
        unsafe { self.logical.submit(&buffers, self.fence) }?;
        self.under_way = Some(Instant::now());
        Ok(())
    }

    /// Waits for the end of what was started, if anything was, until `stop` says so.
    ///
    /// # Errors
    /// `Cancelled` if it does. If it lasts longer than anything may, the device is given up.
    pub fn wait(&mut self, stop: &dyn Fn() -> bool) -> Result<()> {
        self.wait_for(TIMEOUT, stop)
    }

    /// As [`wait`](Self::wait), where it may last so long.
    pub(super) fn wait_for(&mut self, timeout: Duration, stop: &dyn Fn() -> bool) -> Result<()> {
        while let Some(start) = self.under_way {
            // SAFETY: the fence is used here alone.
            match unsafe { self.logical.wait(self.fence, SLICE.min(timeout)) } {
                Ok(Waited::Done) => self.under_way = None,
                Ok(Waited::Late) if stop() => return Err(late()),
                Ok(Waited::Late) if start.elapsed() < timeout => {}
                Ok(Waited::Late) => {
                    self.logical.lose();
                    return Err(unavailable!(
                        "kernels do not end: they ran for {timeout:?}, and the device is given up"
                    ));
                }
                Err(error) => {
                    // Of a device that was lost nothing is under way; of another one nothing is known.
                    if self.logical.is_lost() {
                        self.under_way = None;
                    }
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Starts what was recorded, and waits for its end.
    ///
    /// # Safety
    /// As for [`start`](Self::start).
    pub unsafe fn run(&mut self) -> Result<()> {
        // SAFETY: this function requires what `start` does.
        unsafe { self.start(None) }?;
        self.wait(&|| false)
    }

    /// Waits once more for what may be under way. A device that does not end even so is given up.
    pub fn settle(&mut self) {
        if self.under_way.is_some() {
            // SAFETY: the fence is used here alone.
            match unsafe { self.logical.wait(self.fence, GRACE) } {
                Ok(Waited::Done) => self.under_way = None,
                Ok(Waited::Late) | Err(_) => self.logical.lose(),
            }
        }
    }

    /// Whether it was started and did not end. What it uses must then never be freed.
    pub fn is_under_way(&self) -> bool {
        self.under_way.is_some()
    }

    /// An error if it is under way.
    pub fn expect_ended(&self) -> Result<()> {
        match self.under_way {
            Some(_) => Err(unavailable!("kernels of an earlier invocation did not end")),
            None => Ok(()),
        }
    }
}

impl Drop for Commands {
    fn drop(&mut self) {
        if self.is_under_way() {
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

//! Command buffers that are recorded once and submitted one at a time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arenite_abi::prelude::*;
use ash::vk;
use ash::vk::{AccessFlags as Access, PipelineStageFlags as Stage};

use super::logical::{Logical, WaitResult};
use super::memory::VulkanMemory;
use crate::device::late;

/// How long to wait for commands that timed out before they are leaked.
const GRACE: Duration = Duration::from_secs(10);
/// The time limit of a submission: a kernel that runs longer is considered hung.
const TIMEOUT: Duration = Duration::from_secs(120);
/// The interval at which a wait polls whether to stop.
const SLICE: Duration = Duration::from_millis(1);

/// The most regions of a copy command.
const REGIONS: usize = 1 << 14;

/// A command buffer with its pool, and the fence that is signalled when it completes.
pub(super) struct Commands {
    logical: Arc<Logical>,
    pool: vk::CommandPool,
    buffer: vk::CommandBuffer,
    fence: vk::Fence,
    /// When it was started, unless it is known to have completed.
    under_way: Option<Instant>,
}

/// Rows that are copied from one buffer to another: each with its offset in bytes, and the distances of rows in both.
pub(super) struct RowCopy {
    pub(super) from: (vk::Buffer, u64),
    pub(super) to: (vk::Buffer, u64),
    pub(super) rows: u64,
    /// Bytes of a row.
    pub(super) bytes: u64,
    pub(super) pitches: [u64; 2],
}

/// Writes commands into a command buffer.
pub(super) struct Writer<'c> {
    logical: &'c Logical,
    pub(super) buffer: vk::CommandBuffer,
}

impl Commands {
    /// An empty command buffer.
    pub(super) fn new(logical: &Arc<Logical>) -> Result<Commands> {
        let mut commands = Commands {
            logical: Arc::clone(logical),
            pool: vk::CommandPool::null(),
            buffer: vk::CommandBuffer::null(),
            fence: vk::Fence::null(),
            under_way: None,
        };
        let failed = |error| logical.failed("no commands of the device", error);
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(logical.family);
        // SAFETY: the family is the queue family of the device; each info lives until its call returns and names
        // objects of the device.
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

    /// Replaces the recorded commands by the commands of `write`.
    pub(super) fn record(&mut self, write: impl FnOnce(&Writer<'_>) -> Result<()>) -> Result<()> {
        self.expect_ended()?;
        let raw = &self.logical.raw;
        let failed = |error| self.logical.failed("commands are not recorded", error);
        let (reset, begin) = (vk::CommandPoolResetFlags::empty(), vk::CommandBufferBeginInfo::default());
        // SAFETY: no command of the pool is running, and no other thread uses the pool: `self` is borrowed mutably.
        unsafe {
            raw.reset_command_pool(self.pool, reset).map_err(failed)?;
            raw.begin_command_buffer(self.buffer, &begin).map_err(failed)?;
        }
        write(&Writer { logical: &self.logical, buffer: self.buffer })?;
        // SAFETY: the buffer was begun above.
        unsafe { raw.end_command_buffer(self.buffer) }.map_err(failed)
    }

    /// Submits the commands of `before`, if given, and then its own.
    ///
    /// # Safety
    /// Both must have been recorded. The memory and pipelines that they use must live until [`wait`](Self::wait)
    /// reports completion, or forever if it does not; until then, `before` must not be recorded again or dropped.
    pub(super) unsafe fn start(&mut self, before: Option<&Commands>) -> Result<()> {
        self.expect_ended()?;
        let buffers: Vec<_> = before.into_iter().map(|before| before.buffer).chain([self.buffer]).collect();
        // SAFETY: the caller recorded both buffers, and neither is running; the fence was reset when it was last
        // signalled.
        unsafe { self.logical.submit(&buffers, self.fence) }?;
        self.under_way = Some(Instant::now());
        Ok(())
    }

    /// Waits until the started commands complete, if there are any, or `stop` returns true.
    ///
    /// # Errors
    /// `Cancelled` if `stop` returned true. After the time limit, the device is abandoned and the error is
    /// `Unavailable`.
    pub(super) fn wait(&mut self, stop: &dyn Fn() -> bool) -> Result<()> {
        self.wait_for(TIMEOUT, stop)
    }

    /// As [`wait`](Self::wait), with a time limit.
    pub(super) fn wait_for(&mut self, timeout: Duration, stop: &dyn Fn() -> bool) -> Result<()> {
        while let Some(start) = self.under_way {
            // SAFETY: no other thread uses the fence: `self` is borrowed mutably.
            match unsafe { self.logical.wait(self.fence, SLICE.min(timeout)) } {
                Ok(WaitResult::Done) => self.under_way = None,
                Ok(WaitResult::Late) if stop() => return Err(late()),
                Ok(WaitResult::Late) if start.elapsed() < timeout => {}
                Ok(WaitResult::Late) => {
                    self.logical.lose();
                    return Err(unavailable!(
                        "kernels do not end: they ran for {timeout:?}, and the device is given up"
                    ));
                }
                Err(error) => {
                    // A lost device runs nothing; of any other device, nothing is known.
                    if self.logical.is_lost() {
                        self.under_way = None;
                    }
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Submits the commands and waits until they complete.
    ///
    /// # Safety
    /// See [`start`](Self::start).
    pub(super) unsafe fn run(&mut self) -> Result<()> {
        // SAFETY: the caller fulfils the requirements of `start`.
        unsafe { self.start(None) }?;
        self.wait(&|| false)
    }

    /// Waits once more for commands that may still run. If they do not complete, the device is abandoned.
    pub(super) fn settle(&mut self) {
        if self.under_way.is_some() {
            // SAFETY: no other thread uses the fence: `self` is borrowed mutably.
            match unsafe { self.logical.wait(self.fence, GRACE) } {
                Ok(WaitResult::Done) => self.under_way = None,
                Ok(WaitResult::Late) | Err(_) => self.logical.lose(),
            }
        }
    }

    /// Whether commands may still run. Memory that they use must then not be freed.
    pub(super) fn is_under_way(&self) -> bool {
        self.under_way.is_some()
    }

    /// An error if commands may still run.
    pub(super) fn expect_ended(&self) -> Result<()> {
        match self.under_way {
            Some(_) => Err(unavailable!("kernels of an earlier invocation did not end")),
            None => Ok(()),
        }
    }
}

impl Drop for Commands {
    fn drop(&mut self) {
        if self.is_under_way() {
            // The buffer and the device are leaked.
            std::mem::forget(Arc::clone(&self.logical));
            return;
        }
        // SAFETY: no command is running. Null handles are ignored.
        unsafe {
            self.logical.raw.destroy_fence(self.fence, None);
            self.logical.raw.destroy_command_pool(self.pool, None);
        }
    }
}

impl Writer<'_> {
    /// The functions of the device.
    pub(super) fn raw(&self) -> &ash::Device {
        &self.logical.raw
    }

    /// A barrier: later commands see the writes of earlier kernels and copies.
    pub(super) fn barrier(&self) {
        let written = Access::SHADER_WRITE | Access::TRANSFER_WRITE;
        let used = written | Access::SHADER_READ | Access::TRANSFER_READ;
        self.dependency(written, Stage::COMPUTE_SHADER | Stage::TRANSFER, used);
    }

    /// A barrier: after the fence, the host sees the writes of earlier commands.
    pub(super) fn show_host(&self) {
        let written = Access::SHADER_WRITE | Access::TRANSFER_WRITE;
        self.dependency(written, Stage::HOST, Access::HOST_READ);
    }

    fn dependency(&self, written: Access, stage: Stage, used: Access) {
        let barriers = [vk::MemoryBarrier::default().src_access_mask(written).dst_access_mask(used)];
        let (before, flags) = (Stage::COMPUTE_SHADER | Stage::TRANSFER, vk::DependencyFlags::empty());
        // SAFETY: the buffer is being recorded.
        unsafe { self.raw().cmd_pipeline_barrier(self.buffer, before, stage, flags, &barriers, &[], &[]) };
    }

    /// Copies floats between the starts of two memory ranges.
    pub(super) fn copy(&self, from: &VulkanMemory, to: &VulkanMemory, floats: usize) {
        let (from, from_at, from_bytes) = from.range();
        let (to, to_at, to_bytes) = to.range();
        let bytes = (floats as u64 * 4).min(from_bytes).min(to_bytes);
        if bytes > 0 {
            let regions = [vk::BufferCopy { src_offset: from_at, dst_offset: to_at, size: bytes }];
            // SAFETY: the buffer is being recorded; both ranges are inside their memories, which do not overlap.
            unsafe { self.raw().cmd_copy_buffer(self.buffer, from, to, &regions) };
        }
    }

    /// Copies rows.
    pub(super) fn copy_rows(&self, copy: RowCopy) {
        let RowCopy { from: (from, from_at), to: (to, to_at), rows, bytes, pitches } = copy;
        let [from_pitch, to_pitch] = pitches;
        if rows == 0 || bytes == 0 {
            return;
        }
        let region = |row| vk::BufferCopy {
            src_offset: from_at + row * from_pitch,
            dst_offset: to_at + row * to_pitch,
            size: bytes,
        };
        let regions: Vec<_> = (0..rows).map(region).collect();
        for regions in regions.chunks(REGIONS) {
            // SAFETY: the buffer is being recorded; the caller checked that both buffers contain the rows. The buffers
            // differ.
            unsafe { self.raw().cmd_copy_buffer(self.buffer, from, to, regions) };
        }
    }

    /// Fills memory with zeros.
    pub(super) fn clear(&self, memory: &VulkanMemory) {
        let (buffer, at, bytes) = memory.range();
        // SAFETY: the buffer is being recorded; the range is inside the memory and consists of whole words.
        unsafe { self.raw().cmd_fill_buffer(self.buffer, buffer, at, bytes, 0) };
    }
}

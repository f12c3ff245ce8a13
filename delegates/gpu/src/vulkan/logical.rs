//! The driver's device, and its queue.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use arenite_abi::prelude::*;
use ash::vk;

use super::failed;
use super::instance::{Found, instance};

/// A logical device with one queue. Whatever comes of it holds it, so it goes last.
pub struct Logical {
    pub(super) raw: ash::Device,
    queue: Mutex<vk::Queue>,
    pub(super) family: u32,
    /// It was lost, or something on it does not end.
    lost: AtomicBool,
}

/// How a wait ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Waited {
    /// What was submitted is done.
    Done,
    /// It is not.
    Late,
}

impl Logical {
    /// Of a device that was found.
    pub fn new(found: &Found) -> Result<Logical> {
        let queues =
            [vk::DeviceQueueCreateInfo::default().queue_family_index(found.family).queue_priorities(&[1.0])];
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
        let instance = &instance()?.raw;
        // SAFETY: the family is one of the device's, with one queue or more; nothing is enabled. `info` lives until the call returns.
        let raw = unsafe { instance.create_device(found.id, &info, None) };
        let raw = raw.map_err(|error| failed("the device cannot be opened", error))?;
        // SAFETY: the device was made with this queue.
        let queue = unsafe { raw.get_device_queue(found.family, 0) };
        Ok(Logical { raw, queue: Mutex::new(queue), family: found.family, lost: AtomicBool::new(false) })
    }

    /// Whether nothing can be done on it any more.
    pub fn is_lost(&self) -> bool {
        self.lost.load(Relaxed)
    }

    /// Nobody is to open it again.
    pub fn lose(&self) {
        self.lost.store(true, Relaxed);
    }

    /// The error, which may mean that the device is lost.
    pub fn failed(&self, stage: &str, error: vk::Result) -> Error {
        if error == vk::Result::ERROR_DEVICE_LOST {
            self.lose();
        }
        failed(stage, error)
    }

    /// Starts commands, one buffer behind the other.
    ///
    /// # Safety
    /// The buffers are this device's, are recorded, and are not under way; nor is the fence, which is not signalled. Until the fence
    /// is, nobody changes the buffers or frees anything that they use.
    pub unsafe fn submit(&self, commands: &[vk::CommandBuffer], fence: vk::Fence) -> Result<()> {
        let info = [vk::SubmitInfo::default().command_buffers(commands)];
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: as promised; nobody else uses the queue meanwhile.
        let submitted = unsafe { self.raw.queue_submit(*queue, &info, fence) };
        submitted.map_err(|error| self.failed("kernels are not submitted", error))
    }

    /// Waits for the fence, and resets it if it came.
    ///
    /// # Safety
    /// The fence is one of this device's, and nobody else uses it.
    pub unsafe fn wait(&self, fence: vk::Fence, timeout: Duration) -> Result<Waited> {
        let nanoseconds = u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX);
        // SAFETY: as promised.
        match unsafe { self.raw.wait_for_fences(&[fence], true, nanoseconds) } {
            Ok(()) => {}
            Err(vk::Result::TIMEOUT) => return Ok(Waited::Late),
            Err(error) => return Err(self.failed("the device was lost while kernels ran", error)),
        }
        // SAFETY: as promised; it is signalled, so nothing is under way with it.
        let reset = unsafe { self.raw.reset_fences(&[fence]) };
        reset.map(|()| Waited::Done).map_err(|error| self.failed("a fence is not reset", error))
    }
}

impl Drop for Logical {
    fn drop(&mut self) {
        // SAFETY: all that came of it held it, and is gone. Of what does not end, nothing is ever dropped.
        unsafe { self.raw.destroy_device(None) };
    }
}

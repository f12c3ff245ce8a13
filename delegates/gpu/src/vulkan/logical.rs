//! The logical device and its queue.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use arenite_abi::prelude::*;
use ash::vk;

use super::failed;
use super::instance::{PhysicalDevice, instance};

/// A logical device with one queue. Objects that it creates hold a reference, so it is destroyed last.
pub(super) struct Logical {
    pub(super) raw: ash::Device,
    queue: Mutex<vk::Queue>,
    pub(super) physical: vk::PhysicalDevice,
    pub(super) family: u32,
    /// Whether it was lost, or abandoned because commands did not complete.
    lost: AtomicBool,
}

/// The result of a wait.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum WaitResult {
    /// The commands completed.
    Done,
    /// The commands still run.
    Late,
}

impl Logical {
    /// Creates a logical device.
    pub(super) fn new(found: &PhysicalDevice) -> Result<Logical> {
        let queues =
            [vk::DeviceQueueCreateInfo::default().queue_family_index(found.family).queue_priorities(&[1.0])];
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
        let instance = &instance()?.raw;
        // SAFETY: the family belongs to the device and has at least one queue; no features are enabled. `info` lives
        // until the call returns.
        let raw = unsafe { instance.create_device(found.id, &info, None) };
        let raw = raw.map_err(|error| failed("the device cannot be opened", error))?;
        // SAFETY: the device was created with this queue.
        let queue = unsafe { raw.get_device_queue(found.family, 0) };
        let (queue, lost) = (Mutex::new(queue), AtomicBool::new(false));
        Ok(Logical { raw, queue, physical: found.id, family: found.family, lost })
    }

    /// The queue. Nothing else uses it while the caller does.
    pub(super) fn queue(&self) -> vk::Queue {
        *self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the device is lost.
    pub(super) fn is_lost(&self) -> bool {
        self.lost.load(Relaxed)
    }

    /// Marks the device as lost.
    pub(super) fn lose(&self) {
        self.lost.store(true, Relaxed);
    }

    /// Converts a driver's error, and marks the device as lost on `ERROR_DEVICE_LOST`.
    pub(super) fn failed(&self, stage: &str, error: vk::Result) -> Error {
        if error == vk::Result::ERROR_DEVICE_LOST {
            self.lose();
        }
        failed(stage, error)
    }

    /// Submits command buffers in order.
    ///
    /// # Safety
    /// The buffers must belong to this device, be recorded, and not be running; the fence must be unsignalled and
    /// unused. Until the fence is signalled, the buffers must not change, and memory and pipelines that they use must
    /// not be freed.
    pub(super) unsafe fn submit(&self, commands: &[vk::CommandBuffer], fence: vk::Fence) -> Result<()> {
        let info = [vk::SubmitInfo::default().command_buffers(commands)];
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the caller fulfils the requirements on buffers and fence; the lock gives exclusive access to the
        // queue.
        let submitted = unsafe { self.raw.queue_submit(*queue, &info, fence) };
        submitted.map_err(|error| self.failed("kernels are not submitted", error))
    }

    /// Waits for the fence, and resets it once it is signalled.
    ///
    /// # Safety
    /// The fence must belong to this device, and no other thread may use it.
    pub(super) unsafe fn wait(&self, fence: vk::Fence, timeout: Duration) -> Result<WaitResult> {
        let nanoseconds = u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX);
        // SAFETY: the caller has exclusive use of the fence, which belongs to this device.
        match unsafe { self.raw.wait_for_fences(&[fence], true, nanoseconds) } {
            Ok(()) => {}
            Err(vk::Result::TIMEOUT) => return Ok(WaitResult::Late),
            Err(error) => return Err(self.failed("the device was lost while kernels ran", error)),
        }
        // SAFETY: the caller has exclusive use of the fence; it is signalled, so no submission uses it.
        let reset = unsafe { self.raw.reset_fences(&[fence]) };
        reset.map(|()| WaitResult::Done).map_err(|error| self.failed("a fence is not reset", error))
    }
}

impl Drop for Logical {
    fn drop(&mut self) {
        // SAFETY: all objects of the device hold a reference and are destroyed. Objects that running commands use are
        // leaked with theirs.
        unsafe { self.raw.destroy_device(None) };
    }
}

//! A compiled partition and its device: facts, objects that planners assigned, and values kept on the device.

use arenite_abi::raw::{ArBuffersV1, INTERFACE_BUFFERS};
use arenite_abi::{ObjectRequest, Status};

use super::partition_kernel::{AssignedObjects, PartitionKernel, fail};
use crate::error::Result;
use crate::host::devices::{self, Fact};
use crate::host::message;
use crate::planning::objects::SharedObjects;
use crate::plugins::foreign::interface;

impl PartitionKernel {
    /// Whether outputs may stay on its device.
    pub(crate) fn keeps(&self) -> bool {
        self.buffers().is_some()
    }

    fn buffers(&self) -> Option<ArBuffersV1> {
        // SAFETY: `query` answers with null or the struct of that id.
        unsafe { interface(self.delegate.query, INTERFACE_BUFFERS) }
    }

    /// The facts that the prepared kernel reports.
    pub(crate) fn facts(&self) -> Vec<Fact> {
        if self.poisoned.get() {
            return Vec::new();
        }
        // SAFETY: the kernel came from this delegate's `compile`; no other call is in progress.
        let Some((facts, status)) = (unsafe { devices::facts(self.delegate.query, self.kernel) }) else {
            return Vec::new();
        };
        self.poisoned.set(status == Status::Panicked);
        facts
    }

    /// Copies the value that it keeps under `handle` to `data`.
    pub(crate) fn read(&self, handle: u64, data: &mut [u8]) -> Result<()> {
        let silent = "a value does not come back from its device";
        message::clear_message();
        let status = match self.buffers().filter(|_| !self.poisoned.get()) {
            // SAFETY: the kernel came from this delegate's `compile`, and no other call is in progress; the memory is
            // borrowed for it.
            Some(more) => unsafe {
                (more.read)(self.kernel, handle, data.as_mut_ptr().cast(), data.len() as u64)
            },
            None => Status::Panicked as u32,
        };
        self.poisoned.set(self.poisoned.get() || status == Status::Panicked as u32);
        match status == Status::Ok as u32 {
            true => Ok(()),
            false => Err(fail(&self.owner.name, status, silent)),
        }
    }

    /// Records objects that a planner assigned to it.
    pub(crate) fn note_objects(&self, planner: &str, request: &ObjectRequest<'_>, objects: SharedObjects) {
        let (planner, records) = (planner.to_owned(), request.records.to_vec());
        self.objects.borrow_mut().push(AssignedObjects { planner, records, objects });
    }

    /// Drops the recorded objects, before the partition is prepared.
    pub(crate) fn forget_objects(&self) {
        self.objects.borrow_mut().clear();
    }

    /// The objects that planners assigned to it.
    pub(crate) fn objects(&self) -> Vec<AssignedObjects> {
        self.objects.borrow().clone()
    }
}

//! Memory of a kernel's own, held against the host's quota.

use core::ffi::c_void;
use core::marker::PhantomData;

use crate::Result;
use crate::host::check;
use crate::raw::{ArMemoryV1, INTERFACE_DEVICE_MEMORY, INTERFACE_MEMORY};

/// What a compiled partition holds besides what the host gave it: packed weights, tables; or what it holds of a device's memory, which
/// has a quota of its own. A host without this interface does not count it.
#[derive(Clone, Copy)]
pub struct Held<'a> {
    interface: Option<&'static ArMemoryV1>,
    context: *mut c_void,
    of: PhantomData<&'a ()>,
}

impl Held<'_> {
    /// # Safety
    /// `query` answers `context` with null, or with the struct of that id, which lives as long as the process. The context is that
    /// of a call in progress for the value's life.
    pub(crate) unsafe fn new(query: crate::model::Query, context: *mut c_void) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Held::find(query, context, INTERFACE_MEMORY) }
    }

    /// Memory of a device.
    ///
    /// # Safety
    /// As for [`new`](Self::new).
    pub(crate) unsafe fn on_device(query: crate::model::Query, context: *mut c_void) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Held::find(query, context, INTERFACE_DEVICE_MEMORY) }
    }

    /// # Safety
    /// As for [`new`](Self::new); `id` is that of an `ArMemoryV1`.
    unsafe fn find(query: crate::model::Query, context: *mut c_void, id: u64) -> Self {
        // SAFETY: the caller's promise.
        let interface = unsafe { query(context, id).cast::<ArMemoryV1>().as_ref() };
        Held { interface, context, of: PhantomData }
    }

    /// Bytes that the quota leaves, besides those that the kernel holds.
    pub fn room(&self) -> u64 {
        // SAFETY: the interface takes this context.
        self.interface.map_or(u64::MAX, |memory| unsafe { (memory.room)(self.context) })
    }

    /// Says that the kernel holds so many bytes in all from now on. They go back to the quota when it is destroyed.
    ///
    /// # Errors
    /// The quota has no room for them.
    pub fn hold(&self, bytes: u64) -> Result<()> {
        let Some(memory) = self.interface else { return Ok(()) };
        // SAFETY: a plain value; the interface takes this context.
        check(unsafe { (memory.hold)(self.context, bytes) })
    }
}

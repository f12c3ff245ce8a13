//! Memory that a kernel allocates itself, counted against the host's quota.

use core::ffi::c_void;
use core::marker::PhantomData;

use crate::Result;
use crate::host::check;
use crate::raw::{ArMemoryV1, INTERFACE_DEVICE_MEMORY, INTERFACE_MEMORY};

/// Memory that a compiled partition allocates itself, such as packed weights and tables; or its device memory, which
/// has a separate quota. A host without this interface does not count it.
#[derive(Clone, Copy)]
pub struct Held<'a> {
    interface: Option<&'static ArMemoryV1>,
    context: *mut c_void,
    of: PhantomData<&'a ()>,
}

impl Held<'_> {
    /// Asks the host for its interface.
    ///
    /// # Safety
    /// For `context`, `query` must return null or the struct of the requested interface, valid as long as the process.
    /// `context` must belong to a call that is in progress as long as the value is used.
    pub(crate) unsafe fn new(query: crate::model::Query, context: *mut c_void) -> Self {
        // SAFETY: the caller meets the same requirements, and this is the id of an `ArMemoryV1`.
        unsafe { Held::find(query, context, INTERFACE_MEMORY) }
    }

    /// The quota of device memory.
    ///
    /// # Safety
    /// As for [`new`](Self::new).
    pub(crate) unsafe fn on_device(query: crate::model::Query, context: *mut c_void) -> Self {
        // SAFETY: the caller meets the same requirements, and this is the id of an `ArMemoryV1`.
        unsafe { Held::find(query, context, INTERFACE_DEVICE_MEMORY) }
    }

    /// # Safety
    /// As for [`new`](Self::new), and `id` must be the id of an `ArMemoryV1`.
    unsafe fn find(query: crate::model::Query, context: *mut c_void, id: u64) -> Self {
        // SAFETY: the caller guarantees that `query` returns null or an `ArMemoryV1` for this id.
        let interface = unsafe { query(context, id).cast::<ArMemoryV1>().as_ref() };
        Held { interface, context, of: PhantomData }
    }

    /// Bytes the quota allows this kernel in total, including its current ones.
    pub fn room(&self) -> u64 {
        // SAFETY: the function belongs to the interface of this context.
        self.interface.map_or(u64::MAX, |memory| unsafe { (memory.room)(self.context) })
    }

    /// Sets the total number of bytes that the kernel holds. They return to the quota when the kernel is destroyed.
    ///
    /// # Errors
    /// The quota does not allow them.
    pub fn hold(&self, bytes: u64) -> Result<()> {
        let Some(memory) = self.interface else { return Ok(()) };
        // SAFETY: the arguments are plain values, and the function belongs to the interface of this context.
        check(unsafe { (memory.hold)(self.context, bytes) })
    }
}

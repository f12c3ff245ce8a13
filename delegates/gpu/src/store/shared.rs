//! State that the partitions of an interpreter share: a queue, so that partitions run in order, and values that stay on
//! the device.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arenite_abi::DeviceObject;
use arenite_abi::prelude::*;

use crate::device::Queue;
use crate::store::layout::Layout;

/// A value that stays on the device.
pub(crate) struct KeptValue<M> {
    /// Its memory; it starts at offset 0.
    pub memory: Arc<M>,
    /// Its layout.
    pub layout: Layout,
}

/// The shared state of an interpreter.
pub(crate) struct SharedState<Q: Queue> {
    queue: Mutex<Q>,
    /// KeptValue values by handle.
    kept: Mutex<HashMap<u64, KeptValue<Q::Memory>>>,
    /// Memory of the program by handle.
    bound: Mutex<HashMap<u64, Arc<Q::Bound>>>,
}

/// A handle that is unique in the process.
fn next() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Relaxed)
}

impl<Q: Queue> SharedState<Q> {
    /// Starts without kept values.
    pub(crate) fn new(queue: Q) -> Arc<Self> {
        Arc::new(SharedState { queue: Mutex::new(queue), kept: Mutex::default(), bound: Mutex::default() })
    }

    /// The queue. The lock is uncontended: an interpreter makes one call at a time.
    pub(crate) fn queue(&self) -> MutexGuard<'_, Q> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<u64, KeptValue<Q::Memory>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a value and returns its handle, which is unique in the process.
    pub(crate) fn keep(&self, memory: Arc<Q::Memory>, layout: Layout) -> u64 {
        let handle = next();
        self.kept().insert(handle, KeptValue { memory, layout });
        handle
    }

    /// The memory of a value with this layout.
    pub(crate) fn find(&self, handle: u64, layout: Layout) -> Result<Arc<Q::Memory>> {
        let kept = self.kept();
        let found = kept.get(&handle).filter(|kept| kept.layout.is_also(&layout));
        found
            .map(|kept| Arc::clone(&kept.memory))
            .ok_or_else(|| unavailable!("a value that was left on the device is gone"))
    }

    fn all_bound(&self) -> MutexGuard<'_, HashMap<u64, Arc<Q::Bound>>> {
        self.bound.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Binds memory of the program and returns its handle.
    pub(crate) fn bind(&self, object: DeviceObject, offset: u64, bytes: u64) -> Result<u64> {
        let bound = self.queue().bind(object, offset, bytes)?;
        let handle = next();
        self.all_bound().insert(handle, Arc::new(bound));
        Ok(handle)
    }

    /// Forgets memory of the program.
    pub(crate) fn unbind(&self, handle: u64) {
        self.all_bound().remove(&handle);
    }

    /// The memory of the program with this handle; `None` if the handle is a kept value's.
    pub(crate) fn bound(&self, handle: u64) -> Option<Arc<Q::Bound>> {
        self.all_bound().get(&handle).cloned()
    }

    /// The memory of the program with this handle.
    pub(crate) fn expect_bound(&self, handle: u64) -> Result<Arc<Q::Bound>> {
        self.bound(handle).ok_or_else(|| unavailable!("no memory is bound under this handle"))
    }

    /// Copies a kept value of `bytes` bytes to memory of the program.
    pub(crate) fn copy_to_bound(&self, kept: u64, handle: u64, bytes: u64) -> Result<()> {
        let (memory, layout) = match self.kept().get(&kept) {
            Some(KeptValue { memory, layout }) => (Arc::clone(memory), *layout),
            None => return Err(unavailable!("a value that was left on the device is gone")),
        };
        let rows = layout.padded_rows();
        ensure!(rows.dense_bytes() == bytes, "a value has {} bytes, asked are {bytes}", rows.dense_bytes());
        self.queue().store(&memory, &self.expect_bound(handle)?, rows)
    }

    /// Drops values.
    pub(crate) fn forget(&self, handles: impl Iterator<Item = u64>) {
        let mut kept = self.kept();
        handles.for_each(|handle| _ = kept.remove(&handle));
    }
}

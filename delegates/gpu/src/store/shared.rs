//! State that the partitions of an interpreter share: a queue, so that partitions run in order, and values that stay on
//! the device.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
}

impl<Q: Queue> SharedState<Q> {
    /// Starts without kept values.
    pub(crate) fn new(queue: Q) -> Arc<Self> {
        Arc::new(SharedState { queue: Mutex::new(queue), kept: Mutex::default() })
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
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let handle = NEXT.fetch_add(1, Relaxed);
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

    /// Drops values.
    pub(crate) fn forget(&self, handles: impl Iterator<Item = u64>) {
        let mut kept = self.kept();
        handles.for_each(|handle| _ = kept.remove(&handle));
    }
}

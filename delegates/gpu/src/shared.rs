//! What the partitions of one interpreter share: a queue, so that each runs behind those before it, and values that stay on the device.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arenite_abi::prelude::*;

use crate::device::Queue;
use crate::layout::Layout;

/// A value that stays on the device.
pub struct Kept<M> {
    /// From its beginning.
    pub memory: Arc<M>,
    /// How it lies there.
    pub layout: Layout,
}

/// Of an interpreter.
pub struct Shared<Q: Queue> {
    queue: Mutex<Q>,
    /// By handle.
    kept: Mutex<HashMap<u64, Kept<Q::Memory>>>,
}

impl<Q: Queue> Shared<Q> {
    /// With nothing kept.
    pub fn new(queue: Q) -> Arc<Self> {
        Arc::new(Shared { queue: Mutex::new(queue), kept: Mutex::default() })
    }

    /// The queue; nobody waits for it, as an interpreter makes one call at a time.
    pub fn queue(&self) -> MutexGuard<'_, Q> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<u64, Kept<Q::Memory>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a value: its handle, which no other value of the process has.
    pub fn keep(&self, memory: Arc<Q::Memory>, layout: Layout) -> u64 {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let handle = NEXT.fetch_add(1, Relaxed);
        self.kept().insert(handle, Kept { memory, layout });
        handle
    }

    /// The memory of a value that lies so.
    pub fn find(&self, handle: u64, layout: Layout) -> Result<Arc<Q::Memory>> {
        let kept = self.kept();
        let found = kept.get(&handle).filter(|kept| kept.layout.is_also(&layout));
        found
            .map(|kept| Arc::clone(&kept.memory))
            .ok_or_else(|| unavailable!("a value that was left on the device is gone"))
    }

    /// Keeps values no more.
    pub fn forget(&self, handles: impl Iterator<Item = u64>) {
        let mut kept = self.kept();
        handles.for_each(|handle| _ = kept.remove(&handle));
    }
}

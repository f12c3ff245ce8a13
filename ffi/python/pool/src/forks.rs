//! The forks of a process, and the work that they wait for.

use std::cell::Cell;
use std::sync::PoisonError;
use std::sync::atomic::Ordering::Relaxed;

use crate::sync::{AtomicU64, RwLock, RwLockWriteGuard, thread_local};

/// Counts the forks of a process and its parents, and delays them while threads hold locks that a child needs: in the
/// child nothing would release these. There is one per process.
#[derive(Debug)]
pub struct Forks {
    generation: AtomicU64,
    /// Read by threads that delay forks, written by the one that forks.
    delays: RwLock<()>,
}

thread_local! {
    /// Whether this thread delays forks. A second read of the lock would wait for a fork that waits for the first one.
    #[allow(clippy::missing_const_for_thread_local, reason = "Loom's macro takes no constants")]
    static DELAYS: Cell<bool> = Cell::new(false);
}

/// A fork that has begun. Other threads delay it no more until this is dropped.
#[derive(Debug)]
pub struct Fork<'a>(
    #[expect(dead_code, reason = "held until the fork is over")] Option<RwLockWriteGuard<'a, ()>>,
);

impl Forks {
    /// Of a process that has not forked.
    #[allow(clippy::new_without_default, reason = "a process has one, so nothing makes it by default")]
    pub fn new() -> Self {
        Forks { generation: AtomicU64::new(0), delays: RwLock::new(()) }
    }

    /// Another number in a child than in its parent.
    pub fn generation(&self) -> u64 {
        self.generation.load(Relaxed)
    }

    /// Does work that holds locks. Forks of other threads wait until it is done.
    pub fn delay<R>(&self, work: impl FnOnce() -> R) -> R {
        if DELAYS.with(Cell::get) {
            return work();
        }
        let _guard = self.delays.read().unwrap_or_else(PoisonError::into_inner);
        DELAYS.with(|delays| delays.set(true));
        let _end = End;
        work()
    }

    /// Waits until no other thread delays forks. One that forks within its own [`delay`](Self::delay) waits for none.
    pub fn begin(&self) -> Fork<'_> {
        let is_within = DELAYS.with(Cell::get);
        Fork((!is_within).then(|| self.delays.write().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Tells a child that it is one.
    pub fn enter_child(&self) {
        self.generation.fetch_add(1, Relaxed);
    }
}

/// The end of the work, also if it panics.
struct End;

impl Drop for End {
    fn drop(&mut self) {
        DELAYS.with(|delays| delays.set(false));
    }
}

//! Packed weights that partitions share: signatures of a language model, and interpreters of one model.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};

use arenite_abi::prelude::Result;

use super::pieces::{Lot, Pieces};

/// Where a block is: its lot, and its first byte in the piece.
pub(super) type Place = (Arc<Lot>, usize);

/// What partitions share.
#[derive(Default)]
struct SharedMemory {
    /// Blocks by key and bytes, as long as a partition uses their lot.
    blocks: HashMap<(String, usize), (Weak<Lot>, usize)>,
    pieces: Pieces,
}

/// The blocks of partitions with one scope.
#[derive(Clone, Default)]
pub(crate) struct SharedBlocks {
    shared: Arc<Mutex<SharedMemory>>,
    /// Begins each key.
    scope: String,
}

impl SharedBlocks {
    /// The blocks of all partitions in this process with the same cache folder, or with none.
    ///
    /// An address in a key names the same constant as long as a block exists: its lot is held by steps compiled from
    /// the model that has the constant, and the model outlives what is compiled from it.
    pub(crate) fn of_process(cache: Option<&Path>) -> SharedBlocks {
        static ALL: LazyLock<Arc<Mutex<SharedMemory>>> = LazyLock::new(Arc::default);
        let scope = cache.map_or_else(String::new, |folder| format!("{} ", folder.display()));
        SharedBlocks { shared: Arc::clone(&ALL), scope }
    }

    /// The block that a partition made for this key and number of bytes, if it still exists.
    pub(super) fn find(&self, key: &str, bytes: usize) -> Option<Place> {
        let shared = self.lock();
        let (lot, at) = shared.blocks.get(&(self.scoped(key), bytes))?;
        Some((lot.upgrade()?, *at))
    }

    /// Offers a block to other partitions.
    pub(super) fn offer(&self, key: &str, bytes: usize, (lot, at): &Place) {
        self.lock().blocks.insert((self.scoped(key), bytes), (Arc::downgrade(lot), *at));
    }

    /// Memory for a block, see [`Pieces::take`].
    pub(super) fn take(
        &self,
        lot: Option<&Arc<Lot>>,
        bytes: usize,
        allow: impl FnOnce(usize) -> Result<()>,
    ) -> Result<Place> {
        self.lock().pieces.take(lot, bytes, allow)
    }

    /// Forgets blocks that no longer exist.
    pub(super) fn prune(&self) {
        self.lock().blocks.retain(|_, (lot, _)| lot.strong_count() > 0);
    }

    fn scoped(&self, key: &str) -> String {
        format!("{}{key}", self.scope)
    }

    fn lock(&self) -> MutexGuard<'_, SharedMemory> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! Packed weights that partitions share: signatures of a language model, and interpreters of one model.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};

use memmap2::MmapRaw;

/// Where a block is: its piece, and its first byte there.
pub(super) type Place = (Arc<MmapRaw>, usize);

/// Blocks by key and bytes, as long as a partition uses their piece.
type Blocks = HashMap<(String, usize), (Weak<MmapRaw>, usize)>;

/// The blocks of partitions with one scope.
#[derive(Clone, Default)]
pub(crate) struct SharedBlocks {
    blocks: Arc<Mutex<Blocks>>,
    /// Begins each key.
    scope: String,
}

impl SharedBlocks {
    /// The blocks of all partitions in this process with the same cache folder, or with none.
    ///
    /// An address in a key names the same constant as long as a block exists: its piece is held by steps compiled from
    /// the model that has the constant, and the model outlives what is compiled from it.
    pub(crate) fn of_process(cache: Option<&Path>) -> SharedBlocks {
        static ALL: LazyLock<Arc<Mutex<Blocks>>> = LazyLock::new(Arc::default);
        let scope = cache.map_or_else(String::new, |folder| format!("{} ", folder.display()));
        SharedBlocks { blocks: Arc::clone(&ALL), scope }
    }

    /// The block that a partition made for this key and number of bytes, if it still exists.
    pub(super) fn find(&self, key: &str, bytes: usize) -> Option<Place> {
        let blocks = self.lock();
        let (piece, at) = blocks.get(&(self.scoped(key), bytes))?;
        Some((piece.upgrade()?, *at))
    }

    /// Offers a block to other partitions.
    pub(super) fn offer(&self, key: &str, bytes: usize, (piece, at): &Place) {
        self.lock().insert((self.scoped(key), bytes), (Arc::downgrade(piece), *at));
    }

    /// Forgets blocks that no longer exist.
    pub(super) fn prune(&self) {
        self.lock().retain(|_, (piece, _)| piece.strong_count() > 0);
    }

    fn scoped(&self, key: &str) -> String {
        format!("{}{key}", self.scope)
    }

    fn lock(&self) -> MutexGuard<'_, Blocks> {
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

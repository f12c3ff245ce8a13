//! Packed weights, in large pieces of memory that partitions share, or in a mapped cache file.
//!
//! ```text
//! block(key, len, fill) ─┬─ it exists already ───────► the same block
//!                        ├─ the cache has key and len ─► a part of the mapped file; `fill` is not called
//!                        ├─ another partition has them ► its block
//!                        └─ else ─► a part of a piece ──► filled
//! ```
//! A key names the constants and everything that determines how they are packed. So one store serves a partition with
//! any shapes, and partitions share blocks. [`Build::name`](crate::ops::build::Build::name) names constants.

mod allowance;
mod cache;
mod pieces;
mod shared;

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arenite_abi::prelude::*;
use bytemuck::Pod;

pub(crate) use allowance::Allowance;
pub(crate) use cache::{Cache, Origin, hash};
use pieces::Lot;
use shared::Place;
pub(crate) use shared::SharedBlocks;

/// Packed weights: read-only, at a multiple of 64 bytes.
pub(crate) struct Block<T> {
    data: *const T,
    len: usize,
    /// Keeps `data` alive.
    _lot: Arc<Lot>,
}

// SAFETY: the elements are `Send`, and they are not written after the block was made.
unsafe impl<T: Pod + Send> Send for Block<T> {}
// SAFETY: the elements are not written after the block was made, so threads may share them if `T` is `Sync`.
unsafe impl<T: Pod + Sync> Sync for Block<T> {}

impl<T: Pod> Deref for Block<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        // SAFETY: `data` points to `len` initialized elements of the lot, which this value keeps alive. They are not
        // written any more.
        unsafe { std::slice::from_raw_parts(self.data, self.len) }
    }
}

/// Hands out blocks, and room for tables, within the host's quota.
pub(crate) struct Store {
    inner: RefCell<Inner>,
    shared: SharedBlocks,
    /// The memory that pieces and tables may still take.
    pub allowance: Allowance,
}

#[derive(Default)]
struct Inner {
    cache: Option<Cache>,
    /// The one that blocks were taken from last.
    lot: Option<Arc<Lot>>,
    /// All blocks, in the order in which they were asked for first.
    blocks: Vec<StoredBlock>,
    /// The index in `blocks` for a key and a number of bytes.
    places: HashMap<(String, usize), usize>,
    /// Bytes that were filled.
    packed: usize,
    /// Time spent on filling them.
    packing: Duration,
    /// Bytes of all blocks that were filled, gaps between them included.
    held: u64,
}

/// A block that was handed out.
struct StoredBlock {
    key: u64,
    lot: Arc<Lot>,
    /// First byte in the piece.
    at: usize,
    bytes: usize,
    /// Whether another partition made it.
    is_shared: bool,
}

/// Blocks of at least this size span many pages.
const MANY: usize = 1 << 15;

impl Store {
    /// An empty store that shares its blocks.
    pub(crate) fn new(shared: SharedBlocks) -> Self {
        shared.prune();
        Store { inner: RefCell::default(), shared, allowance: Allowance::default() }
    }

    /// The block of `len` elements with this key. If it does not exist yet, it is allocated, zeroed and filled.
    pub(crate) fn block<T: Pod>(
        &self,
        key: &str,
        len: usize,
        fill: impl FnOnce(&mut [T]),
    ) -> Result<Block<T>> {
        let bytes =
            len.checked_mul(size_of::<T>()).ok_or_else(|| invalid!("{len} packed weights overflow"))?;
        let mut fill = Some(fill);
        let (lot, at) = self.place(key, bytes, &mut |data| {
            // SAFETY: `place` passes `bytes` bytes that are this block's alone, zeroed, and aligned to 64 bytes.
            let block = unsafe { std::slice::from_raw_parts_mut(data.cast(), len) };
            if let Some(fill) = fill.take() {
                fill(block);
            }
        })?;
        Ok(Block { data: lot.as_ptr().wrapping_add(at).cast(), len, _lot: lot })
    }

    /// Where the block with this key is. If it is new, `fill` gets its memory.
    fn place(&self, key: &str, bytes: usize, fill: &mut dyn FnMut(*mut u8)) -> Result<Place> {
        let inner = &mut *self.inner.borrow_mut();
        let place = (key.to_owned(), bytes);
        let known = match inner.places.get(&place) {
            Some(&known) => known,
            None => {
                let name = hash(key.as_bytes());
                let cached = inner.cache.as_mut().and_then(|cache| cache.find(name, bytes));
                let shared = cached.is_none().then(|| self.shared.find(key, bytes)).flatten();
                let is_shared = shared.is_some();
                let found = cached.or(shared);
                let found = match found {
                    Some(found) => found,
                    None => self.fill(inner, bytes, fill)?,
                };
                self.shared.offer(key, bytes, &found);
                let (lot, at) = found;
                inner.blocks.push(StoredBlock { key: name, lot, at, bytes, is_shared });
                inner.places.insert(place, inner.blocks.len() - 1);
                inner.blocks.len() - 1
            }
        };
        let StoredBlock { lot, at, .. } = &inner.blocks[known];
        Ok((Arc::clone(lot), *at))
    }

    /// `count` elements that a step keeps.
    pub(crate) fn table<T>(&self, count: usize, value: impl FnMut(usize) -> T) -> Result<Vec<T>> {
        self.allowance.table(count, value)
    }

    /// Bytes of all blocks that were filled.
    pub(crate) fn held(&self) -> u64 {
        self.inner.borrow().held
    }

    /// Drops all blocks; steps that use them keep them. New blocks come from the cache if it has them.
    pub(crate) fn start_over(&self, cache: Option<Cache>) {
        let inner = &mut *self.inner.borrow_mut();
        let Inner { packed, packing, .. } = *inner;
        *inner = Inner { cache, packed, packing, ..Inner::default() };
    }

    /// Whether no block was requested yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.inner.borrow().blocks.is_empty()
    }

    /// Bytes that were packed here: neither asked for before nor found in a cache.
    pub(crate) fn packed(&self) -> usize {
        self.inner.borrow().packed
    }

    /// Time spent on packing, which a cache saves.
    pub(crate) fn packing_time(&self) -> Duration {
        self.inner.borrow().packing
    }

    /// Writes all blocks that this partition made to a cache file at `path`, for models of this origin.
    pub(crate) fn save(&self, path: &std::path::Path, origin: &Origin) -> std::io::Result<()> {
        let inner = self.inner.borrow();
        let own = inner.blocks.iter().filter(|block| !block.is_shared);
        let blocks = own.map(|StoredBlock { key, lot, at, bytes, .. }| {
            // SAFETY: the range is a filled block of a piece or of the cache's map, and is not written any more.
            (*key, unsafe { std::slice::from_raw_parts(lot.as_ptr().wrapping_add(*at), *bytes) })
        });
        cache::write(path, origin, &blocks.collect::<Vec<_>>())
    }

    /// A new block: its lot, and its first byte there.
    fn fill(&self, inner: &mut Inner, bytes: usize, fill: &mut dyn FnMut(*mut u8)) -> Result<Place> {
        let start = Instant::now();
        let (lot, at) = self.shared.take(inner.lot.as_ref(), bytes, |taken| {
            self.allowance.take(taken, "packed weights")?;
            inner.held += taken as u64;
            Ok(())
        })?;
        inner.lot = Some(Arc::clone(&lot));
        #[cfg(target_os = "linux")]
        if bytes >= MANY {
            // Populates all pages in one call. Where the system cannot, each page is populated on its first use.
            drop(lot.advise_range(memmap2::Advice::PopulateWrite, at, bytes));
        }
        fill(lot.as_mut_ptr().wrapping_add(at));
        inner.packed += bytes;
        inner.packing += start.elapsed();
        Ok((lot, at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alone() -> Store {
        Store::new(SharedBlocks::default())
    }

    #[test]
    fn blocks_are_aligned_zeroed_and_apart() {
        let store = alone();
        let blocks: Vec<Block<f32>> = (0..200)
            .map(|i| {
                store
                    .block("", i * 37, |block: &mut [f32]| {
                        assert!(block.iter().all(|&x| x == 0.0));
                        block.fill(i as f32);
                    })
                    .unwrap()
            })
            .collect();
        for (i, block) in blocks.iter().enumerate() {
            assert_eq!((block.len(), block.as_ptr().align_offset(64)), (i * 37, 0));
            assert!(block.iter().all(|&x| x == i as f32));
        }
    }

    #[test]
    fn a_block_is_filled_once() {
        let store = alone();
        let first = store.block("a", 100, |block: &mut [u8]| block.fill(7)).unwrap();
        let again = store.block("a", 100, |_: &mut [u8]| panic!("it exists")).unwrap();
        assert_eq!((first.as_ptr(), store.packed()), (again.as_ptr(), 100));
        let longer = store.block("a", 101, |block: &mut [u8]| block.fill(8)).unwrap();
        let other = store.block("b", 100, |block: &mut [u8]| block.fill(9)).unwrap();
        assert_eq!((first[0], longer[0], other[0], store.packed()), (7, 8, 9, 301));
    }

    #[test]
    fn partitions_share_blocks_that_exist() {
        let shared = SharedBlocks::default();
        let [first, second] = [(), ()].map(|()| Store::new(shared.clone()));
        let block = first.block("a", 100, |block: &mut [u8]| block.fill(7)).unwrap();
        let same = second.block("a", 100, |_: &mut [u8]| panic!("it exists")).unwrap();
        assert_eq!((block.as_ptr(), first.held(), second.held()), (same.as_ptr(), 100, 0));
        drop((first, block));
        assert_eq!(same[99], 7);
        drop((second, same));
        let third = Store::new(shared);
        let anew = third.block("a", 100, |block: &mut [u8]| block.fill(8)).unwrap();
        assert_eq!((anew[0], third.held()), (8, 100));
    }

    #[test]
    fn blocks_outlive_the_store() {
        let block = alone().block("x", 3, |x: &mut [u8]| x.copy_from_slice(b"abc")).unwrap();
        assert_eq!(&*block, b"abc");
    }

    #[test]
    fn a_cache_gives_what_was_saved_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("weights");
        let origin = Origin { contents: 3 << 64 | 1, setting: 7 };
        let fill = |n: u8| move |block: &mut [u8]| block.fill(n);
        let store = alone();
        for (key, n) in [("a", 1), ("b", 2), ("c", 3)] {
            store.block(key, 100 * n as usize, fill(n)).unwrap();
        }
        store.save(&path, &origin).unwrap();

        let cached = alone();
        cached.start_over(Cache::open(&path, &origin).unwrap());
        for (key, n) in [("a", 1u8), ("b", 2), ("c", 3)] {
            let block =
                cached.block(key, 100 * n as usize, |_: &mut [u8]| panic!("{key} is cached")).unwrap();
            assert!(block.iter().all(|&x| x == n));
        }
        assert_eq!(cached.packed(), 0);
        let other = cached.block("d", 5, fill(9)).unwrap();
        assert_eq!((other[0], cached.packed()), (9, 5), "a missing block is packed");

        for contents in [3 << 64 | 2, 4 << 64 | 1] {
            let elsewhere = Origin { contents, ..origin };
            assert!(Cache::open(&path, &elsewhere).unwrap().is_none(), "another model");
        }
        assert!(Cache::open(&dir.path().join("none"), &origin).unwrap().is_none(), "no file");
        let whole = std::fs::read(&path).unwrap();
        let mut older = whole.clone();
        older[8] -= 1;
        std::fs::write(&path, &older).unwrap();
        assert!(Cache::open(&path, &origin).unwrap().is_none(), "an older version");
        for (at, flip) in [(0, 1u8), (20, 1), (whole.len() - 1, 0x80), (whole.len() / 2, 1)] {
            let mut broken = whole.clone();
            broken[at] ^= flip;
            std::fs::write(&path, &broken).unwrap();
            let found = Cache::open(&path, &origin).unwrap();
            let store = alone();
            store.start_over(found);
            let block = store.block("c", 300, fill(4)).unwrap();
            assert!(block.iter().all(|&x| x == 3) || block.iter().all(|&x| x == 4), "byte {at}");
        }
        for len in [0, 1, 63, 64, 100, whole.len() - 64] {
            std::fs::write(&path, &whole[..len]).unwrap();
            assert!(Cache::open(&path, &origin).unwrap().is_none(), "cut to {len} bytes");
        }
    }
}

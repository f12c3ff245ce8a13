//! Memory for the packed weights of all partitions.
//!
//! ```text
//! piece   ┌ lot of a partition ┬ lot of another ┬ … ┬ no memory yet ┐
//!         │ block, block, …    │ block, …       │   │               │
//! ```
//! Large pieces are in large pages, so that reading weights once from end to end costs few address translations.

use std::ops::Deref;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use arenite_abi::prelude::*;
use memmap2::{MmapMut, MmapRaw};

/// Bytes of the first piece.
const FIRST: usize = 1 << 18;
/// How many times as large as the last piece the next one is.
const GROWTH: usize = 8;
/// Bytes of the largest piece, but for blocks that are larger.
const LARGEST: usize = 1 << 25;
/// Pieces of at least this size ask the system for large pages.
const LARGE: usize = 1 << 22;
/// Bytes of a large page.
const LARGE_PAGE: usize = 1 << 21;
/// A multiple of the page size of every supported system. The lots of two partitions never share a page.
const PAGE: usize = 1 << 16;

/// The memory that a partition has in a piece, or the whole map of a cache file. It is dropped when no block
/// is used any more.
pub(super) struct Lot {
    map: Arc<MmapRaw>,
    /// The first byte, and the end. Only [`Pieces::take`] moves the end.
    start: usize,
    end: AtomicUsize,
}

impl Lot {
    /// The map of a cache file.
    pub(super) fn of_file(map: MmapRaw) -> Lot {
        Lot { map: Arc::new(map), start: 0, end: AtomicUsize::new(0) }
    }
}

impl Deref for Lot {
    type Target = MmapRaw;
    fn deref(&self) -> &MmapRaw {
        &self.map
    }
}

impl Drop for Lot {
    /// Returns the pages, as other partitions may use the rest of the piece.
    fn drop(&mut self) {
        #[cfg(target_os = "linux")]
        {
            let end = self.end.load(Ordering::Relaxed).next_multiple_of(PAGE).min(self.map.len());
            if end > self.start {
                // SAFETY: the lot begins at a page, and the next one behind its last `PAGE`. So these pages are this
                // lot's alone. No block is in use, and no lot gets the pages again.
                let advised = unsafe {
                    self.map.unchecked_advise_range(
                        memmap2::UncheckedAdvice::DontNeed,
                        self.start,
                        end - self.start,
                    )
                };
                drop(advised);
            }
        }
    }
}

/// The piece that is used next.
#[derive(Default)]
pub(super) struct Pieces {
    last: Weak<MmapRaw>,
    /// The end of its last lot.
    used: usize,
}

impl Pieces {
    /// Memory for a block, at a multiple of 64: its lot, and its first byte. The block is appended to `lot` if that is
    /// the last one of the piece and there is room. `allow` is asked first, with the number of bytes.
    pub(super) fn take(
        &mut self,
        lot: Option<&Arc<Lot>>,
        bytes: usize,
        allow: impl FnOnce(usize) -> Result<()>,
    ) -> Result<(Arc<Lot>, usize)> {
        let last = self.last.upgrade();
        if let (Some(lot), Some(map)) = (lot, &last) {
            let (end, at) = (lot.end.load(Ordering::Relaxed), self.used.next_multiple_of(64));
            if Arc::ptr_eq(&lot.map, map) && end == self.used && fits(at, bytes, map.len()) {
                allow(at + bytes - end)?;
                self.used = at + bytes;
                lot.end.store(self.used, Ordering::Relaxed);
                return Ok((Arc::clone(lot), at));
            }
        }
        allow(bytes)?;
        let at = self.used.next_multiple_of(PAGE);
        let (map, start) = match last {
            Some(map) if fits(at, bytes, map.len()) => (map, at),
            last => piece(bytes, last.map_or(0, |map| map.len()))?,
        };
        (self.last, self.used) = (Arc::downgrade(&map), start + bytes);
        Ok((Arc::new(Lot { map, start, end: AtomicUsize::new(self.used) }), start))
    }
}

fn fits(at: usize, bytes: usize, room: usize) -> bool {
    at.checked_add(bytes).is_some_and(|end| end <= room)
}

/// A piece with room for a block, after one of `before` bytes; and its first byte that is used.
fn piece(bytes: usize, before: usize) -> Result<(Arc<MmapRaw>, usize)> {
    let room = bytes.max((GROWTH * before).clamp(FIRST, LARGEST));
    let is_large = room >= LARGE;
    let size = if is_large { room.saturating_add(LARGE_PAGE) } else { room };
    let piece = MmapMut::map_anon(size).map_err(|error| {
        Error::new(Status::OutOfMemory, format_args!("{size} bytes for packed weights: {error}"))
    })?;
    #[cfg(target_os = "linux")]
    if is_large {
        // Advice that is not taken costs speed only.
        drop(piece.advise(memmap2::Advice::HugePage));
    }
    let start = if is_large { piece.as_ptr().addr().wrapping_neg() % LARGE_PAGE } else { 0 };
    Ok((Arc::new(MmapRaw::from(piece)), start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(pieces: &mut Pieces, lot: Option<&Arc<Lot>>, bytes: usize) -> (Arc<Lot>, usize) {
        pieces.take(lot, bytes, |_| Ok(())).unwrap()
    }

    fn write(lot: &Lot, at: usize, value: u8) {
        // SAFETY: the byte is in the lot, which nothing else uses.
        unsafe { lot.as_mut_ptr().add(at).write(value) };
    }

    fn read(lot: &Lot, at: usize) -> u8 {
        // SAFETY: the byte is in the map, which no other thread writes.
        unsafe { lot.as_ptr().add(at).read() }
    }

    #[test]
    fn partitions_follow_one_another_in_a_piece() {
        let mut pieces = Pieces::default();
        let (first, at) = take(&mut pieces, None, 100);
        assert_eq!(at, 0);
        let (same, at) = take(&mut pieces, Some(&first), 100);
        assert!(Arc::ptr_eq(&first, &same) && at == 128);
        let (second, at) = take(&mut pieces, None, 100);
        assert!(Arc::ptr_eq(&first.map, &second.map) && at == PAGE);
        // The first lot is not the last one of the piece any more.
        let (third, at) = take(&mut pieces, Some(&first), 100);
        assert!(Arc::ptr_eq(&first.map, &third.map) && at == 2 * PAGE);
        assert!(!Arc::ptr_eq(&first, &third));
    }

    #[test]
    fn pieces_grow_and_large_ones_begin_at_a_large_page() {
        let mut pieces = Pieces::default();
        let small = take(&mut pieces, None, FIRST).0;
        let next = take(&mut pieces, Some(&small), FIRST).0;
        assert_eq!([&small, &next].map(|lot| lot.len()), [FIRST, GROWTH * FIRST]);
        let (large, at) = take(&mut pieces, Some(&next), LARGEST + 1);
        assert_eq!((large.as_ptr().addr() + at) % LARGE_PAGE, 0);
        drop((small, next, large));
        assert_eq!(take(&mut pieces, None, 1).0.len(), FIRST, "nothing is in use");
    }

    #[test]
    fn a_refusal_takes_nothing() {
        let mut pieces = Pieces::default();
        let lot = take(&mut pieces, None, 10).0;
        let refused = pieces.take(Some(&lot), 7, |bytes| {
            assert_eq!(bytes, 54 + 7);
            Err(Error::new(Status::OutOfMemory, format_args!("no")))
        });
        assert!(refused.is_err());
        assert_eq!(take(&mut pieces, Some(&lot), 7).1, 64);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_dropped_lot_returns_its_pages_and_no_others() {
        let mut pieces = Pieces::default();
        let (first, a) = take(&mut pieces, None, 100);
        let (second, b) = take(&mut pieces, None, 100);
        write(&first, a, 7);
        write(&second, b, 8);
        drop(first);
        assert_eq!((read(&second, a), read(&second, b)), (0, 8));
    }
}

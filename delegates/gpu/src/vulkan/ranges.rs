//! The allocator of ranges in a block of memory.

use std::collections::BTreeMap;

/// The free ranges of a block: starts and lengths of ranges that are not adjacent.
pub(super) struct Ranges(BTreeMap<u64, u64>);

impl Ranges {
    /// A block that is entirely free.
    pub(super) fn new(len: u64) -> Ranges {
        Ranges(BTreeMap::from([(0, len)]))
    }

    /// Takes the first free range of `len` bytes and returns its start.
    pub(super) fn take(&mut self, len: u64) -> Option<u64> {
        let (&begin, &room) = self.0.iter().find(|&(_, &room)| room >= len)?;
        self.0.remove(&begin);
        if room > len {
            self.0.insert(begin + len, room - len);
        }
        Some(begin)
    }

    /// Frees a range from [`take`](Self::take).
    pub(super) fn give(&mut self, begin: u64, len: u64) {
        let (mut begin, mut len) = (begin, len);
        if let Some((&before, &room)) = self.0.range(..begin).next_back()
            && before + room == begin
        {
            self.0.remove(&before);
            (begin, len) = (before, room + len);
        }
        if let Some(room) = self.0.remove(&(begin + len)) {
            len += room;
        }
        self.0.insert(begin, len);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freed_ranges_merge_with_their_neighbours() {
        let mut ranges = Ranges::new(10);
        assert_eq!([4, 4, 4, 2].map(|len| ranges.take(len)), [Some(0), Some(4), None, Some(8)]);
        ranges.give(8, 2);
        ranges.give(0, 4);
        assert_eq!(ranges.take(5), None);
        ranges.give(4, 4);
        assert_eq!(ranges.0, BTreeMap::from([(0, 10)]));
    }

    #[test]
    fn the_first_range_that_fits_is_used() {
        let mut ranges = Ranges::new(12);
        assert_eq!([2, 2, 4].map(|len| ranges.take(len)), [Some(0), Some(2), Some(4)]);
        ranges.give(0, 2);
        assert_eq!([3, 2].map(|len| ranges.take(len)), [Some(8), Some(0)]);
    }
}

//! A block that is being filled: each record in turn gets an offset in a gap between the records that are alive
//! together with it, or above them all.
//!
//! ```text
//! offset      ┌─────┐
//!   ▲  ┌──┐   │  C  │        D is alive together with A, B and C. It fits below B and below C:
//!   │  │  │   └─────┘        the first gap is the lower one, the tightest is the upper one.
//!   │  │A'│   (gap)  ┌───┐
//!   │  │  │ ┌─────┐  │ D │   A' is not alive together with D, so it does not block D.
//!   │  └──┘ │  B  │  │   │
//!   │       └─────┘  └───┘
//!   │ (   gap   )
//!   │     ┌───────┐
//!   └─────┴───A───┴───────► node
//! ```

use core::ops::ControlFlow;

use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;
use arenite_abi::prelude::*;

use crate::births::life;
use crate::timeline::Timeline;
use crate::validate;
use crate::work::WorkLimit;

/// The gap in which a record is placed. Gaps start at an offset with its alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// The lowest gap.
    First,
    /// The tightest gap, then the lowest.
    Tightest,
    /// TFLite's rule: a gap must be tighter after alignment than the best one so far was before alignment.
    TightestUnaligned,
}

/// Writes the offset of each record to `offsets`: records with a fixed offset keep it, the others are placed in the
/// given order, and records of size 0 get offset 0.
///
/// Takes O(n (log n + k log k)) for n records of which k are alive together. After 2²⁶ + 2⁸ n obstacles have been
/// examined, which takes tens of thousands of records that are all alive together, the remaining records are stacked on
/// top.
///
/// # Errors
/// A record is malformed or an offset overflows.
pub fn fill(
    records: &[UsageRecord],
    order: impl Iterator<Item = u32>,
    fit: Fit,
    offsets: &mut [u64],
) -> Result<()> {
    validate::records(records)?;
    validate::same_length(records, offsets)?;
    let mut space = Space::new(records);
    for i in (0..).take(records.len()) {
        if let Some(offset) = records[i as usize].fixed() {
            space.put(i, offset)?;
        }
    }
    for i in order.filter(|&i| records[i as usize].fixed().is_none()) {
        let offset = space.find(&records[i as usize], fit)?;
        space.put(i, offset)?;
    }
    for (offset, extent) in offsets.iter_mut().zip(space.extents) {
        *offset = extent.0;
    }
    Ok(())
}

struct Space<'a> {
    records: &'a [UsageRecord],
    /// The offset and end of each placed record.
    extents: Vec<(u64, u64)>,
    /// The placed records that have a size, by lifetime and, once needed, by offset.
    by_life: Timeline,
    by_offset: Option<BTreeSet<(u64, u32)>>,
    placed: Vec<u32>,
    /// Offsets and ends of obstacles. A buffer that is reused to avoid allocations.
    obstacles: Vec<(u64, u64)>,
    work: WorkLimit,
    /// The end of the highest record.
    height: u64,
}

impl<'a> Space<'a> {
    fn new(records: &'a [UsageRecord]) -> Self {
        Space {
            records,
            extents: vec![(0, 0); records.len()],
            by_life: Timeline::new(records.iter().map(life)),
            by_offset: None,
            placed: Vec::new(),
            obstacles: Vec::new(),
            work: WorkLimit::new(records.len()),
            height: 0,
        }
    }

    fn put(&mut self, i: u32, offset: u64) -> Result<()> {
        let record = &self.records[i as usize];
        let end = validate::end(offset, record.size)?;
        self.extents[i as usize] = (offset, end);
        if record.size == 0 {
            return Ok(());
        }
        self.height = self.height.max(end);
        // Stacked records need no list of obstacles.
        if !self.work.is_spent() {
            self.by_life.insert(i, life(record));
            self.placed.push(i);
            if let Some(by_offset) = &mut self.by_offset {
                by_offset.insert((offset, i));
            }
        }
        Ok(())
    }

    fn find(&mut self, record: &UsageRecord, fit: Fit) -> Result<u64> {
        if record.size == 0 {
            return Ok(0);
        }
        if self.work.is_spent() {
            return validate::align(self.height, record.alignment);
        }
        self.find_obstacles(record);
        match fit.gap(&self.obstacles, record.size, record.alignment) {
            Some(offset) => Ok(offset),
            None => validate::align(self.height, record.alignment),
        }
    }

    /// The placed records that are alive together with `record`, by offset. A few are sorted; many are filtered from
    /// the sorted list.
    fn find_obstacles(&mut self, record: &UsageRecord) {
        const SORTED_PER_SCANNED: usize = 16;
        let Space { records, extents, obstacles, .. } = self;
        let most = 64 + self.placed.len() / SORTED_PER_SCANNED;
        obstacles.clear();
        let few = self.by_life.overlapping(life(record), |i| {
            obstacles.push(extents[i as usize]);
            if obstacles.len() > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        self.work.spend(obstacles.len());
        if few.is_continue() {
            return obstacles.sort_unstable();
        }
        let by_offset = self
            .by_offset
            .get_or_insert_with(|| self.placed.iter().map(|&i| (extents[i as usize].0, i)).collect());
        obstacles.clear();
        let alive = by_offset.iter().filter(|&&(_, i)| records[i as usize].overlaps(record));
        obstacles.extend(alive.map(|&(_, i)| extents[i as usize]));
        self.work.spend(by_offset.len());
    }
}

impl Fit {
    /// The offset of a record among `obstacles`, which are sorted by offset. `None` if all remaining offsets exceed
    /// 2⁶⁴.
    fn gap(self, obstacles: &[(u64, u64)], size: u64, alignment: u64) -> Option<u64> {
        let (mut best, mut tightest) = (None, u64::MAX);
        let mut end_so_far = 0;
        for &(offset, end) in obstacles {
            let Some(start) = aligned(end_so_far, alignment) else { return best };
            if start.checked_add(size).is_some_and(|end| end <= offset) && offset - start < tightest {
                best = Some(start);
                tightest = match self {
                    Fit::First => return best,
                    Fit::Tightest => offset - start,
                    Fit::TightestUnaligned => offset - end_so_far,
                };
                if tightest <= size {
                    return best;
                }
            }
            end_so_far = end_so_far.max(end);
        }
        best.or_else(|| aligned(end_so_far, alignment).filter(|start| start.checked_add(size).is_some()))
    }
}

/// `validate::align` without an error message.
fn aligned(offset: u64, alignment: u64) -> Option<u64> {
    Some(offset.checked_add(alignment - 1)? & !(alignment - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gaps of 64 bytes at 64, 128 bytes at 192, and 10 bytes at 384.
    const OBSTACLES: [(u64, u64); 4] = [(0, 64), (128, 192), (320, 384), (394, 400)];

    #[test]
    fn gaps() {
        let cases = [(64, 64, 64), (10, 64, 384), (65, 192, 192), (129, 400, 400)];
        for (size, first, tightest) in cases {
            assert_eq!(Fit::First.gap(&OBSTACLES, size, 1), Some(first), "{size}");
            assert_eq!(Fit::Tightest.gap(&OBSTACLES, size, 1), Some(tightest), "{size}");
            assert_eq!(Fit::TightestUnaligned.gap(&OBSTACLES, size, 1), Some(tightest), "{size}");
        }
        assert_eq!(Fit::First.gap(&OBSTACLES, 129, 256), Some(512));
    }

    /// For 64 bytes aligned to 64, both gaps have 128 bytes after alignment; before alignment the lower one has 182.
    #[test]
    fn tflite_remembers_the_gap_before_alignment() {
        let obstacles = [(0, 10), (192, 202), (384, 394)];
        assert_eq!(Fit::TightestUnaligned.gap(&obstacles, 64, 64), Some(256));
        assert_eq!(Fit::Tightest.gap(&obstacles, 64, 64), Some(64));
    }

    /// A gap is found although nothing fits above the last obstacle.
    #[test]
    fn a_gap_is_found_at_the_end_of_the_address_space() {
        let top = [(0, 64), (1024, u64::MAX - 9)];
        assert_eq!(Fit::Tightest.gap(&top, 64, 64), Some(64));
        assert_eq!(Fit::Tightest.gap(&top, 9, 1), Some(64));
        assert_eq!(Fit::Tightest.gap(&top, 1000, 64), None);
        assert_eq!(Fit::Tightest.gap(&top, 1000, 1), None);
        assert_eq!(Fit::First.gap(&[(0, u64::MAX - 9)], 9, 1), Some(u64::MAX - 9));
    }
}

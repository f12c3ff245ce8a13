//! `both-ends`: in order of time, each record is placed at the lower or the upper end of a gap, next to a record that
//! dies at the same time.
//!
//! Not from TFLite. A block of a given height is filled from both ends. Floor and ceiling never die, and a record next
//! to one that dies with it or later leaves no unusable hole between them. This way chains reach the lower bound, which
//! strategies that only stack upwards miss.
//!
//! ```text
//! offset
//!   ▲  ────────────────────────────  height
//!   │      ┌───────┐     ┌─────┐
//!   │      │   B   │     │  D  │     B is at the ceiling, not on A, which dies before it. So the large C
//!   │      │       ├─────┴──┐  │     fits where A was
//!   │  ┌───┴───┐   │        │  │
//!   │  │   A   │   │   C    │  │
//!   └──┴───────┴───┴────────┴──┴──► node
//! ```
//!
//! The first height is the lower bound. Records that do not fit are stacked on top. Then heights are tried between the
//! best plan so far and the last height that was too low.

use core::cmp::Reverse;

use alloc::borrow::Cow;
use alloc::vec;
use alloc::vec::Vec;
use arenite_abi::prelude::*;

use crate::work::WorkLimit;
use crate::{bound, order, validate};

/// The planner `both-ends`.
pub struct BothEnds;

impl Planner for BothEnds {
    const NAME: &'static str = "both-ends";

    fn plan(request: &PlanRequest<'_>, assignment: &mut AssignmentMut<'_>) -> Result<()> {
        request.options.expect_only(&[])?;
        place(request.records, validate::offsets(request, assignment)?)
    }
}

/// The number of heights that are tried with each rule.
const ROUNDS: usize = 5;

/// Writes the offset of each record to `offsets`. Records with a fixed offset keep it and block their range; a record
/// of size 0 gets offset 0.
///
/// Takes O(n (log n + k)) for n records of which k are alive together. After 2²⁶ + 2⁸ n obstacles have been examined,
/// the remaining records are stacked on top.
///
/// # Errors
/// A record is malformed or an offset overflows.
pub fn place(records: &[UsageRecord], offsets: &mut [u64]) -> Result<()> {
    validate::records(records)?;
    validate::same_length(records, offsets)?;
    // If the plan overflows, the error must still name a malformed record, if there is one.
    let bound = bound::lower_bound(records).unwrap_or(u64::MAX);
    let sweep = Sweep::new(records);
    let mut work = WorkLimit::new(records.len());
    let mut best = None;
    let mut found = vec![0; records.len()];
    for rule in [Rule::Tightest, Rule::Death] {
        let (mut too_low, mut height) = (bound, bound);
        for _ in 0..ROUNDS {
            let total = sweep.fill(height, rule, &mut work, &mut found)?;
            if best.is_none_or(|best| total < best) {
                best = Some(total);
                offsets.copy_from_slice(&found);
            }
            if total > height {
                too_low = height;
            }
            let best = best.unwrap_or(total);
            if best <= bound || work.is_spent() {
                return Ok(());
            }
            height = too_low.midpoint(best);
            if height == too_low {
                break;
            }
        }
    }
    Ok(())
}

/// The first criterion for choosing between gap ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// The size of the gap.
    Tightest,
    /// The last node of the neighbour.
    Death,
}

/// An obstacle in the block; floor and ceiling are obstacles, too.
#[derive(Clone, Copy)]
struct Obstacle {
    offset: u64,
    end: u64,
    last_node: u32,
}

/// The records in order of time.
struct Sweep<'a> {
    records: &'a [UsageRecord],
    /// Records with a size, by first node, then by falling size.
    order: Vec<u32>,
    /// Those with a fixed offset, in the same order.
    fixed: Vec<u32>,
}

impl<'a> Sweep<'a> {
    fn new(records: &'a [UsageRecord]) -> Self {
        let key = |i: u32| {
            let record = &records[i as usize];
            (record.first_node, record.fixed().is_none(), Reverse(record.size))
        };
        let mut order: Vec<u32> =
            (0..).take(records.len()).filter(|&i| records[i as usize].size > 0).collect();
        order::sort_by_key(&mut order, key);
        let fixed = order.iter().copied().filter(|&i| records[i as usize].fixed().is_some()).collect();
        Sweep { records, order, fixed }
    }

    /// Fills a block of this height; records that do not fit are placed above everything in their way. Returns the
    /// bytes of the plan.
    fn fill(&self, height: u64, rule: Rule, work: &mut WorkLimit, offsets: &mut [u64]) -> Result<u64> {
        offsets.iter_mut().zip(self.records).for_each(|(offset, r)| *offset = r.fixed().unwrap_or(0));
        let mut alive: Vec<Obstacle> = Vec::new();
        let (mut node, mut born_fixed) = (0, 0);
        let mut total = validate::fixed_end(self.records);
        for &i in &self.order {
            let record = &self.records[i as usize];
            let offset = match record.fixed() {
                Some(offset) => {
                    born_fixed += 1;
                    offset
                }
                None if work.is_spent() => validate::align(total, record.alignment)?,
                None => {
                    if record.first_node != node {
                        node = record.first_node;
                        alive.retain(|obstacle| obstacle.last_node >= node);
                    }
                    work.spend(alive.len() + self.fixed.len() - born_fixed);
                    let fixed = self.fixed_later(record, born_fixed);
                    rule.offset(record, height, &obstacles(&alive, fixed))?
                }
            };
            let end = validate::end(offset, record.size)?;
            total = total.max(end);
            offsets[i as usize] = offset;
            // Records that are stacked on top need no list of obstacles.
            if !work.is_spent() {
                let at = alive.partition_point(|obstacle| obstacle.offset <= offset);
                alive.insert(at, Obstacle { offset, end, last_node: record.last_node });
            }
        }
        Ok(total)
    }

    /// The fixed records, after the first `born` ones, that start while `record` is alive.
    fn fixed_later(&self, record: &UsageRecord, born: usize) -> impl Iterator<Item = Obstacle> {
        let later = self.fixed[born..].iter().map(|&i| &self.records[i as usize]);
        later.take_while(|later| later.first_node <= record.last_node).filter_map(|later| {
            let offset = later.fixed()?;
            Some(Obstacle { offset, end: offset.saturating_add(later.size), last_node: later.last_node })
        })
    }
}

/// All obstacles by offset.
fn obstacles(alive: &[Obstacle], fixed: impl Iterator<Item = Obstacle>) -> Cow<'_, [Obstacle]> {
    let mut fixed = fixed.peekable();
    if fixed.peek().is_none() {
        return Cow::Borrowed(alive);
    }
    let mut all = alive.to_vec();
    all.extend(fixed);
    let by_offset = order::by_key(all.len(), |i| all[i as usize].offset);
    Cow::Owned(by_offset.into_iter().map(|i| all[i as usize]).collect())
}

impl Rule {
    /// The offset of the record among obstacles that are sorted by offset: at the end of a gap below `height`, or above
    /// everything.
    fn offset(self, record: &UsageRecord, height: u64, obstacles: &[Obstacle]) -> Result<u64> {
        let mut best: Option<((u64, u64, u64), u64)> = None;
        let border = |at| Obstacle { offset: at, end: at, last_node: UsageRecord::FOREVER };
        let (mut below, ceiling) = (border(0), border(height));
        for above in obstacles.iter().chain([&ceiling]) {
            let nearest = if above.offset < height { above } else { &ceiling };
            if let Some((key, offset)) = self.best_end(record, &below, nearest)
                && best.is_none_or(|(least, _)| key < least)
            {
                best = Some((key, offset));
            }
            let is_obstacle = above.end > above.offset;
            if is_obstacle && above.end > below.end {
                below = *above;
            }
        }
        match best {
            Some((_, offset)) => Ok(offset),
            None => validate::align(below.end, record.alignment),
        }
    }

    /// The better end of the gap between two obstacles, and its cost (less is better). `None` if the gap is too small.
    fn best_end(
        self,
        record: &UsageRecord,
        below: &Obstacle,
        above: &Obstacle,
    ) -> Option<((u64, u64, u64), u64)> {
        let low = below.end.checked_next_multiple_of(record.alignment)?;
        let room = above.offset.checked_sub(low).filter(|&room| room >= record.size)?;
        let high = (above.offset - record.size) & !(record.alignment - 1);
        let ends = [(low, below), (high, above)].map(|(offset, neighbour)| {
            let apart = apart(record.last_node, neighbour.last_node);
            match self {
                Rule::Tightest => ((room, apart, offset), offset),
                Rule::Death => ((apart, room, offset), offset),
            }
        });
        ends.into_iter().min()
    }
}

/// The cost of placing a record that dies at `last` next to one that dies at `neighbour`: least if they die together,
/// more if it dies first, most if it dies later.
fn apart(last: u32, neighbour: u32) -> u64 {
    match neighbour.checked_sub(last) {
        Some(longer) => longer.into(),
        None => u64::from(last - neighbour) + (1 << 32),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classic;

    #[test]
    fn classic_cases() {
        let chain = classic::records(&classic::CHAIN);
        assert_eq!(classic::offsets(place, &chain).1, 96);
        let complex = classic::records(&classic::COMPLEX);
        assert_eq!(classic::offsets(place, &complex).1, 96);
        classic::check_small_offsets(place);
    }

    /// The picture above: stacking upwards needs more.
    #[test]
    fn chains_reach_the_lower_bound() {
        let picture = classic::records(&[(3, 0, 1), (4, 1, 2), (4, 2, 4), (3, 4, 5)]);
        assert_eq!(classic::offsets(place, &picture), (vec![0, 4, 0, 5], 8));
        assert_eq!(classic::offsets(crate::greedy_by_size_offsets::place, &picture).1, 8);
        let mut state = 7u64;
        let chain: Vec<(u64, u32, u32)> = (0..500)
            .map(|i| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (1 + (state >> 40) % 1000, i, i + 1)
            })
            .collect();
        let records = classic::records(&chain);
        let bound = bound::lower_bound(&records).unwrap();
        assert_eq!(classic::offsets(place, &records).1, bound);
        assert!(classic::offsets(crate::greedy_by_size_offsets::place, &records).1 > bound);
    }

    /// Records below and above a fixed record that is born later.
    #[test]
    fn fixed_records_that_come_later_are_obstacles() {
        let mut records = classic::records(&[(4, 0, 3), (4, 2, 9), (6, 1, 2)]);
        records[1].fixed_offset = 6;
        assert_eq!(classic::offsets(place, &records), (vec![10, 6, 0], 14));
    }
}

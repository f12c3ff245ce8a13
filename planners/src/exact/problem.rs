//! A problem as the search sees it: records that are connected in time, with lifetimes in sections and sizes in units.
//!
//! A section is a maximal set of records that are alive together. Two records overlap in time if and only if some
//! section contains both.
//!
//! ```text
//! node     0  1  2  3  4  5  6
//! A        ■──■──■                  sections  0: A B   1: B C
//! B              ■──■──■            A spans 0..1, B 0..2, C 1..2
//! C                    ■──■
//! ```
//!
//! The unit divides all sizes, all fixed offsets, and all alignments that are not satisfied automatically.

use alloc::vec;
use alloc::vec::Vec;
use arenite_abi::UsageRecord;

use crate::groups::{self, Event};
use crate::order;

/// The sections and the size of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Item {
    /// The sections of the item: `first..end`.
    pub first: u32,
    /// See `first`.
    pub end: u32,
    /// The units up to the next offset that another record may have.
    pub size: u64,
}

impl Item {
    /// Whether both items are in a common section.
    pub(super) fn overlaps(&self, first: u32, end: u32) -> bool {
        self.first < end && first < self.end
    }
}

/// Constraints on an item's position.
pub(super) struct Rule {
    /// The record's number and size in bytes.
    record: u32,
    bytes: u64,
    /// The item's first offset is a multiple of this many units, a power of two.
    pub alignment: u64,
    /// The position of a fixed record, in units.
    pub fixed: Option<u64>,
    /// An earlier item with the same constraints, or [`NONE`].
    pub twin: u32,
}

/// No item.
pub(super) const NONE: u32 = u32::MAX;

/// The records of a group as items.
pub(super) struct Problem {
    /// The items, by first section.
    pub items: Vec<Item>,
    /// The constraints of each item.
    pub rules: Vec<Rule>,
    /// The number of sections.
    pub sections: usize,
    /// The fixed items, by position.
    pub fixed: Vec<u32>,
    unit: u64,
}

/// The limits that a height sets.
pub(super) struct Limits {
    /// The greatest position of each item.
    pub last: Vec<u64>,
    /// For each section, the greatest end of its items.
    pub end: Vec<u64>,
}

impl Problem {
    /// The problem of a group's records, which are given by first node.
    pub(super) fn new(records: &[UsageRecord], group: &[u32]) -> Self {
        let of_group = || group.iter().map(|&i| &records[i as usize]);
        let (spans, sections) = spans(records, group);
        let neighbours = neighbours_alignment(of_group().zip(&spans), sections);
        let rounded =
            || of_group().zip(&neighbours).map(|(record, &least)| record.size.next_multiple_of(least));
        let alignment = of_group().map(|record| record.alignment).min().unwrap_or(1);
        let unit = if of_group().any(|record| record.alignment != alignment) {
            alignment
        } else {
            let fixed = of_group().filter_map(UsageRecord::fixed);
            rounded().chain(fixed).fold(0, gcd)
        };
        let items = spans.iter().zip(rounded());
        let items = items.map(|(&(first, end), size)| Item { first, end, size: size / unit });
        let rules = group.iter().zip(of_group()).map(|(&number, record)| Rule {
            record: number,
            bytes: record.size,
            alignment: record.alignment / alignment,
            fixed: record.fixed().map(|offset| offset / unit),
            twin: NONE,
        });
        let mut problem =
            Problem { items: items.collect(), rules: rules.collect(), sections, fixed: Vec::new(), unit };
        problem.find_twins();
        problem.fixed.extend((0..group.len() as u32).filter(|&k| problem.rules[k as usize].fixed.is_some()));
        order::sort_by_key(&mut problem.fixed, |k| problem.rules[k as usize].fixed);
        problem
    }

    fn find_twins(&mut self) {
        let key = |k: u32| {
            let (Item { first, end, .. }, rule) = (self.items[k as usize], &self.rules[k as usize]);
            (first, end, rule.bytes, rule.alignment, rule.fixed)
        };
        let order = order::by_key(self.items.len(), key);
        let pairs: Vec<(u32, u32)> = order
            .windows(2)
            .filter(|pair| key(pair[0]) == key(pair[1]))
            .map(|pair| (pair[0], pair[1]))
            .collect();
        for (twin, k) in pairs {
            self.rules[k as usize].twin = twin;
        }
    }

    /// The lowest position of item `k` that is at least `place`, aligned, and clear of fixed items.
    pub(super) fn next_place(&self, k: u32, place: u64) -> u64 {
        let (item, rule) = (&self.items[k as usize], &self.rules[k as usize]);
        if let Some(fixed) = rule.fixed {
            return fixed.max(place);
        }
        let align = |place: u64| (place + (rule.alignment - 1)) & !(rule.alignment - 1);
        let mut place = align(place);
        for &obstacle in &self.fixed {
            let (other, start) =
                (&self.items[obstacle as usize], self.rules[obstacle as usize].fixed.unwrap_or(0));
            if other.overlaps(item.first, item.end) && start < place + item.size && place < start + other.size
            {
                place = align(start + other.size);
            }
        }
        place
    }

    /// The sum of the items' lifetimes in sections: the steps for examining each item in each of its sections.
    pub(super) fn area(&self) -> u64 {
        self.items.iter().map(|item| u64::from(item.end - item.first)).sum()
    }

    /// The limits for plans of `height` bytes, provided that each item fits on its own.
    pub(super) fn limits(&self, height: u64) -> Option<Limits> {
        let mut limits = Limits { last: Vec::with_capacity(self.items.len()), end: vec![0; self.sections] };
        for (item, rule) in self.items.iter().zip(&self.rules) {
            let highest = height.checked_sub(rule.bytes)? / self.unit;
            let last = rule.fixed.unwrap_or(highest / rule.alignment * rule.alignment);
            if last > highest {
                return None;
            }
            limits.last.push(last);
            for end in &mut limits.end[item.first as usize..item.end as usize] {
                *end = (last + item.size).max(*end);
            }
        }
        Some(limits)
    }

    /// The smallest height that allows more than `height` does.
    pub(super) fn next_height(&self, height: u64) -> u64 {
        let next = |rule: &Rule| {
            let step = rule.alignment * self.unit;
            let place = match (rule.fixed, height.checked_sub(rule.bytes)) {
                (Some(fixed), _) => fixed * self.unit,
                (None, Some(highest)) => highest / step * step + step,
                (None, None) => 0,
            };
            Some(place + rule.bytes).filter(|&next| next > height)
        };
        self.rules.iter().filter_map(next).min().unwrap_or(u64::MAX)
    }

    /// The record and the offset of each item, given the items' positions.
    pub(super) fn offsets(&self, places: &[u64]) -> impl Iterator<Item = (u32, u64)> {
        self.rules.iter().zip(places).map(|(rule, place)| (rule.record, place * self.unit))
    }

    /// The bytes of a plan, given the items' positions.
    pub(super) fn height(&self, places: &[u64]) -> u64 {
        places.iter().zip(&self.rules).map(|(place, rule)| place * self.unit + rule.bytes).max().unwrap_or(0)
    }
}

/// For each record of a group, the first and the end of its sections; and the number of sections.
fn spans(records: &[UsageRecord], group: &[u32]) -> (Vec<(u32, u32)>, usize) {
    let mut spans = vec![(0, 0); group.len()];
    let mut sections = 0;
    groups::tell(records, group, |event| match event {
        Event::Birth(place) => spans[place].0 = sections,
        Event::Full => sections += 1,
        Event::Death(place) => spans[place].1 = sections,
    });
    (spans, sections as usize)
}

/// For each record, the least alignment of the records that overlap it in time, including itself.
fn neighbours_alignment<'a>(
    records: impl Iterator<Item = (&'a UsageRecord, &'a (u32, u32))> + Clone,
    sections: usize,
) -> Vec<u64> {
    let mut least = vec![u64::MAX; sections];
    for (record, &(first, end)) in records.clone() {
        least[first as usize..end as usize]
            .iter_mut()
            .for_each(|least| *least = record.alignment.min(*least));
    }
    let of_span = |&(first, end): &(u32, u32)| least[first as usize..end as usize].iter().copied().min();
    records.map(|(record, span)| of_span(span).unwrap_or(record.alignment)).collect()
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classic;
    use crate::groups::Groups;

    fn problem(records: &[UsageRecord]) -> Problem {
        Problem::new(records, Groups::new(records).iter().next().expect("a group"))
    }

    #[test]
    fn sections_are_maximal_sets() {
        let problem = problem(&classic::records(&[(4, 0, 2), (6, 2, 4), (8, 4, 6), (6, 2, 4)]));
        let spans: Vec<_> = problem.items.iter().map(|item| (item.first, item.end, item.size)).collect();
        assert_eq!(spans, [(0, 1, 2), (0, 2, 3), (0, 2, 3), (1, 2, 4)]);
        assert_eq!((problem.sections, problem.unit, problem.area()), (2, 2, 6));
        assert_eq!(problem.rules.iter().map(|rule| rule.twin).collect::<Vec<_>>(), [NONE, NONE, 1, NONE]);
    }

    /// 64 and 65 bytes, aligned to 64: two units and one.
    #[test]
    fn heights() {
        let problem = problem(&[UsageRecord::new(64, 0, 1), UsageRecord::new(65, 1, 2)]);
        assert_eq!((problem.unit, problem.items[1].size), (64, 2));
        let limits = problem.limits(129).expect("both fit");
        assert_eq!((&limits.last[..], &limits.end[..]), (&[1, 1][..], &[3][..]));
        assert!(problem.limits(64).is_none());
        let next: Vec<u64> =
            [0, 64, 65, 128, 129, 191].iter().map(|&height| problem.next_height(height)).collect();
        assert_eq!(next, [64, 65, 128, 129, 192, 192]);
        assert_eq!(problem.height(&[0, 1]), 129);
    }

    #[test]
    fn fixed_and_strictly_aligned_positions() {
        let packed = |size| UsageRecord { alignment: 1, ..UsageRecord::new(size, 0, 1) };
        let problem =
            problem(&[UsageRecord { fixed_offset: 6, ..packed(2) }, packed(4), UsageRecord::new(5, 0, 0)]);
        assert_eq!(problem.unit, 1);
        let limits = problem.limits(72).expect("all fit");
        assert_eq!((&limits.last[..], &limits.end[..]), (&[6, 68, 64][..], &[72][..]));
        assert!(problem.limits(7).is_none());
        assert_eq!([7, 8, 68, 69].map(|height| problem.next_height(height)), [8, 9, 69, 70]);
    }
}

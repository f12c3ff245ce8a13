//! Branching of the search: the section in which the next item is placed, and the candidates for it.
//!
//! Seen from above, the placed items form a skyline. In a valley, with higher ground on both sides, no item extends
//! below the edges. So for any section of the valley, a plan either has an item that starts at the bottom there, or
//! leaves a gap at the bottom. These branches are complete and exclude one another:
//!
//! ```text
//!   █                █
//!   █  ┌───┐         █     In section s, A or B is at the bottom; or neither is, and the lowest item is
//!   █  │ A │ or ┌──┐ █     on an item still to be placed next to s, or on higher ground: that is
//!   █  └───┘    └──┘ █     the next level.
//!   ███████████████████
//!        s
//! ```
//!
//! So the order of placements in distant sections does not matter, and a mistake is found close to where it was made.
//! The search continues in the section with the fewest branches, preferring sections where it has failed before.

use core::cmp::Reverse;
use core::ops::Range;

use alloc::vec::Vec;

use super::problem::NONE;
use super::search::{Part, Search};
use super::tactics::Pick;

/// The branches of a part: one per candidate at the bottom of a section, and one for none of them.
pub(super) struct Choice {
    pub section: usize,
    /// The remaining candidates, a range of the search's lists.
    pub candidates: Range<usize>,
    /// The level at which they are placed.
    pub floor: u64,
    /// The level of the lowest item if it is not a candidate, provided that it still fits there.
    pub next_level: Option<u64>,
}

impl Search {
    /// The next choice in a part whose profile is up to date. Appends the candidates to the lists.
    pub(super) fn choose(&mut self, part: &Part) -> Choice {
        let section = self.section(part);
        let floor = self.profile.floor[section];
        let start = self.lists.len();
        // The next higher level in this section, and the range of sections of the candidates.
        let mut next_level = u64::MAX;
        let (mut first, mut end) = (section as u32, section as u32 + 1);
        for i in part.items.clone() {
            let k = self.lists[i];
            let item = self.problem.items[k as usize];
            if !item.overlaps(section as u32, section as u32 + 1) {
                continue;
            }
            let lowest = self.state.lowest[k as usize];
            if lowest > floor {
                next_level = next_level.min(lowest);
                continue;
            }
            first = first.min(item.first);
            end = end.max(item.end);
            let twin = self.problem.rules[k as usize].twin;
            if twin == NONE
                || self.state.is_placed[twin as usize]
                || self.state.lowest[twin as usize] != floor
            {
                self.lists.push(k);
            }
        }
        self.sort_candidates(start, part, floor);
        // Items next to this section on which a candidate may rest.
        for &k in &self.lists[part.items.clone()] {
            let item = self.problem.items[k as usize];
            if item.overlaps(first, end) && !item.overlaps(section as u32, section as u32 + 1) {
                next_level = next_level.min(self.state.lowest[k as usize] + item.size);
            }
        }
        let highest = self.limits.end[section] - self.profile.left[section];
        Choice {
            section,
            candidates: start..self.lists.len(),
            floor,
            next_level: Some(next_level).filter(|&level| level <= highest),
        }
    }

    /// The section to continue in: at the bottom of a valley, chosen by the tactic.
    fn section(&mut self, part: &Part) -> usize {
        self.count_candidates(part);
        let (floor, sections) = (&self.profile.floor, part.sections.clone());
        let mut best = (f64::INFINITY, u64::MAX, sections.start);
        let mut start = sections.start;
        while start < sections.end {
            let level = floor[start];
            let end = (start..sections.end).find(|&s| floor[s] != level).unwrap_or(sections.end);
            let is_valley = (start == sections.start || floor[start - 1] > level)
                && (end == sections.end || floor[end] > level);
            for section in (start..end).filter(|_| is_valley) {
                let slack = self.limits.end[section] - self.profile.left[section] - level;
                let ways = f64::from(self.candidates[section] + u32::from(slack > 0));
                let value = match self.tactic.pick {
                    Pick::Ways => ways,
                    Pick::Slack => ways * (slack as f64 + 1.0),
                } / (f64::from(self.profile.failures[section]) + 1.0);
                if (value, slack) < (best.0, best.1) {
                    best = (value, slack, section);
                }
            }
            start = end;
        }
        best.2
    }

    /// For each section, the number of items that may be at its bottom, as far as valleys are concerned. In a valley,
    /// an item that may be at the bottom of one of its sections may be at the bottom of all of them.
    fn count_candidates(&mut self, part: &Part) {
        self.candidates[part.sections.clone()].fill(0);
        for &k in &self.lists[part.items.clone()] {
            let item = self.problem.items[k as usize];
            if self.profile.floor[item.first as usize] == self.state.lowest[k as usize] {
                self.candidates[item.first as usize..item.end as usize]
                    .iter_mut()
                    .for_each(|count| *count += 1);
            }
        }
    }

    /// Candidates that end level with a neighbour come first, then candidates that touch an edge of the valley, then by
    /// rank.
    fn sort_candidates(&mut self, start: usize, part: &Part, floor: u64) {
        let (problem, rank, ground) = (&self.problem, &self.tactic.rank, &self.profile.floor);
        let key = |k: u32| {
            let item = problem.items[k as usize];
            let (first, end) = (item.first as usize, item.end as usize);
            let left = if first > part.sections.start { ground[first - 1] } else { u64::MAX };
            let right = if end < part.sections.end { ground[end] } else { u64::MAX };
            let touching = u8::from(left > floor) + u8::from(right > floor);
            let level = u8::from(left == floor + item.size) + u8::from(right == floor + item.size);
            (Reverse(2 * level + touching), rank[k as usize])
        };
        let mut candidates: Vec<_> = self.lists[start..].iter().map(|&k| (key(k), k)).collect();
        candidates.sort_unstable();
        for (place, (_, k)) in self.lists[start..].iter_mut().zip(candidates) {
            *place = k;
        }
    }
}

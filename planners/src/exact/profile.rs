//! The remaining items of each section, and whether they can still fit.
//!
//! Each remaining item of a section is at its lowest position or above, and no two overlap. This is a single machine
//! that runs jobs with release times: it finishes earliest if it runs them in order of these times.
//!
//! ```text
//! limit ─────────────
//!         │    C    │   end: the least possible end; if it exceeds the limit, there is no plan
//!         │---------│ ◄─ C's lowest position
//!         │ ░░░░░░░ │
//!         │    B    │
//!         │    A    │
//!         └─────────┘ ◄─ floor: the lowest position of all, here A's and B's
//! ```
//!
//! If the rest of a section would not fit above an item at its lowest position, the item is not the lowest one there.
//! It must be above an item that can be lowest, so its lowest position rises.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use super::budget::Budget;
use super::problem::{Limits, Problem};
use super::state::State;

/// For each section, what the remaining items need. Valid for the sections that were examined last.
pub(super) struct Profile {
    /// The lowest position of the remaining items.
    pub floor: Vec<u64>,
    /// The units of the remaining items.
    pub left: Vec<u64>,
    end: Vec<u64>,
    /// The least end of an item that may be the lowest, and the greatest position of such an item.
    above: Vec<u64>,
    last: Vec<u64>,
    /// How often each section could not hold its remaining items.
    pub failures: Vec<u32>,
}

/// The sections and items of an independent part of a problem. The items are sorted by falling lowest position.
pub(super) struct Subproblem<'a> {
    pub problem: &'a Problem,
    pub limits: &'a Limits,
    pub items: &'a mut [u32],
    pub sections: Range<usize>,
}

/// The cost of examining an item, in addition to one step per section.
pub(super) const STEPS_PER_ITEM: u64 = 8;

/// How often lowest positions are raised in one state. Further rounds find little.
const ROUNDS: u32 = 2;

impl Profile {
    pub(super) fn new(sections: usize) -> Self {
        let zeros = || vec![0; sections];
        Profile {
            floor: zeros(),
            left: zeros(),
            end: zeros(),
            above: zeros(),
            last: zeros(),
            failures: vec![0; sections],
        }
    }

    /// Whether the remaining items may still fit. Raises lowest positions, and sorts the items again.
    pub(super) fn holds(
        &mut self,
        left: &mut Subproblem<'_>,
        state: &mut State,
        budget: &mut Budget,
    ) -> bool {
        let mut round = 0;
        loop {
            budget.spend(self.stack(left, state));
            if self.is_past_limit(left, state) {
                return false;
            }
            if round == ROUNDS || !self.raise(left, state) {
                return true;
            }
            budget.spend(sort_falling(left.items, &state.lowest));
            round += 1;
        }
    }

    /// Stacks the items of each section in order of their lowest positions, from the highest down. Returns the steps
    /// taken.
    fn stack(&mut self, left: &Subproblem<'_>, state: &State) -> u64 {
        let sections = left.sections.clone();
        self.left[sections.clone()].fill(0);
        self.end[sections].fill(0);
        let mut steps = 0;
        for &k in left.items.iter() {
            let item = left.problem.items[k as usize];
            let lowest = state.lowest[k as usize];
            let range = item.first as usize..item.end as usize;
            steps += range.len() as u64 + STEPS_PER_ITEM;
            let sums = self.left[range.clone()].iter_mut().zip(&mut self.end[range.clone()]);
            for ((sum, end), floor) in sums.zip(&mut self.floor[range]) {
                *sum += item.size;
                *end = (*sum + lowest).max(*end);
                *floor = lowest;
            }
        }
        steps
    }

    fn is_past_limit(&mut self, left: &Subproblem<'_>, state: &State) -> bool {
        let mut is_past = false;
        for section in left.sections.clone() {
            if self.end[section] > left.limits.end[section] {
                self.failures[section] = self.failures[section].saturating_add(1);
                is_past = true;
            }
        }
        is_past || left.items.iter().any(|&k| state.lowest[k as usize] > left.limits.last[k as usize])
    }

    /// Raises items that cannot be the lowest in some section. Returns whether any item rose.
    fn raise(&mut self, left: &Subproblem<'_>, state: &mut State) -> bool {
        for section in left.sections.clone() {
            self.above[section] = u64::MAX;
            self.last[section] = left.limits.end[section] - self.left[section];
        }
        for &k in left.items.iter() {
            let item = left.problem.items[k as usize];
            let lowest = state.lowest[k as usize];
            let range = item.first as usize..item.end as usize;
            for (above, &last) in self.above[range.clone()].iter_mut().zip(&self.last[range]) {
                let end = if lowest <= last { lowest + item.size } else { u64::MAX };
                *above = end.min(*above);
            }
        }
        let mut is_raised = false;
        for &k in left.items.iter() {
            let item = left.problem.items[k as usize];
            let lowest = state.lowest[k as usize];
            let range = item.first as usize..item.end as usize;
            let mut place = 0;
            for (&above, &last) in self.above[range.clone()].iter().zip(&self.last[range]) {
                place = if lowest > last { above } else { 0 }.max(place);
            }
            if place > lowest {
                state.raise(left.problem, k, place);
                is_raised = true;
            }
        }
        is_raised
    }
}

/// Sorts items by falling lowest position; fast if they are almost sorted. Returns the steps taken.
pub(super) fn sort_falling(items: &mut [u32], lowest: &[u64]) -> u64 {
    let mut steps = 0;
    for i in 1..items.len() {
        let k = items[i];
        let mut place = i;
        while place > 0 && lowest[items[place - 1] as usize] < lowest[k as usize] {
            items[place] = items[place - 1];
            place -= 1;
        }
        items[place] = k;
        steps += (i - place) as u64;
    }
    steps
}

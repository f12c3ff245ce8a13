//! What is left in each section, and whether it can still fit.
//!
//! Of the items left in a section each lies at its lowest place or above, and they lie one above the other: a machine that
//! works off jobs with release times, whose best way is the order of those times.
//!
//! ```text
//! limit ─────────────
//!         │    C    │   end: where they end if nothing goes wrong; no plan if that is past the limit
//!         │---------│ ◄─ C's lowest place
//!         │ ░░░░░░░ │
//!         │    B    │
//!         │    A    │
//!         └─────────┘ ◄─ floor: the lowest place of them all, A's and B's
//! ```
//!
//! If an item lies so high that the rest of the section would not fit above it, it is not the lowest there, and lies above
//! some item that may be: its lowest place rises.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use super::budget::Budget;
use super::problem::{Limits, Problem};
use super::state::State;

/// See the head of the file. Valid for the sections that were looked at last.
pub struct Profile {
    /// The lowest place of the items left.
    pub floor: Vec<u64>,
    /// Units left.
    pub left: Vec<u64>,
    end: Vec<u64>,
    /// The least end of an item that may be the lowest, and the last place that such an item may have.
    above: Vec<u64>,
    last: Vec<u64>,
    /// How often each section could not hold what was left.
    pub failures: Vec<u32>,
}

/// The sections and the items of a part of a problem that depends on no other. The items are sorted by falling lowest place.
pub struct Left<'a> {
    pub problem: &'a Problem,
    pub limits: &'a Limits,
    pub items: &'a mut [u32],
    pub sections: Range<usize>,
}

/// What looking at an item takes besides looking at its sections.
pub const STEPS_PER_ITEM: u64 = 8;

/// Times that lowest places are raised at one state. Further ones find little.
const ROUNDS: u32 = 2;

impl Profile {
    pub fn new(sections: usize) -> Self {
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

    /// Whether what is left may still fit. Raises lowest places, and sorts the items anew.
    pub fn holds(&mut self, left: &mut Left<'_>, state: &mut State, budget: &mut Budget) -> bool {
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

    /// Stacks the items of each section in the order of their lowest places, from the highest down. Gives the steps taken.
    fn stack(&mut self, left: &Left<'_>, state: &State) -> u64 {
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

    fn is_past_limit(&mut self, left: &Left<'_>, state: &State) -> bool {
        let mut is_past = false;
        for section in left.sections.clone() {
            if self.end[section] > left.limits.end[section] {
                self.failures[section] = self.failures[section].saturating_add(1);
                is_past = true;
            }
        }
        is_past || left.items.iter().any(|&k| state.lowest[k as usize] > left.limits.last[k as usize])
    }

    /// Raises what cannot be the lowest in some section. Whether there was anything.
    fn raise(&mut self, left: &Left<'_>, state: &mut State) -> bool {
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

/// Sorts items by falling lowest place; quick where they nearly are. Gives the steps taken.
pub fn sort_falling(items: &mut [u32], lowest: &[u64]) -> u64 {
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

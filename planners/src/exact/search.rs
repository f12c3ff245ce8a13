//! The search for a plan of a given height: branch and bound.
//!
//! Follows M. D. Moffitt, "MiniMalloc: A Lightweight Memory Allocator for Hardware-Accelerated Machine Learning",
//! ASPLOS 2023, in three respects: items are placed from the bottom up, each as low as possible (every plan can be
//! pushed down this way); time is counted in sections; and parts of the time that no remaining item connects are
//! searched separately. It differs in the branching ([`choice`](super::choice)), in the bound
//! ([`profile`](super::profile)), in that failed states are remembered ([`failed`](super::failed)), and in that the
//! search restarts with other tactics ([`tactics`](super::tactics)).
//!
//! ```text
//! frames   Choice ─► Parts ─┬─► Choice ─► Choice ─► solved: back to Parts, which continues with the next part
//!                           └─► Choice ─► no branch remains: Parts fails, the first Choice tries its next
//! ```

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use super::budget::Budget;
use super::choice::Choice;
use super::failed::{FailedStates, Key};
use super::problem::{Limits, Problem};
use super::profile::{self, Profile, Subproblem};
use super::state::{Mark, State};
use super::tactics::Tactic;

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// A plan was found.
    Plan,
    /// No plan exists.
    Nothing,
    /// The search ran out of steps.
    Unknown,
}

/// Remaining items and their sections. No other remaining item is in these sections.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// A range of the search's lists, sorted by falling lowest position.
    pub items: Range<usize>,
    pub sections: Range<usize>,
}

enum Frame {
    Choice {
        part: Part,
        choice: Choice,
        mark: Mark,
        key: Key,
    },
    /// Ranges of the search's parts: `first` is the start of all of these, `rest` are those not yet solved. `lists` is
    /// the end of their lists.
    Parts {
        first: usize,
        rest: Range<usize>,
        lists: usize,
    },
}

/// A problem, and the knowledge gained about it.
pub(super) struct Search {
    pub(super) problem: Problem,
    pub(super) limits: Limits,
    pub(super) tactic: Tactic,
    pub(super) state: State,
    pub(super) profile: Profile,
    /// For each section, see `count_candidates`.
    pub(super) candidates: Vec<u32>,
    /// A stack of item lists; the innermost frame's lists are at its end.
    pub(super) lists: Vec<u32>,
    /// A buffer that is reused to avoid allocations.
    below: Vec<u32>,
    parts: Vec<Part>,
    frames: Vec<Frame>,
    failed: FailedStates,
    height: u64,
}

/// The largest total length of all lists: 32 MiB.
const MOST_LISTED: usize = 1 << 23;

impl Search {
    /// A search that has not started.
    pub(super) fn new(problem: Problem, tactic: Tactic) -> Self {
        Search {
            limits: Limits { last: Vec::new(), end: Vec::new() },
            tactic,
            state: State::new(&problem),
            profile: Profile::new(problem.sections),
            candidates: vec![0; problem.sections],
            lists: Vec::new(),
            below: Vec::new(),
            parts: Vec::new(),
            frames: Vec::new(),
            failed: FailedStates::new(),
            height: 0,
            problem,
        }
    }

    /// The problem that is searched.
    pub(super) fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The items' positions, after a plan was found.
    pub(super) fn places(&self) -> &[u64] {
        &self.state.lowest
    }

    /// Searches for a plan of at most `height` bytes, for at most `most` steps.
    pub(super) fn run(&mut self, height: u64, tactic: Tactic, most: u64, budget: &mut Budget) -> Verdict {
        let Some(limits) = self.problem.limits(height) else { return Verdict::Nothing };
        (self.limits, self.height, self.tactic) = (limits, height, tactic);
        self.state = State::new(&self.problem);
        self.parts.clear();
        self.frames.clear();
        self.lists.clear();
        self.lists.extend(0..self.problem.items.len() as u32);
        profile::sort_falling(&mut self.lists, &self.state.lowest);
        let all = Part { items: 0..self.lists.len(), sections: 0..self.problem.sections };
        if !self.enter(all, budget) {
            return Verdict::Nothing;
        }
        let end = budget.spent().saturating_add(most);
        loop {
            if budget.is_over() || budget.spent() > end || self.lists.len() > MOST_LISTED {
                return Verdict::Unknown;
            }
            match self.frames.last_mut() {
                None => return Verdict::Nothing,
                Some(Frame::Choice { .. }) => self.go_on(budget),
                Some(Frame::Parts { first, rest, lists }) => match rest.next() {
                    Some(next) => {
                        self.lists.truncate(*lists);
                        let part = self.parts[next].clone();
                        if !self.enter(part, budget) {
                            self.fail_parts();
                        }
                    }
                    None => {
                        self.parts.truncate(*first);
                        self.frames.pop();
                        if self.is_solved() {
                            return Verdict::Plan;
                        }
                    }
                },
            }
        }
    }

    /// Starts a part in a new frame. Returns false if the part cannot be solved.
    fn enter(&mut self, part: Part, budget: &mut Budget) -> bool {
        let mut left = Subproblem {
            problem: &self.problem,
            limits: &self.limits,
            items: &mut self.lists[part.items.clone()],
            sections: part.sections.clone(),
        };
        if !self.profile.holds(&mut left, &mut self.state, budget) {
            return false;
        }
        let first = self.parts.len();
        self.split(part);
        if self.parts.len() == first + 1 {
            return self.parts.pop().is_some_and(|part| self.begin(part));
        }
        if self.parts[first..].iter().any(|part| self.failed.contains(self.key(part), self.height)) {
            self.parts.truncate(first);
            return false;
        }
        self.parts[first..].sort_by_key(|part| part.items.len());
        self.frames.push(Frame::Parts { first, rest: first..self.parts.len(), lists: self.lists.len() });
        true
    }

    /// Splits `part` and appends the resulting parts. An item without neighbours is placed at its lowest position, and
    /// is in no part.
    fn split(&mut self, Part { items, sections }: Part) {
        let first = self.parts.len();
        let mut start = sections.start;
        for s in sections.clone() {
            if s + 1 == sections.end || self.state.crossing[s] == 0 {
                if self.profile.left[s] > 0 {
                    self.parts.push(Part { items: items.clone(), sections: start..s + 1 });
                }
                start = s + 1;
            }
        }
        if self.parts.len() == first + 1 {
            return;
        }
        for part in &mut self.parts[first..] {
            let start = self.lists.len();
            for i in items.clone() {
                let item = self.problem.items[self.lists[i] as usize];
                if item.overlaps(part.sections.start as u32, part.sections.end as u32) {
                    self.lists.push(self.lists[i]);
                }
            }
            part.items = start..self.lists.len();
        }
        let mut place = first;
        while place < self.parts.len() {
            if self.parts[place].items.len() > 1 {
                place += 1;
            } else {
                self.parts.remove(place);
            }
        }
    }

    /// Starts a part that does not split and whose profile is up to date.
    fn begin(&mut self, part: Part) -> bool {
        let key = self.key(&part);
        if self.failed.contains(key, self.height) {
            return false;
        }
        let choice = self.choose(&part);
        self.frames.push(Frame::Choice { part, choice, mark: self.state.mark(), key });
        true
    }

    /// Tries the next branch of the innermost frame, a choice. Without a further branch, the choice fails.
    fn go_on(&mut self, budget: &mut Budget) {
        let Some(Frame::Choice { part, choice, mark, key }) = self.frames.last_mut() else { return };
        self.state.back_to(&self.problem, *mark);
        self.lists.truncate(choice.candidates.end);
        let part = part.clone();
        let items = if let Some(i) = choice.candidates.next() {
            let k = self.lists[i];
            let item = self.problem.items[k as usize];
            let top = choice.floor + item.size;
            self.state.place(&self.problem, k);
            self.raise(part.items, item.first..item.end, top, budget)
        } else if let Some(level) = choice.next_level.take() {
            let section = choice.section as u32;
            self.raise(part.items, section..section + 1, level, budget)
        } else {
            self.failed.insert(*key, self.height);
            self.frames.pop();
            return self.fail_parts();
        };
        self.enter(Part { items, sections: part.sections }, budget);
    }

    /// Raises the remaining items of a list that overlap some sections to `place`. Appends the resulting list.
    fn raise(
        &mut self,
        items: Range<usize>,
        sections: Range<u32>,
        place: u64,
        budget: &mut Budget,
    ) -> Range<usize> {
        let start = self.lists.len();
        self.below.clear();
        let mut is_sorted = true;
        for i in items {
            let k = self.lists[i];
            if self.state.is_placed[k as usize] {
                continue;
            }
            let is_above = self.state.lowest[k as usize] >= place;
            if !is_above && !self.problem.items[k as usize].overlaps(sections.start, sections.end) {
                self.below.push(k);
                continue;
            }
            if !is_above {
                self.state.raise(&self.problem, k, place);
                budget.spend(self.problem.fixed.len() as u64);
                is_sorted &= self.state.lowest[k as usize] == place;
            }
            self.lists.push(k);
        }
        self.lists.append(&mut self.below);
        if !is_sorted {
            budget.spend(profile::sort_falling(&mut self.lists[start..], &self.state.lowest));
        }
        start..self.lists.len()
    }

    fn key(&self, part: &Part) -> Key {
        let items = self.lists[part.items.clone()].iter();
        items.fold(Key::default(), |key, &k| key.with(k, self.state.lowest[k as usize]))
    }

    /// One of the innermost parts cannot be solved, so the choice that led to it was wrong.
    fn fail_parts(&mut self) {
        while let Some(&Frame::Parts { first, .. }) = self.frames.last() {
            self.parts.truncate(first);
            self.frames.pop();
        }
    }

    /// The innermost part is solved, and so are the choices that led to it. Returns whether no parts remain.
    fn is_solved(&mut self) -> bool {
        while let Some(Frame::Choice { .. }) = self.frames.last() {
            self.frames.pop();
        }
        self.frames.is_empty()
    }
}

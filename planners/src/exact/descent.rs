//! Finds the smallest height: searches bring the best plan and the best bound of one group of records together.
//!
//! ```text
//! height   best ──┬──────────────────────    two kinds of searches take turns, each for half of the steps:
//!                 │        2 ✗               •  at the bottom: the bound, where most problems have a plan
//!                 │    1 ✓ ─┴─► best         •  between: halfway between the last unanswered height and the best
//!                 │                          ✓  a plan: it is the new best
//!         bound ──┴─ • ✗                     ✗  no answer within the steps. A proof of no plan raises the bound
//! ```
//!
//! Each kind uses one tactic after another, with searches that become longer over time.

use alloc::vec::Vec;

use super::budget::Budget;
use super::problem::Problem;
use super::profile::STEPS_PER_ITEM;
use super::search::{Search, Verdict};
use super::tactics::Tactics;

/// The search for the smallest plan of a group.
pub(super) struct Descent {
    search: Search,
    tactics: Tactics,
    /// The capacity, if any plan that fits it is good enough.
    capacity: Option<u64>,
    /// The steps of a short search.
    base: u64,
    /// The searches at the bottom and in between.
    turns: [Turn; 2],
    /// In this round of searches in between, the greatest height at which one ended without an answer.
    unknown: Option<u64>,
    /// The items' positions in the best plan, if a search has found it.
    pub places: Option<Vec<u64>>,
    /// The bytes of the best known plan.
    pub best: u64,
    /// A proved lower bound in bytes.
    pub bound: u64,
}

const BOTTOM: usize = 0;
const BETWEEN: usize = 1;

/// The searches of one kind so far.
#[derive(Clone, Copy, Default)]
struct Turn {
    round: u64,
    spent: u64,
}

impl Descent {
    /// Starts with a plan of `best` bytes and a lower bound.
    pub(super) fn new(problem: Problem, best: u64, bound: u64, capacity: Option<u64>) -> Self {
        let tactics = Tactics::new(&problem);
        let items = problem.items.len() as u64;
        Descent {
            capacity,
            // Twice the steps for placing all items once.
            base: (problem.area() + STEPS_PER_ITEM * items).saturating_mul(items),
            turns: [Turn::default(); 2],
            unknown: None,
            places: None,
            best,
            bound: problem.next_height(bound.saturating_sub(1)).min(best),
            search: Search::new(problem, tactics.tactic(0)),
            tactics,
        }
    }

    /// The group's problem.
    pub(super) fn problem(&self) -> &Problem {
        self.search.problem()
    }

    /// Whether this many steps are too few to place all items even once, so that no plan would be found.
    pub(super) fn is_hopeless(&self, steps: u64) -> bool {
        steps < self.base / 16
    }

    /// Runs one search. The best plan must have more than `enough` bytes; smaller plans count the same as one with
    /// `enough`.
    pub(super) fn search(&mut self, enough: u64, budget: &mut Budget) {
        let bottom = self.capacity.unwrap_or(self.bound.max(enough));
        let is_between = self.capacity.is_none()
            && self.turns[BETWEEN].spent < self.turns[BOTTOM].spent
            && self.problem().next_height(bottom) < self.best;
        let (kind, height) = if is_between { (BETWEEN, self.halfway(bottom)) } else { (BOTTOM, bottom) };
        let round = self.turns[kind].round;
        let most = self.base.saturating_mul(self.tactics.patience(round));
        let before = budget.spent();
        match self.search.run(height, self.tactics.tactic(round), most, budget) {
            Verdict::Plan => {
                self.best = self.problem().height(self.search.places());
                self.places = Some(self.search.places().to_vec());
            }
            Verdict::Nothing => self.bound = self.problem().next_height(height).min(self.best),
            Verdict::Unknown if kind == BETWEEN => self.unknown = Some(height),
            Verdict::Unknown => {}
        }
        self.turns[kind].spent += budget.spent() - before;
        let last = self.unknown.unwrap_or(bottom);
        if kind == BOTTOM {
            self.turns[BOTTOM].round += 1;
        } else if self.problem().next_height(last) >= self.best {
            self.unknown = None;
            self.turns[BETWEEN].round += 1;
        }
    }

    /// The height of a search between `bottom` and the best.
    fn halfway(&mut self, bottom: u64) -> u64 {
        self.unknown = self.unknown.filter(|&unknown| unknown > bottom);
        let from = self.unknown.unwrap_or(bottom);
        (from + (self.best - from) / 2).max(self.problem().next_height(from)).min(self.best - 1)
    }
}

//! Down to the least height: the best plan and the best bound of one group of records, brought together by searches.
//!
//! ```text
//! height   best ──┬──────────────────────    two kinds of searches take turns, each for half of the steps:
//!                 │        2 ✗               •  at the bottom, the bound, where most problems have a plan
//!                 │    1 ✓ ─┴─► best         •  between: halfway from the last height without an answer to the best
//!                 │                          ✓  a plan: the best is lower now
//!         bound ──┴─ • ✗                     ✗  no answer in so many steps. If there is no plan, the bound is higher now
//! ```
//!
//! Each kind uses one tactic after the other, and in time longer searches.

use alloc::vec::Vec;

use super::budget::Budget;
use super::problem::Problem;
use super::profile::STEPS_PER_ITEM;
use super::search::{Found, Search};
use super::tactics::Tactics;

/// See the head of the file.
pub struct Descent {
    search: Search,
    tactics: Tactics,
    /// All that matters is whether there is a plan of so many bytes.
    capacity: Option<u64>,
    /// Steps of a short search.
    base: u64,
    /// At the bottom, and between.
    turns: [Turn; 2],
    /// The highest height of this round of searches between at which one has ended without an answer.
    unknown: Option<u64>,
    /// The items' places in the best plan, if a search has found it.
    pub places: Option<Vec<u64>>,
    /// Bytes of the best plan known.
    pub best: u64,
    /// No plan has fewer bytes.
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
    /// Begins with a plan of `best` bytes and a lower bound.
    pub fn new(problem: Problem, best: u64, bound: u64, capacity: Option<u64>) -> Self {
        let tactics = Tactics::new(&problem);
        let items = problem.items.len() as u64;
        Descent {
            capacity,
            // Twice what it takes to place one item after the other.
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
    pub fn problem(&self) -> &Problem {
        self.search.problem()
    }

    /// Whether so many steps are too few to place all items even once, so that no plan would be found.
    pub fn is_hopeless(&self, steps: u64) -> bool {
        steps < self.base / 16
    }

    /// One search. The best plan must have more than `enough` bytes; plans with less are no better than those with
    /// `enough`.
    pub fn search(&mut self, enough: u64, budget: &mut Budget) {
        let bottom = self.capacity.unwrap_or(self.bound.max(enough));
        let is_between = self.capacity.is_none()
            && self.turns[BETWEEN].spent < self.turns[BOTTOM].spent
            && self.problem().next_height(bottom) < self.best;
        let (kind, height) = if is_between { (BETWEEN, self.halfway(bottom)) } else { (BOTTOM, bottom) };
        let round = self.turns[kind].round;
        let most = self.base.saturating_mul(self.tactics.patience(round));
        let before = budget.spent();
        match self.search.run(height, self.tactics.tactic(round), most, budget) {
            Found::Plan => {
                self.best = self.problem().height(self.search.places());
                self.places = Some(self.search.places().to_vec());
            }
            Found::Nothing => self.bound = self.problem().next_height(height).min(self.best),
            Found::Unknown if kind == BETWEEN => self.unknown = Some(height),
            Found::Unknown => {}
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

    /// Where to search between `bottom` and the best.
    fn halfway(&mut self, bottom: u64) -> u64 {
        self.unknown = self.unknown.filter(|&unknown| unknown > bottom);
        let from = self.unknown.unwrap_or(bottom);
        (from + (self.best - from) / 2).max(self.problem().next_height(from)).min(self.best - 1)
    }
}

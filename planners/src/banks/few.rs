//! Tries all assignments of few records: depth first, in order of falling traffic, skipping any that cannot beat the
//! best.

use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

use arenite_abi::UsageRecord;

use super::{Banks, FEW, PlannedBank, Problem, STEPS};
use crate::order;
use crate::outcome::{self, Limits, Outcome};

/// The largest number of plans.
const MOST_PLANS: usize = 1 << 13;
/// Steps of a search for a plan that fits a bank.
const LONG: u64 = STEPS << 5;

/// The best assignment found, if it is better than `best`, and whether it is proved to be optimal.
pub(super) fn search(problem: &Problem<'_>, best: Option<Banks>) -> (Option<Banks>, bool) {
    let mut order: Vec<u32> = (0..).take(problem.records.len()).collect();
    order.retain(|&i| problem.records[i as usize].size > 0);
    if order.len() > FEW || best.as_ref().is_some_and(|best| best.optimal) {
        return (best, false);
    }
    order::sort_by_key(&mut order, |i| Reverse(problem.traffic[i as usize]));
    let rest =
        (0..=order.len()).map(|k| order[k..].iter().map(|&i| u128::from(problem.traffic[i as usize])).sum());
    let mut found = problem.empty();
    // Records of size 0 are in the first bank.
    let sizeless = problem.records.iter().zip(problem.traffic).filter(|(record, _)| record.size == 0);
    found.traffic[0] = sizeless.map(|(_, &traffic)| u128::from(traffic)).sum();
    let mut search = Search {
        problem,
        rest: rest.collect(),
        members: vec![Vec::new(); problem.capacities.len()],
        found,
        best,
        plans: 0,
        is_complete: true,
        order,
    };
    search.descend(0);
    (search.best, search.is_complete)
}

struct Search<'a> {
    problem: &'a Problem<'a>,
    /// Records in order of falling traffic, and for each position the traffic of the records from there to the end.
    order: Vec<u32>,
    rest: Vec<u128>,
    /// For each bank, its records and its traffic.
    members: Vec<Vec<u32>>,
    found: Banks,
    best: Option<Banks>,
    plans: usize,
    is_complete: bool,
}

impl Search<'_> {
    fn descend(&mut self, place: usize) {
        if !self.can_win(place) {
            return;
        }
        let Some(&i) = self.order.get(place) else {
            let optimal = self.found.traffic.iter().skip(1).all(|&traffic| traffic == 0);
            self.best = Some(Banks { optimal, ..self.found.clone() });
            return;
        };
        let capacities = self.problem.capacities;
        for (bank, &capacity) in capacities.iter().enumerate() {
            if self.plans == MOST_PLANS {
                self.is_complete = false;
                return;
            }
            self.plans += 1;
            self.members[bank].push(i);
            let before = self.found.clone();
            if self.is_planned(bank, capacity) {
                // Includes records of size 0.
                self.found.traffic[bank] =
                    before.traffic[bank] + u128::from(self.problem.traffic[i as usize]);
                self.descend(place + 1);
            }
            self.found = before;
            self.members[bank].pop();
        }
    }

    /// Whether the records fit the bank. If that remains unknown, the search is not complete.
    fn is_planned(&mut self, bank: usize, capacity: u64) -> bool {
        let members = &self.members[bank];
        let records: Vec<UsageRecord> = members.iter().map(|&i| self.problem.records[i as usize]).collect();
        let within = |capacity, steps| {
            outcome::solve(&records, &Limits { capacity, steps: Some(steps), ..Limits::default() })
        };
        // With a capacity, running out of steps is also an error. Without one, the solver returns a lower bound.
        let Ok(plan) = within(Some(capacity), STEPS).or_else(|_| within(None, LONG)) else { return false };
        let undecided = |plan: &Outcome| plan.total > capacity && plan.lower_bound <= capacity;
        let is_undecided = undecided(&plan);
        let Outcome { offsets, total, .. } = plan;
        if total <= capacity {
            self.found.put(self.problem, bank, members, &PlannedBank { offsets, total });
        } else if is_undecided {
            self.is_complete = false;
        }
        total <= capacity
    }

    /// Whether more traffic is still possible than in the best assignment: if all remaining traffic went to the first
    /// bank.
    fn can_win(&self, place: usize) -> bool {
        let Some(best) = &self.best else { return true };
        let mut most = self.found.traffic.clone();
        most[0] += self.rest[place];
        most > best.traffic
    }
}

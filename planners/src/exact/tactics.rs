//! Tactics: where to continue, and which candidates to try first. A search that fails with one tactic may succeed
//! quickly with another, so they take turns, first with few steps each, then with more.
//!
//! After every tactic had its turn, the orders are perturbed by random numbers, which are the same on every machine.

use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

use super::failed::mix;
use super::problem::Problem;
use crate::order;

/// A tactic for choosing sections and candidates.
pub(super) struct Tactic {
    /// The rank of each item: the lowest is tried first.
    pub rank: Vec<u32>,
    /// The rule for choosing the section.
    pub pick: Pick,
}

/// The criterion for choosing the section in which the next item is placed. Sections where searches have failed come
/// first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pick {
    /// The fewest branches.
    Ways,
    /// The fewest branches, then the least slack.
    Slack,
}

/// All tactics for one problem.
pub(super) struct Tactics {
    orders: Vec<Vec<u32>>,
}

impl Tactics {
    /// Sorts by the load of the fullest section of an item (F), its number of sections (S), the product of that and its
    /// size (A), and its size (B): SAF, FAS, FSA, AB, BS, each from the largest down.
    pub(super) fn new(problem: &Problem) -> Self {
        let mut filled = vec![0u64; problem.sections];
        for item in &problem.items {
            filled[item.first as usize..item.end as usize].iter_mut().for_each(|sum| *sum += item.size);
        }
        let keys: Vec<[u128; 4]> = problem
            .items
            .iter()
            .map(|item| {
                let fullest =
                    filled[item.first as usize..item.end as usize].iter().max().copied().unwrap_or(0);
                let sections = u128::from(item.end - item.first);
                [fullest.into(), sections, sections * u128::from(item.size), item.size.into()]
            })
            .collect();
        const F: usize = 0;
        const S: usize = 1;
        const A: usize = 2;
        const B: usize = 3;
        let orders = [[S, A, F], [F, A, S], [F, S, A], [A, B, B], [B, S, S]];
        let order = |by: &[usize; 3]| {
            order::by_key(problem.items.len(), |k| by.map(|key| Reverse(keys[k as usize][key])))
        };
        Tactics { orders: orders.iter().map(order).collect() }
    }

    /// The tactic for attempt 0, 1, 2 …
    pub(super) fn tactic(&self, attempt: u64) -> Tactic {
        const SHAKEN: u64 = 5;
        let count = self.orders.len() as u64;
        let (turn, way) = (attempt / (2 * count), attempt % (2 * count));
        let order = &self.orders[(way % count) as usize];
        let most = order.len() as u64 / SHAKEN + 1;
        let shift = |k: u32| if turn == 0 { 0 } else { mix(attempt << 32 | u64::from(k)) % most };
        let mut shaken = vec![0; order.len()];
        (0..).zip(order).for_each(|(place, &k)| shaken[k as usize] = place + shift(k));
        let mut rank = vec![0; order.len()];
        let by_place = order::by_key(shaken.len(), |k| shaken[k as usize]);
        (0..).zip(by_place).for_each(|(place, k)| rank[k as usize] = place);
        Tactic { rank, pick: if way < count { Pick::Ways } else { Pick::Slack } }
    }

    /// The factor on the base budget for attempt 0, 1, 2 …: 1 1 2 1 1 2 4 1 …, each for as many attempts as there are
    /// tactics.
    pub(super) fn patience(&self, attempt: u64) -> u64 {
        luby(attempt / (2 * self.orders.len() as u64) + 1)
    }
}

/// The sequence of Luby, Sinclair and Zuckerman, "Optimal speedup of Las Vegas algorithms" (1993); `i` starts at 1.
fn luby(i: u64) -> u64 {
    let mut i = i;
    loop {
        let end = (i + 1).next_power_of_two();
        if end == i + 1 {
            return end / 2;
        }
        i -= end / 2 - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classic;
    use crate::groups::Groups;

    #[test]
    fn the_sequence() {
        assert_eq!((1..16).map(luby).collect::<Vec<_>>(), [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }

    #[test]
    fn ranks_are_permutations_and_repeat() {
        let records = classic::records(&classic::COMPLEX);
        let problem = Problem::new(&records, Groups::new(&records).iter().next().expect("a group"));
        let tactics = Tactics::new(&problem);
        let rank = |attempt| tactics.tactic(attempt).rank;
        for attempt in 0..40 {
            let mut sorted = rank(attempt);
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..9));
            assert_eq!(rank(attempt), rank(attempt));
        }
        // By size: the 64, two of 32, two of 16, four of 8.
        assert_eq!(rank(4)[5], 0);
        assert_eq!([tactics.tactic(4).pick, tactics.tactic(5).pick], [Pick::Ways, Pick::Slack]);
        assert_eq!([0, 9, 10, 20, 60].map(|attempt| tactics.patience(attempt)), [1, 1, 1, 2, 4]);
    }
}

//! All strategies, by name.

use arenite_abi::{Result, UsageRecord};
use arenite_planners::objects::{self, Assign};
use arenite_planners::*;

type Place = fn(&[UsageRecord], &mut [u64]) -> Result<()>;

/// The result of a strategy.
#[derive(Clone, Copy)]
pub(crate) enum Answer {
    Objects(Assign),
    Offsets(Place),
}

use Answer::{Objects, Offsets};

pub(crate) const STRATEGIES: [(&str, Answer); 16] = [
    ("arena", Offsets(arena::place)),
    ("best-fit", Offsets(best_fit::place)),
    ("both-ends", Offsets(both_ends::place)),
    ("equality", Objects(equality::assign)),
    ("equality-vector", Objects(equality_vector::assign)),
    ("exact", Offsets(exact_briefly)),
    ("greedy-best", Objects(greedy_best::assign)),
    ("greedy-by-breadth", Objects(greedy_by_breadth::assign)),
    ("greedy-by-size", Objects(greedy_by_size::assign)),
    ("greedy-by-size-offsets", Offsets(greedy_by_size_offsets::place)),
    ("greedy-in-order", Objects(greedy_in_order::assign)),
    ("linear", Offsets(linear::place)),
    ("micro-greedy", Offsets(micro_greedy::place)),
    ("min-cost-flow", Objects(min_cost_flow::assign)),
    ("naive", Objects(naive::assign)),
    ("portfolio", Offsets(portfolio_briefly)),
];

/// Few steps: where other strategies return immediately, the search may not.
fn exact_briefly(records: &[UsageRecord], offsets: &mut [u64]) -> Result<()> {
    let limits = exact::Limits { steps: Some(1 << 13), ..exact::Limits::default() };
    offsets.copy_from_slice(&exact::solve(records, &limits)?.offsets);
    Ok(())
}

/// Fewer steps than for `exact`, for the same reason.
fn portfolio_briefly(records: &[UsageRecord], offsets: &mut [u64]) -> Result<()> {
    let limits = exact::Limits { steps: Some(1 << 12), ..exact::Limits::default() };
    offsets.copy_from_slice(&portfolio::solve(records, &limits)?.offsets);
    Ok(())
}

impl Answer {
    /// The offset of each record, with objects stacked in order.
    pub(crate) fn offsets(self, records: &[UsageRecord]) -> Vec<u64> {
        let mut offsets = vec![u64::MAX; records.len()];
        match self {
            Objects(assign) => objects::place(assign, records, &mut offsets),
            Offsets(place) => place(records, &mut offsets),
        }
        .expect("good records");
        offsets
    }
}

/// The end of the last record. A record of size 0 needs no memory, whatever its offset.
pub(crate) fn total(records: &[UsageRecord], offsets: &[u64]) -> u64 {
    let ends = records.iter().zip(offsets).filter(|(record, _)| record.size > 0);
    ends.map(|(record, offset)| offset + record.size).max().unwrap_or(0)
}

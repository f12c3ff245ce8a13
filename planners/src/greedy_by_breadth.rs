//! `greedy-by-breadth`: starts with the records that are alive at the node with the largest sum of sizes, in order of
//! falling size, then continues with the next broadest node, and so on. Each record goes into the smallest free object
//! that is large enough, else into the largest free one, which grows, else into a new one.
//!
//! ```text
//! object 2  ▇▇▇▇            ▇▇▇▇▇▇▇▇▇
//! object 1     ▇▇▇▇▇▇▇▇
//! object 0              ▇▇▇▇▇▇                  only object 1 is free at that time
//!                     └─────────┘
//! ```
//!
//! Defined by: tflite/delegates/gpu/common/memory_management/greedy_by_breadth_assignment.cc. Of equal objects, the one
//! with the lowest number is chosen. Takes O(n (log n + k)) for n records of which k are alive together. After 2²⁶ + 2⁸
//! n records and objects have been examined, which takes tens of thousands of records alive together, each remaining
//! record gets its own object.

use core::ops::ControlFlow;

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use arenite_abi::planner::Assign;
use arenite_abi::prelude::*;

use crate::births::life;
use crate::objects::{self, Objects};
use crate::profiles;
use crate::shared;
use crate::timeline::Timeline;
use crate::validate;
use crate::work::WorkLimit;

/// The planner `greedy-by-breadth`.
pub struct GreedyByBreadth;

impl Planner for GreedyByBreadth {
    const NAME: &'static str = "greedy-by-breadth";

    const ASSIGN: Option<Assign> = Some(|request, objects| shared::bytes(request, objects, assign));

    fn plan(request: &PlanRequest<'_>, assignment: &mut AssignmentMut<'_>) -> Result<()> {
        objects::answer(request, assignment, assign)
    }
}

/// Shared objects for `records`.
///
/// # Errors
/// A record is malformed.
pub fn assign(records: &[UsageRecord]) -> Result<Objects> {
    validate::records(records)?;
    let mut schedule = Schedule {
        records,
        objects: Objects::for_records(records.len()),
        timeline: Timeline::new(records.iter().map(life)),
        by_size: BTreeSet::new(),
        busy: Vec::new(),
        work: WorkLimit::new(records.len()),
    };
    profiles::by_breadth(records).into_iter().for_each(|i| schedule.assign(i));
    Ok(schedule.objects)
}

struct Schedule<'a> {
    records: &'a [UsageRecord],
    objects: Objects,
    /// The assigned records.
    timeline: Timeline,
    /// The size and number of each object.
    by_size: BTreeSet<(u64, u32)>,
    /// For each object, the last record that found it in use.
    busy: Vec<u32>,
    work: WorkLimit,
}

impl Schedule<'_> {
    fn assign(&mut self, i: u32) {
        let record = &self.records[i as usize];
        if self.work.is_spent() {
            self.objects.add(i, record.size);
            return;
        }
        match self.best_free(i) {
            Some((size, object)) => {
                self.objects.put(i, object, record.size);
                if record.size > size {
                    self.by_size.remove(&(size, object));
                    self.by_size.insert((record.size, object));
                }
            }
            None => {
                let object = self.objects.add(i, record.size);
                self.by_size.insert((record.size, object));
                self.busy.push(u32::MAX);
            }
        }
        self.timeline.insert(i, life(record));
    }

    /// The size and number of the object for record `i`, if one is free.
    fn best_free(&mut self, i: u32) -> Option<(u64, u32)> {
        let record = &self.records[i as usize];
        let Schedule { objects, busy, timeline, by_size, work, .. } = self;
        let mut looked_at = 1;
        let _ = timeline.overlapping(life(record), |other| {
            busy[objects.ids[other as usize] as usize] = i;
            looked_at += 1;
            ControlFlow::<()>::Continue(())
        });
        // This examines at most one more object than are in use.
        work.spend(2 * looked_at);
        let free = |&&(_, object): &&(u64, u32)| busy[object as usize] != i;
        let large_enough = by_size.range((record.size, 0)..).find(free);
        large_enough.copied().or_else(|| {
            let &(size, _) = by_size.range(..(record.size, 0)).rev().find(free)?;
            by_size.range((size, 0)..).find(free).copied()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classic;

    #[test]
    fn classic_cases() {
        classic::check(assign, &classic::CHAIN, &[0, 1, 0, 1, 0], &[64, 32]);
        classic::check(assign, &classic::COMPLEX, &[0, 4, 2, 1, 3, 0, 2, 3, 1], &[64, 16, 8, 8, 32]);
        classic::check_small(assign);
    }

    /// Node 0 is the broadest. After it, 30 finds 20 and 40 free. 50 finds only smaller objects and uses the larger
    /// one, which grows.
    #[test]
    fn the_smallest_object_that_is_large_enough_else_the_largest() {
        classic::check(assign, &[(20, 0, 0), (40, 0, 0), (30, 1, 1)], &[1, 0, 0], &[40, 20]);
        classic::check(assign, &[(20, 0, 0), (40, 0, 0), (50, 1, 1)], &[1, 0, 0], &[50, 20]);
        classic::check(assign, &[(20, 0, 0), (20, 0, 0), (30, 1, 1)], &[0, 1, 0], &[30, 20]);
    }

    /// Nodes 0 and 2 have 16 bytes each: the earlier one comes first, and its larger record before the smaller one.
    #[test]
    fn the_earlier_of_equally_broad_nodes_comes_first() {
        classic::check(assign, &[(16, 2, 2), (6, 0, 0), (10, 0, 0)], &[0, 1, 0], &[16, 6]);
    }
}

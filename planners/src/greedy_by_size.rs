//! `greedy-by-size`: assigns the largest records first, in steps. Within a step, the record that is nearest in time to
//! a record of an existing object comes first, and goes into that object. So objects are used without long pauses, by
//! records of similar size.
//!
//! ```text
//! object 0   ▇▇▇▇▇▇         ▇▇▇▇▇▇▇▇          a gap of the object, from the end of one record to the start of the next;
//!                  └──gap───┘                 unbounded before the first and after the last
//! records       x ▇▇▇▇▇▇▇                     overlaps both: not into object 0
//!               y    ▇▇▇▇                     distance 2 from the left edge
//!               z     ▇▇                      distance 3 from the left edge
//! ```
//!
//! Defined by: tflite/delegates/gpu/common/memory_management/greedy_by_size_assignment.cc
//! (`GreedyBySizeDistPriorityAssignment`), which stores the distance of every record from every object.
//!
//! - The step of a record is the last position whose maximum (`positional_maxima` of profiles.rs) is not less than its
//!   size.
//! - Within a step, the record with the least distance from an object that is free during its lifetime comes first,
//!   then the larger one, then the one with the lower number. If no object is free, the record gets a new one.
//! - Of objects at the same distance, a record takes the one that came this near first. If the object it would have
//!   taken is lost to another record, it takes the one with the lowest number among the objects that are as near at
//!   that time.
//!
//! Here each gap offers its nearest record, and a heap holds the offers; the history that the last rule needs is only
//! computed where it decides. Takes O(n (p + t) log n) for p steps and t objects at the same distance. After 2²⁶ + 2⁸ n
//! offers and records have been examined, each remaining record gets its own object.

use core::cmp::Reverse;
use core::ops::ControlFlow;

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use arenite_abi::planner::Assign;
use arenite_abi::prelude::*;

use crate::births::life;
use crate::nearest::Nearest;
use crate::objects::{self, Objects};
use crate::shared;
use crate::timeline::Timeline;
use crate::work::WorkLimit;
use crate::{order, profiles, usage, validate};

/// The planner `greedy-by-size`.
pub struct GreedyBySize;

impl Planner for GreedyBySize {
    const NAME: &'static str = "greedy-by-size";

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
    let by_size = usage::by_size(records);
    let maxima = profiles::positional_maxima(records, &by_size);
    let step = |&i: &u32| maxima.partition_point(|&most| most >= records[i as usize].size);
    let mut schedule = Schedule::new(records);
    for same_step in by_size.chunk_by(|a, b| step(a) == step(b)) {
        if !schedule.work.is_spent() {
            Step::new(&mut schedule, same_step).assign_all();
        }
    }
    for &i in &by_size {
        if schedule.objects.ids[i as usize] == NONE {
            schedule.objects.add(i, records[i as usize].size);
        }
    }
    Ok(schedule.objects)
}

/// Nodes before and after all others.
const BEFORE_ALL: i64 = -1 << 33;
const AFTER_ALL: i64 = 1 << 33;
/// The distance from an object that is in use.
const LOST: i64 = i64::MAX;
const NONE: u32 = Objects::<u64>::NONE;

/// The start or end of a record, and how many records were assigned before it.
#[derive(Clone, Copy)]
struct Edge {
    node: i64,
    since: u32,
}

/// The time between two consecutive records of an object.
struct Gap {
    object: u32,
    low: Edge,
    high: Edge,
    /// Whether the gap has not been filled yet.
    is_open: bool,
}

/// The assignment so far.
struct Schedule<'a> {
    records: &'a [UsageRecord],
    objects: Objects,
    gaps: Vec<Gap>,
    /// `assigned` is the number of assigned records, `since` that number at the time each record was assigned.
    /// `timeline` has them by lifetime, once it is needed.
    assigned: u32,
    since: Vec<u32>,
    timeline: Option<Timeline>,
    /// For each object, the record whose distance was computed last, and the distance.
    known: Vec<(u32, i64)>,
    /// The first node of the record that starts last, and the last node of the record that ends first.
    last_beginning: i64,
    first_end: i64,
    work: WorkLimit,
}

/// The records of a step, by rank: by falling size, then by number.
struct Step<'a, 'r> {
    schedule: &'a mut Schedule<'r>,
    records: &'a [u32],
    has_object: Vec<bool>,
    /// The records after the low edge of a gap, and, with time reversed, those before the high edge.
    sides: [Nearest; 2],
    offers: BinaryHeap<Reverse<Offer>>,
}

/// Distance, rank and gap. The least offer wins.
type Offer = (u32, u32, u32);

impl<'r> Schedule<'r> {
    fn new(records: &'r [UsageRecord]) -> Self {
        Schedule {
            records,
            objects: Objects::for_records(records.len()),
            gaps: Vec::new(),
            assigned: 0,
            since: alloc::vec![0; records.len()],
            timeline: None,
            known: Vec::new(),
            last_beginning: records.iter().map(|record| record.first_node.into()).max().unwrap_or(0),
            first_end: records.iter().map(|record| record.last_node.into()).min().unwrap_or(0),
            work: WorkLimit::new(records.len()),
        }
    }

    fn life(&self, record: u32) -> (i64, i64) {
        let record = &self.records[record as usize];
        (record.first_node.into(), record.last_node.into())
    }

    /// Puts a record into a gap, or into a new object.
    fn assign(&mut self, record: u32, gap: Option<u32>) {
        let size = self.records[record as usize].size;
        let since = self.assigned;
        let (mut low, mut high) = (Edge { node: BEFORE_ALL, since }, Edge { node: AFTER_ALL, since });
        let object = match gap {
            None => {
                self.known.push((NONE, LOST));
                self.objects.add(record, size)
            }
            Some(gap) => {
                let gap = &mut self.gaps[gap as usize];
                gap.is_open = false;
                (low, high) = (gap.low, gap.high);
                self.objects.put(record, gap.object, size);
                gap.object
            }
        };
        let (first, last) = self.life(record);
        self.open(object, low, Edge { node: first, since });
        self.open(object, Edge { node: last, since }, high);
        self.assigned += 1;
        self.since[record as usize] = since;
        if let Some(timeline) = &mut self.timeline {
            timeline.insert(record, life(&self.records[record as usize]));
        }
    }

    /// Adds a gap, unless no record can fit into it.
    fn open(&mut self, object: u32, low: Edge, high: Edge) {
        if low.node < self.last_beginning && high.node > self.first_end {
            self.gaps.push(Gap { object, low, high, is_open: true });
        }
    }

    /// Chooses among `gaps`, which are all at the same distance from a record.
    fn choose(&mut self, record: u32, distance: u32, gaps: &[u32]) -> u32 {
        let (first, last) = self.life(record);
        let since = |&&gap: &&u32| {
            let Gap { low, high, .. } = self.gaps[gap as usize];
            let near = |edge: Edge, far: i64| if far == i64::from(distance) { edge.since } else { u32::MAX };
            near(low, first - low.node).min(near(high, high.node - last))
        };
        let earliest = gaps.iter().min_by_key(since).copied().unwrap_or(0);
        let lowest = gaps.iter().copied().min_by_key(|&gap| self.object(gap)).unwrap_or(0);
        if earliest == lowest {
            return lowest;
        }
        let chosen = self.replay(record, distance);
        gaps.iter().copied().find(|&gap| Some(self.object(gap)) == chosen).unwrap_or(lowest)
    }

    fn object(&self, gap: u32) -> u32 {
        self.gaps[gap as usize].object
    }

    /// The object that `record` would take, recomputed after each assignment so far that matters: of records that
    /// overlap it or are within `distance`.
    fn replay(&mut self, record: u32, distance: u32) -> Option<u32> {
        let mut concerned = self.within(record, distance);
        order::sort_by_key(&mut concerned, |other| self.since[other as usize]);
        let (first, last) = self.life(record);
        let mut seen = Vec::new();
        let mut best: Option<(i64, u32)> = None;
        for &other in &concerned {
            let (other_first, other_last) = self.life(other);
            let object = self.objects.ids[other as usize];
            let known = &mut self.known[object as usize];
            if known.0 != record {
                *known = (record, AFTER_ALL);
                seen.push(object);
            }
            let distance = (other_first - last).max(first - other_last);
            if known.1 == LOST {
                continue;
            } else if distance > 0 {
                known.1 = distance.min(known.1);
                best = best.filter(|best| best.0 <= distance).or(Some((distance, object)));
                continue;
            }
            known.1 = LOST;
            if best.is_some_and(|(_, taken)| taken == object) {
                self.work.spend(seen.len());
                let left = seen.iter().map(|&object| (self.known[object as usize].1, object));
                best = left.filter(|&(distance, _)| distance != LOST).min();
            }
        }
        self.work.spend(concerned.len());
        best.map(|(_, object)| object)
    }

    /// The assigned records within `distance` of `record`.
    fn within(&mut self, record: u32, distance: u32) -> Vec<u32> {
        let Schedule { records, objects, .. } = self;
        let timeline = self.timeline.get_or_insert_with(|| {
            let mut timeline = Timeline::new(records.iter().map(life));
            for (i, record) in (0..).zip(*records).filter(|&(i, _)| objects.ids[i as usize] != NONE) {
                timeline.insert(i, life(record));
            }
            timeline
        });
        let (first, last) = life(&records[record as usize]);
        let (first, last) = (first.saturating_sub(distance), last.saturating_add(distance));
        let mut found = Vec::new();
        let _ = timeline.overlapping((timeline.birth_not_after(first), last), |other| {
            if records[other as usize].last_node >= first {
                found.push(other);
            }
            ControlFlow::<()>::Continue(())
        });
        found
    }
}

impl<'a, 'r> Step<'a, 'r> {
    fn new(schedule: &'a mut Schedule<'r>, records: &'a [u32]) -> Self {
        schedule.gaps.retain(|gap| gap.is_open);
        let lives = || records.iter().map(|&record| schedule.life(record));
        let sides = [Nearest::new(lives()), Nearest::new(lives().map(|(first, last)| (-last, -first)))];
        let has_object = alloc::vec![false; records.len()];
        Step { schedule, records, has_object, sides, offers: BinaryHeap::new() }
    }

    fn assign_all(&mut self) {
        self.offer_from(0);
        let mut unassigned = 0;
        let mut gaps = Vec::new();
        while !self.schedule.work.is_spent() {
            if let Some((distance, rank)) = self.take_offers(&mut gaps) {
                let gap = self.schedule.choose(self.records[rank as usize], distance, &gaps);
                self.assign(rank, Some(gap));
                gaps.iter().filter(|&&other| other != gap).for_each(|&other| self.offer(other));
                continue;
            }
            // No object is free for any of them.
            while self.has_object.get(unassigned) == Some(&true) {
                unassigned += 1;
            }
            if unassigned == self.records.len() {
                return;
            }
            self.assign(unassigned as u32, None);
        }
    }

    fn assign(&mut self, rank: u32, gap: Option<u32>) {
        let gaps = self.schedule.gaps.len();
        self.has_object[rank as usize] = true;
        self.sides.iter_mut().for_each(|side| side.remove(rank));
        self.schedule.assign(self.records[rank as usize], gap);
        self.offer_from(gaps);
    }

    /// Adds the offers of the gaps from index `gaps` to the end.
    fn offer_from(&mut self, gaps: usize) {
        (gaps..self.schedule.gaps.len()).for_each(|gap| self.offer(gap as u32));
    }

    /// A gap offers the record that is nearest to one of its edges among the records that fit into it.
    fn offer(&mut self, gap: u32) {
        let Gap { low, high, .. } = self.schedule.gaps[gap as usize];
        self.schedule.work.spend(2);
        let [after, before] = &self.sides;
        let after = if low.node == BEFORE_ALL { None } else { after.find(low.node, high.node) };
        let before = if high.node == AFTER_ALL { None } else { before.find(-high.node, -low.node) };
        if let Some((distance, rank)) = after.into_iter().chain(before).min() {
            self.offers.push(Reverse((distance as u32, rank, gap)));
        }
    }

    /// The record that is offered at the least distance, and all gaps that offer it at that distance. An offer of a
    /// record that has been assigned is replaced.
    fn take_offers(&mut self, gaps: &mut Vec<u32>) -> Option<(u32, u32)> {
        gaps.clear();
        let mut best = None;
        while let Some(&Reverse((distance, rank, gap))) = self.offers.peek() {
            if best.is_some_and(|best| best != (distance, rank)) {
                break;
            }
            self.offers.pop();
            if self.has_object[rank as usize] {
                self.offer(gap);
                continue;
            }
            best = Some((distance, rank));
            gaps.push(gap);
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classic;

    #[test]
    fn classic_cases() {
        classic::check(assign, &classic::CHAIN, &[0, 1, 0, 1, 0], &[64, 32]);
        classic::check(assign, &classic::COMPLEX, &[1, 0, 2, 1, 3, 0, 1, 2, 0], &[64, 32, 8, 8]);
        classic::check_small(assign);
    }

    /// Objects 0 and 1 have 18 and 16 bytes. The records of 3 and 0 bytes have distance 1 from objects 0 and 1. The
    /// larger one comes first; then the other one has distance 1 from object 0, too. It takes object 1, which came this
    /// near first.
    #[test]
    fn of_equally_near_objects_the_first_to_come_near_is_taken() {
        let list = [(0, 2, 2), (3, 3, 4), (16, 3, 7), (7, 3, 7), (18, 5, 12)];
        classic::check(assign, &list, &[1, 0, 1, 2, 0], &[18, 16, 7]);
    }

    /// Record 1 would take object 1, which came as near as 2 and before 0, but loses it to record 0. Then it takes 0.
    #[test]
    fn after_a_loss_the_lowest_number_is_taken() {
        let list = [(1, 0, 2), (0, 2, 2), (5, 3, 7), (3, 3, 4), (16, 3, 7), (7, 3, 7), (18, 5, 12)];
        classic::check(assign, &list, &[1, 0, 3, 0, 1, 2, 0], &[18, 16, 7, 5]);
    }
}

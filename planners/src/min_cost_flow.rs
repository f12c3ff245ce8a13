//! `min-cost-flow`: which record follows which in an object, as a flow of least cost. A new object costs the record's
//! size; a record that follows a smaller one costs the growth of the object.
//!
//! ```text
//!              0             c                 left j     a unit goes through it if a record follows in the object of j
//!         ┌────────► left j ───┐               right i    a unit must go through it: i needs an object
//!  source ┤                    ├► right i ─► sink
//!         └────────────────────┘         0     c          max(0, size i − size j); only if j ends before i starts
//!                 size i
//! ```
//!
//! Defined by: tflite/delegates/gpu/common/memory_management/min_cost_flow_assignment.cc. The order of the search
//! decides between flows of equal cost, so it is the same here: one augmenting path after another, each found in rounds
//! in which every vertex that came nearer in the previous round relaxes its edges in order. Records are sorted by first
//! node, so the possible followers of a record are all records from some index to the end, and edges are not stored.
//! Costs are 64 bits wide.
//!
//! Takes O(n) memory and, for n paths, some rounds over n² / 2 edges each. Fails after examining 2³² edges, which takes
//! a few thousand records.

use alloc::vec;
use alloc::vec::Vec;
use arenite_abi::planner::Assign;
use arenite_abi::prelude::*;
use core::cmp::Reverse;

use crate::objects::{self, Objects};
use crate::shared;
use crate::work::WorkLimit;
use crate::{order, usage, validate};

/// The planner `min-cost-flow`.
pub struct MinCostFlow;

impl Planner for MinCostFlow {
    const NAME: &'static str = "min-cost-flow";

    const ASSIGN: Option<Assign> = Some(|request, objects| shared::bytes(request, objects, assign));

    fn plan(request: &PlanRequest<'_>, assignment: &mut AssignmentMut<'_>) -> Result<()> {
        objects::answer(request, assignment, assign)
    }
}

/// Shared objects for `records`.
///
/// # Errors
/// A record is malformed, the sum of the sizes reaches 2⁶³, or more than 2³² edges would be examined.
pub fn assign(records: &[UsageRecord]) -> Result<Objects> {
    validate::records(records)?;
    let total: u128 = records.iter().map(|record| u128::from(record.size)).sum();
    ensure!(total < 1 << 63, "the sizes sum to {total} bytes, which must be less than 2^63");
    let order = usage::by_first_node(&usage::of_records(records));
    let ordered: Vec<UsageRecord> = order.iter().map(|&i| records[i as usize]).collect();
    let mut flow = Flow::new(&ordered);
    flow.solve()?;
    let mut objects = Objects::for_records(records.len());
    for head in 0..order.len() {
        if flow.enters[head] != Inflow::New {
            continue;
        }
        let object = objects.add(order[head], records[order[head] as usize].size);
        let mut at = head;
        while let Some(next) = flow.follower[at] {
            at = next as usize;
            objects.put(order[at], object, records[order[at] as usize].size);
        }
    }
    Ok(objects)
}

/// The number of edges that are examined before the search fails.
const MOST_EDGES: u64 = 1 << 32;
/// The distance of an unreachable vertex.
const FAR: i64 = i64::MAX;
/// The number of right vertices that are skipped together if none of them can come nearer.
const BLOCK: usize = 32;

/// How a unit of flow enters the right vertex of a record.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inflow {
    /// No unit enters it so far.
    No,
    /// From the source.
    New,
    /// From the left vertex of an earlier record.
    After(u32),
}

#[derive(Clone, Copy)]
enum Vertex {
    Source,
    Left(u32),
    Right(u32),
    Sink,
}

/// The flow so far, and the search for the next path.
struct Flow {
    sizes: Vec<i64>,
    /// For each record, the first one that starts after its end.
    next: Vec<usize>,
    /// For each record, the one that follows it in its object, and how a unit enters its right vertex.
    follower: Vec<Option<u32>>,
    enters: Vec<Inflow>,
    left: Side,
    right: Side,
    sink: Side,
    /// For each block of records, their least size, and the greatest distance of its right vertices.
    least: Vec<i64>,
    farthest: Vec<i64>,
    /// The vertices that came nearer in this round. Rounds are counted over all searches.
    nearer: Vec<Vertex>,
    round: u64,
    work: WorkLimit,
}

/// Vertices of one kind: for each, the length of the shortest path from the source so far, the previous vertex on it,
/// and the last round in which it came nearer.
struct Side {
    distance: Vec<i64>,
    before: Vec<Vertex>,
    round: Vec<u64>,
}

impl Side {
    fn new(count: usize) -> Self {
        Side { distance: vec![FAR; count], before: vec![Vertex::Source; count], round: vec![0; count] }
    }

    /// Uses the path to vertex `i` if it is shorter. Returns whether the vertex came nearer for the first time in this
    /// round.
    fn relax(&mut self, i: usize, distance: i64, before: Vertex, round: u64) -> bool {
        if distance >= self.distance[i] {
            return false;
        }
        self.distance[i] = distance;
        self.before[i] = before;
        core::mem::replace(&mut self.round[i], round) != round
    }
}

impl Flow {
    /// The empty flow for records by first node.
    fn new(records: &[UsageRecord]) -> Self {
        let count = records.len();
        let sizes: Vec<i64> = records.iter().map(|record| record.size as i64).collect();
        let after =
            |record: &UsageRecord| records.partition_point(|next| next.first_node <= record.last_node);
        let least: Vec<i64> =
            sizes.chunks(BLOCK).map(|block| block.iter().copied().fold(FAR, i64::min)).collect();
        Flow {
            next: records.iter().map(after).collect(),
            follower: vec![None; count],
            enters: vec![Inflow::No; count],
            left: Side::new(count),
            right: Side::new(count),
            sink: Side::new(1),
            farthest: vec![FAR; least.len()],
            least,
            sizes,
            nearer: Vec::new(),
            round: 0,
            work: WorkLimit::of(MOST_EDGES),
        }
    }

    /// Augments the flow until it has one unit per record.
    fn solve(&mut self) -> Result<()> {
        if self.least_work() > MOST_EDGES.into() {
            return Err(self.too_many_edges());
        }
        for _ in 0..self.sizes.len() {
            self.search()?;
            self.augment();
        }
        Ok(())
    }

    /// A lower bound for the edges that all searches examine: the edges from the source, and the blocks of each left
    /// vertex without a follower. Each search reduces these vertices by one, at best the one with the most blocks.
    fn least_work(&self) -> u128 {
        let blocks = |&next: &usize| (self.least.len() - next / BLOCK) as u128;
        let counts: Vec<u128> = self.next.iter().map(blocks).collect();
        let falling = order::by_key(counts.len(), |i| Reverse(counts[i as usize]));
        let blocks: u128 = (1..).zip(falling).map(|(searches, i)| searches * counts[i as usize]).sum();
        blocks + (counts.len() as u128).pow(2)
    }

    fn too_many_edges(&self) -> Error {
        invalid!("min-cost-flow would examine more than {MOST_EDGES} edges for {} records", self.sizes.len())
    }

    /// Finds the shortest path to the sink, in rounds, until no vertex comes nearer.
    fn search(&mut self) -> Result<()> {
        for side in [&mut self.left, &mut self.right, &mut self.sink] {
            side.distance.fill(FAR);
        }
        self.farthest.fill(FAR);
        self.round += 1;
        self.pass_on(Vertex::Source);
        let mut vertices = Vec::new();
        while !self.nearer.is_empty() {
            core::mem::swap(&mut vertices, &mut self.nearer);
            self.round += 1;
            for vertex in vertices.drain(..) {
                self.work.spend(1);
                self.pass_on(vertex);
                if self.work.is_spent() {
                    return Err(self.too_many_edges());
                }
            }
        }
        Ok(())
    }

    /// Relaxes the edges with remaining capacity from a vertex. Edges back to the source never shorten a path.
    fn pass_on(&mut self, vertex: Vertex) {
        match vertex {
            Vertex::Source => {
                self.work.spend(self.sizes.len());
                for i in 0..self.sizes.len() {
                    if self.follower[i].is_none() {
                        self.reach_left(i, 0, vertex);
                    }
                    if self.enters[i] != Inflow::New {
                        self.reach_right(i, self.sizes[i], vertex);
                    }
                }
            }
            Vertex::Left(j) => self.pass_on_to_followers(j as usize),
            Vertex::Right(i) => {
                let distance = self.right.distance[i as usize];
                match self.enters[i as usize] {
                    Inflow::No if self.sink.relax(0, distance, vertex, self.round) => {
                        self.nearer.push(Vertex::Sink)
                    }
                    Inflow::No | Inflow::New => {}
                    Inflow::After(j) => {
                        self.reach_left(j as usize, distance - self.cost(j as usize, i as usize), vertex)
                    }
                }
            }
            Vertex::Sink => {
                self.work.spend(self.sizes.len());
                for i in 0..self.sizes.len() {
                    if self.enters[i] != Inflow::No {
                        self.reach_right(i, self.sink.distance[0], vertex);
                    }
                }
            }
        }
    }

    fn reach_left(&mut self, j: usize, distance: i64, before: Vertex) {
        if self.left.relax(j, distance, before, self.round) {
            self.nearer.push(Vertex::Left(j as u32));
        }
    }

    fn reach_right(&mut self, i: usize, distance: i64, before: Vertex) {
        if self.right.relax(i, distance, before, self.round) {
            self.nearer.push(Vertex::Right(i as u32));
        }
    }

    /// Relaxes the edges from left vertex `j`, block by block.
    fn pass_on_to_followers(&mut self, j: usize) {
        let distance = self.left.distance[j];
        let (mut at, count) = (self.next[j], self.sizes.len());
        while at < count {
            let block = at / BLOCK;
            let end = count.min((block + 1) * BLOCK);
            let nearest = distance + (self.least[block] - self.sizes[j]).max(0);
            self.work.spend(1);
            if nearest < self.farthest[block] {
                self.work.spend(end - at);
                for i in at..end {
                    if self.follower[j] != Some(i as u32) {
                        self.reach_right(i, distance + self.cost(j, i), Vertex::Left(j as u32));
                    }
                }
                let block_distances = &self.right.distance[block * BLOCK..end];
                self.farthest[block] = block_distances.iter().copied().fold(i64::MIN, i64::max);
            }
            at = end;
        }
    }

    /// The cost of `i` following `j` in its object.
    fn cost(&self, j: usize, i: usize) -> i64 {
        (self.sizes[i] - self.sizes[j]).max(0)
    }

    /// Sends a unit along the path, from the sink backwards. A right vertex is entered from the source or from a left
    /// vertex. A left vertex gets its unit from the source, or loses its follower, which is then entered another
    /// way.
    fn augment(&mut self) {
        let mut vertex = self.sink.before[0];
        while let Vertex::Right(i) = vertex {
            vertex = match self.right.before[i as usize] {
                Vertex::Left(j) => {
                    self.enters[i as usize] = Inflow::After(j);
                    self.follower[j as usize] = Some(i);
                    self.left.before[j as usize]
                }
                before => {
                    self.enters[i as usize] = Inflow::New;
                    before
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classic;

    #[test]
    fn classic_cases() {
        classic::check(assign, &classic::CHAIN, &[0, 1, 0, 1, 0], &[64, 32]);
        classic::check(assign, &classic::COMPLEX, &[0, 1, 2, 0, 3, 1, 3, 2, 0], &[32, 64, 8, 8]);
        classic::check_small(assign);
    }

    /// Sizes whose difference does not fit 32 bits.
    #[test]
    fn costs_are_64_bits_wide() {
        let large = 1 << 40;
        classic::check(
            assign,
            &[(large, 0, 0), (1, 0, 0), (large + 1, 1, 1), (2, 1, 1)],
            &[0, 1, 0, 1],
            &[large + 1, 2],
        );
    }

    #[test]
    fn refusals() {
        let message =
            |list: &[(u64, u32, u32)]| assign(&classic::records(list)).unwrap_err().message().to_owned();
        assert_eq!(
            message(&[(1 << 62, 0, 0), (1 << 62, 0, 0)]),
            "the sizes sum to 9223372036854775808 bytes, which must be less than 2^63"
        );
        let many: Vec<(u64, u32, u32)> =
            (0..100_000).map(|i| (u64::from(i * 7919 % 1000), i, i + 1)).collect();
        assert_eq!(
            message(&many),
            "min-cost-flow would examine more than 4294967296 edges for 100000 records"
        );
    }
}

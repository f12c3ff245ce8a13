//! Plans the memory of a segment, and writes the addresses to where they are read.

use super::*;
use crate::layout::{Layout, Tie, TieKind};
use crate::order;
use crate::plan::{PlanLimits, lower_bound};

/// How many records of buffers that lie already are handed to the planner again, over all segments. Beyond that, a
/// segment's memory is stacked on that of the segments before it: so a model of many nodes of dynamic shape is planned
/// in linear time and space.
const MOST_TOLD: usize = 1 << 20;

/// Steps whose order is looked at.
const MOST_ORDERED: usize = 1 << 12;

impl Executor {
    /// Plans the tensors and scratch buffers of steps `first..end`; what lies already and lives on stays. Gives the bytes of
    /// the arena in use now, and what lies there when the segment ends.
    pub(super) fn plan_segment(
        &mut self,
        run: &Run<'_>,
        first: usize,
        end: usize,
    ) -> Result<(u64, Standing)> {
        let before = self.segments.last();
        let below = before.map_or(0, |segment| segment.height);
        let standing = before.map_or_else(Standing::default, |segment| segment.standing.clone());
        let mut segment = self.lay_out(&standing, first, end, &run.settings.techniques);
        if first == 0 && run.settings.techniques.reorder {
            segment = self.reorder(segment, end, &run.settings.techniques);
        }
        let (segment, mut placed) = place(segment, run)?;
        let LaidOut { mut records, layout, scratch_owners, .. } = segment;
        if standing.overflown {
            raise(&mut placed, below)?;
        }
        let height = placed.total_bytes.max(below);
        let kept = standing.buffers.len();
        let standing = standing.after(&layout.buffers, &placed, end);
        records.drain(..kept);
        let places = layout.places[kept..].to_vec();
        let offsets = places.iter().map(|&(buffer, at)| placed.offsets[buffer].saturating_add(at)).collect();
        let plan = Plan { offsets, ..placed };
        let moved = self.grow_arena(height, first)?;
        self.settle(&records, &plan, &scratch_owners, moved);
        self.report.plans.push(SegmentPlan { records, plan, buffers: layout.buffers, places });
        Ok((height, standing))
    }

    /// Which buffers steps `first..end` need, besides those that stand already.
    fn lay_out(&self, standing: &Standing, first: usize, end: usize, techniques: &Techniques) -> LaidOut {
        let mut records = standing.buffers.clone();
        self.add_births(&mut records, first, end);
        let ties = self.ties(&records, first, end);
        let mut scratch_owners = Vec::new();
        for (i, step) in self.steps.iter().enumerate().take(end).skip(first) {
            for request in &step.scratch_requests {
                let mut record = UsageRecord::new(request.bytes, i as u32, i as u32);
                record.alignment = request.alignment.max(ALIGNMENT as u64);
                records.push(record);
                scratch_owners.push(i);
            }
        }
        let layout = Layout::new(&records, &ties, techniques);
        LaidOut { records, ties, layout, scratch_owners }
    }

    /// Puts steps `0..end` into an order that needs less memory, if there is one.
    fn reorder(&mut self, given: LaidOut, end: usize, techniques: &Techniques) -> LaidOut {
        let Some(order) = self.order_problem(&given, end).and_then(|problem| order::better(&problem)) else {
            return given;
        };
        self.permute(&order, techniques);
        let found = self.lay_out(&Standing::default(), 0, end, techniques);
        if lower_bound(&found.layout.buffers) < lower_bound(&given.layout.buffers) {
            return found;
        }
        let mut back = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new, &old)| back[old] = new);
        self.permute(&back, techniques);
        given
    }

    /// Step `i` becomes what step `order[i]` was.
    fn permute(&mut self, order: &[usize], techniques: &Techniques) {
        let rest = self.steps.split_off(order.len());
        let mut steps: Vec<Option<Step>> = self.steps.drain(..).map(Some).collect();
        self.steps.extend(order.iter().filter_map(|&i| steps[i].take()));
        self.steps.extend(rest);
        self.find_lifetimes(techniques);
    }

    /// Steps `0..end` as a problem of order; `None` if theirs is fixed. Records are its values, views those of their sources.
    fn order_problem(&self, given: &LaidOut, end: usize) -> Option<order::Problem> {
        let is_dynamic = end > 0 && self.steps[end - 1].outcome == Outcome::Dynamic;
        if is_dynamic || !(3..=MOST_ORDERED).contains(&end) {
            return None;
        }
        let records = &given.records;
        let mut value: Vec<usize> = (0..records.len()).collect();
        let mut problem = order::Problem {
            nodes: vec![order::Node::default(); end],
            sizes: records.iter().map(|record| record.size).collect(),
            kept: records.iter().map(|record| record.last_node as usize >= end).collect(),
        };
        for tie in given.ties.iter().filter(|tie| tie.kind == TieKind::View) {
            value[tie.output] = value[tie.input];
            problem.kept[value[tie.output]] |= problem.kept[tie.output];
        }
        for tie in given.ties.iter().filter(|tie| tie.kind == TieKind::InPlace) {
            problem.nodes[tie.node as usize].takes_over.get_or_insert(value[tie.input]);
        }
        let record_of: BTreeMap<i32, usize> =
            records.iter().enumerate().filter(|(_, r)| r.tensor >= 0).map(|(i, r)| (r.tensor, i)).collect();
        let mut producer: BTreeMap<i32, usize> = BTreeMap::new();
        let mut stateful = None;
        for (i, step) in self.steps[..end].iter().enumerate() {
            let values = |list: &[i32]| -> BTreeSet<usize> {
                list.iter().filter_map(|t| Some(value[*record_of.get(t)?])).collect()
            };
            let reads = values(step.inputs());
            let node = &mut problem.nodes[i];
            node.writes = values(step.outputs()).difference(&reads).copied().collect();
            node.reads = reads.into_iter().collect();
            node.scratch = step.scratch_requests.iter().map(|request| request.bytes).sum();
            // Of a view, and of what has no record, too.
            node.after = step.inputs().iter().filter_map(|t| producer.get(t).copied()).collect();
            if self.is_stateful(step) {
                node.after.extend(stateful.replace(i));
            }
            for &t in step.outputs().iter().filter(|t| **t >= 0) {
                if producer.insert(t, i).is_some() {
                    return None;
                }
            }
        }
        Some(problem)
    }

    /// Records of the tensors that steps `first..end` write first; the inputs belong to the first segment.
    fn add_births(&self, records: &mut Vec<UsageRecord>, first: usize, end: usize) {
        let from = self.births.partition_point(|&(node, _)| (node as usize) < first);
        let born = self.births[from..].iter().take_while(|&&(node, _)| (node as usize) < end.max(1));
        let mut tensors: Vec<usize> = born.map(|&(_, t)| t).collect();
        tensors.sort_unstable();
        for t in tensors {
            let raw = self.tensors.get(t);
            if raw.flags & (TENSOR_CONSTANT | TENSOR_VARIABLE | TENSOR_DYNAMIC) != 0
                || self.graph.tensors[t].ty.bits() == 0
            {
                continue;
            }
            let Some(life) = self.lives[t] else { continue };
            let mut record = UsageRecord::new(raw.bytes, life.first, life.last);
            record.tensor = t as i32;
            records.push(record);
        }
    }

    /// What the ops of steps `first..end` allow for tensors that this segment places. What an earlier one placed stays alone.
    fn ties(&self, records: &[UsageRecord], first: usize, end: usize) -> Vec<Tie> {
        let new = records.iter().enumerate().filter(|(_, record)| record.fixed().is_none());
        let record_of: BTreeMap<i32, usize> = new.map(|(i, record)| (record.tensor, i)).collect();
        let mut ties = Vec::new();
        for (node, step) in self.steps.iter().enumerate().take(end).skip(first) {
            for share in step.shares.iter().filter(|share| step.shares_all_uses(share)) {
                let output = step.outputs().get(share.output as usize).and_then(|t| record_of.get(t));
                let input = step.inputs().get(share.input as usize).and_then(|t| record_of.get(t));
                let kind = match share.kind {
                    SHARE_VIEW => TieKind::View,
                    SHARE_IN_PLACE => TieKind::InPlace,
                    SHARE_PART_OF_INPUT => TieKind::PartOfInput(share.bytes),
                    SHARE_PART_OF_OUTPUT => TieKind::PartOfOutput(share.bytes),
                    SHARE_BEHIND => TieKind::Behind(step.distance(share)),
                    _ => continue,
                };
                if let (Some(&output), Some(&input)) = (output, input) {
                    ties.push(Tie { node: node as u32, output, input, kind });
                }
            }
        }
        ties
    }

    /// Makes room. Behind the first segment in steps of half the arena, where the quota allows it, so that many small
    /// segments do not copy it each time.
    fn grow_arena(&mut self, height: u64, first: usize) -> Result<bool> {
        let needed = usize::try_from(height).map_err(|_| Error::OutOfMemory { bytes: usize::MAX })?;
        let generous = self.arena.len().saturating_add(self.arena.len() / 2);
        if first > 0
            && (self.arena.len() + 1..generous).contains(&needed)
            && self.arena.grow(generous, &mut self.budget, "the arena").is_ok()
        {
            return Ok(true);
        }
        self.arena.grow(needed, &mut self.budget, "the arena")
    }

    /// Writes the plan's addresses into the tensor table and the steps.
    fn settle(&mut self, records: &[UsageRecord], plan: &Plan, scratch_owners: &[usize], moved: bool) {
        let base = self.arena.as_ptr();
        if moved {
            self.resettle(base);
        }
        for &i in scratch_owners {
            self.steps[i].scratch.clear();
        }
        let mut owners = scratch_owners.iter();
        for (record, &offset) in records.iter().zip(&plan.offsets) {
            // An empty buffer may lie anywhere, so its offset may be beyond the block.
            let data = base.wrapping_add(offset as usize);
            match usize::try_from(record.tensor) {
                Ok(t) => {
                    self.placements[t] = Some(Placement { offset, bytes: record.size });
                    self.tensors.set_data(t, data);
                }
                Err(_) => {
                    let span = ArSpan { data: data.cast(), bytes: record.size };
                    owners.next().into_iter().for_each(|&i| self.steps[i].scratch.push(span));
                }
            }
        }
    }

    /// The arena has moved: so have the tensors and the scratch of earlier segments.
    fn resettle(&mut self, base: *mut u8) {
        for (t, placement) in self.placements.iter().enumerate() {
            if let Some(placement) = placement {
                self.tensors.set_data(t, base.wrapping_add(placement.offset as usize));
            }
        }
        self.resettle_scratch();
    }

    fn resettle_scratch(&mut self) {
        let base = self.arena.as_ptr();
        for (segment, SegmentPlan { records, plan, .. }) in self.segments.iter().zip(&self.report.plans) {
            let scratch = records.iter().zip(&plan.offsets).filter(|(record, _)| record.tensor < 0);
            let mut scratch = scratch.map(|(_, &offset)| offset);
            for step in &mut self.steps[segment.first..segment.end] {
                for span in &mut step.scratch {
                    if let Some(offset) = scratch.next() {
                        span.data = base.wrapping_add(offset as usize).cast();
                    }
                }
            }
        }
    }
}

/// A segment's tensors and scratch buffers, and the buffers that hold them.
struct LaidOut {
    records: Vec<UsageRecord>,
    ties: Vec<Tie>,
    layout: Layout,
    /// The step of each record that is scratch.
    scratch_owners: Vec<usize>,
}

/// Asks the planner. Overlaps make buffers of odd lives and sizes: where a planner cannot use what they save, it is asked
/// again without them.
fn place(segment: LaidOut, run: &Run<'_>) -> Result<(LaidOut, Plan)> {
    let (planner, techniques) = (&run.settings.planner, &run.settings.techniques);
    let placed = planner.plan(&segment.layout.buffers, &PlanLimits::default())?;
    if placed.total_bytes == placed.lower_bound || !techniques.overlap {
        return Ok((segment, placed));
    }
    let simple = Techniques { overlap: false, ..*techniques };
    let layout = Layout::new(&segment.records, &segment.ties, &simple);
    let other = planner.plan(&layout.buffers, &PlanLimits::default())?;
    Ok(match other.total_bytes < placed.total_bytes {
        true => (LaidOut { layout, ..segment }, other),
        false => (segment, placed),
    })
}

/// The arena when a segment ends: what the next one must leave alone.
#[derive(Clone, Default)]
pub(super) struct Standing {
    /// Fixed where they lie.
    buffers: Vec<UsageRecord>,
    /// How many of them were handed to the planner, over all segments so far.
    told: usize,
    /// They became too many: the next segments are stacked on all that there is.
    overflown: bool,
}

impl Standing {
    /// After a segment whose last step is the one before `end`.
    fn after(&self, buffers: &[UsageRecord], placed: &Plan, end: usize) -> Standing {
        let alive =
            buffers.iter().zip(&placed.offsets).filter(|(buffer, _)| buffer.last_node as usize >= end);
        let buffers: Vec<UsageRecord> =
            alive.map(|(buffer, &offset)| UsageRecord { fixed_offset: offset, ..*buffer }).collect();
        let told = self.told.saturating_add(buffers.len());
        match self.overflown || told > MOST_TOLD {
            true => Standing { buffers: Vec::new(), told, overflown: true },
            false => Standing { buffers, told, overflown: false },
        }
    }
}

/// Moves a plan up, onto what lies already.
fn raise(plan: &mut Plan, below: u64) -> Result<()> {
    let base = below.checked_next_multiple_of(ALIGNMENT as u64);
    let raised = base.and_then(|base| Some((base, plan.total_bytes.checked_add(base)?)));
    let (base, total) = raised.ok_or(Error::OutOfMemory { bytes: usize::MAX })?;
    plan.total_bytes = total;
    // Records without bytes may lie anywhere, so that their offset may be any number.
    plan.offsets.iter_mut().for_each(|offset| *offset = offset.saturating_add(base));
    Ok(())
}

//! Prepared → Placed: assigns each tensor and scratch buffer of a segment its offset in the arena.

use std::collections::{BTreeMap, BTreeSet};

use arenite_abi::UsageRecord;
use arenite_abi::raw::{
    ArSpan, SHARE_BEHIND, SHARE_IN_PLACE, SHARE_PART_OF_INPUT, SHARE_PART_OF_OUTPUT, SHARE_VIEW,
    TENSOR_CONSTANT, TENSOR_DYNAMIC, TENSOR_VARIABLE,
};
use arenite_layout::{Layout, Techniques, Tie, TieKind, order};

use super::memory::Memory;
use super::named_plan::plan_named;
use super::outside::{Overwrite, lent_tensors, overwrites};
use super::pending::PendingNodes;
use super::prepared::Prepared;
use super::site::Site;
use super::step::Step;
use crate::arena::ALIGNMENT;
use crate::error::{Error, Result};
use crate::planning::lifetime::{Lifetime, LifetimeInput, OutputLifetimeStart, lifetimes};
use crate::planning::plan::{Plan, SegmentPlan, lower_bound};

/// Limits how many records of buffers that are already placed are passed to the planner again, summed over all
/// segments. Once it is reached, a segment's memory is stacked on top of the memory of the segments before it, so a
/// model with many nodes of dynamic shape is planned in linear time and space.
const MOST_TOLD: usize = 1 << 18;

/// Limits on the steps that are reordered, and on their operands.
const MOST_ORDERED: usize = 1 << 12;
const MOST_OPERANDS: usize = 1 << 16;

/// The memory of a segment.
pub(crate) struct Placed {
    pub plan: SegmentPlan,
    /// For each scratch record, the index of its step within the segment.
    scratch_owners: Vec<usize>,
    /// Tensors in lent memory.
    lent: Vec<usize>,
    /// Tied outputs in the memory of their inputs.
    overwrites: Vec<Overwrite>,
    /// Bytes of the arena that this segment and the earlier ones use.
    pub height: u64,
    standing: ArenaState,
}

/// The buffers that are still in use when a segment ends. The next segment must not overwrite them.
#[derive(Clone, Default)]
struct ArenaState {
    /// The buffers, with fixed offsets.
    buffers: Vec<UsageRecord>,
    /// For each tensor in them, the index of its buffer.
    of: BTreeMap<i32, usize>,
    /// How many of these records were passed to the planner, over all segments so far.
    told: usize,
    /// There were too many, so the next segments are stacked on top of everything.
    overflown: bool,
}

/// Places a segment, whose first step has number `first`, after the segment `before`. May reorder the steps if that
/// needs less memory.
pub(crate) fn place(
    site: &Site<'_>,
    prepared: &mut Prepared,
    first: usize,
    before: Option<&Placed>,
) -> Result<Placed> {
    let techniques = &site.run.settings.techniques;
    let below = before.map_or(0, |before| before.height);
    let standing = before.map_or_else(ArenaState::default, |before| before.standing.clone());
    let Prepared { steps, after } = prepared;
    let overwrites = overwrites(site, steps, after);
    let about = Segment { site, after, first, techniques, overwrites: &overwrites };
    let mut segment = about.lay_out(steps, &standing);
    if before.is_none() && techniques.reorder {
        segment = about.reorder(steps, segment);
    }
    let (segment, mut placed) = ask_planner(segment, site)?;
    let lent = lent_tensors(site, &segment.lives)?;
    let SegmentLayout { lives, mut records, layout, scratch_owners, .. } = segment;
    if standing.overflown {
        raise(&mut placed, below)?;
    }
    let height = placed.total_bytes.max(below);
    let kept = standing.buffers.len();
    let standing = standing.after(&records, &lives, &layout, &placed, first + steps.len());
    records.drain(..kept);
    let places = layout.places[kept..].to_vec();
    let offsets = places.iter().map(|&(buffer, at)| placed.offsets[buffer].saturating_add(at)).collect();
    let plan = Plan { offsets, ..placed }.logged(&site.run.settings.planner.name);
    let plan = SegmentPlan { records, plan, buffers: layout.buffers, places };
    Ok(Placed { plan, scratch_owners, lent, overwrites, height, standing })
}

impl Placed {
    /// Writes the addresses into the tensor table and the steps.
    pub(crate) fn settle(&self, memory: &mut Memory, steps: &mut [Step]) {
        let base = memory.arena.as_ptr();
        self.scratch_owners.iter().for_each(|&i| steps[i].scratch.clear());
        let mut owners = self.scratch_owners.iter();
        for (record, &offset) in self.plan.records.iter().zip(&self.plan.plan.offsets) {
            // The offset of an empty buffer is arbitrary and may be past the end of the block.
            let data = base.wrapping_add(offset as usize);
            match usize::try_from(record.tensor) {
                Ok(t) => memory.table.set_data(t, data),
                Err(_) => {
                    let span = ArSpan { data: data.cast(), bytes: record.size };
                    owners.next().into_iter().for_each(|&i| steps[i].scratch.push(span));
                }
            }
        }
        let Memory { table, lent, .. } = memory;
        for (&t, lent) in self.lent.iter().filter_map(|t| Some((t, lent.get(t)?))) {
            table.set_data(t, lent.as_ptr());
        }
        for Overwrite { pair, .. } in &self.overwrites {
            table.set_data(pair.output, table.get(pair.input).data.cast());
        }
    }
}

/// A segment's tensors and scratch buffers, and the buffers that hold them.
struct SegmentLayout {
    lives: BTreeMap<i32, Lifetime>,
    records: Vec<UsageRecord>,
    ties: Vec<Tie>,
    layout: Layout,
    scratch_owners: Vec<usize>,
}

/// The properties of a segment that do not depend on the order of its steps.
struct Segment<'a> {
    site: &'a Site<'a>,
    after: &'a PendingNodes,
    /// The number of the first step.
    first: usize,
    techniques: &'a Techniques,
    overwrites: &'a [Overwrite],
}

impl Segment<'_> {
    /// The buffers that the steps need in addition to the buffers of earlier segments.
    fn lay_out(&self, steps: &[Step], standing: &ArenaState) -> SegmentLayout {
        let lives = self.lives(steps, standing);
        let mut records = standing.buffers.clone();
        self.lengthen(&mut records, standing, &lives);
        self.add_tensors(&mut records, standing, &lives);
        let ties = self.ties(&records, steps);
        let mut scratch_owners = Vec::new();
        for (i, step) in steps.iter().enumerate() {
            for request in &step.scratch_requests {
                let number = (self.first + i) as u32;
                let mut record = UsageRecord::new(request.bytes, number, number);
                record.alignment = request.alignment.max(ALIGNMENT as u64);
                records.push(record);
                scratch_owners.push(i);
            }
        }
        let layout = Layout::new(&records, &ties, self.techniques);
        SegmentLayout { lives, records, ties, layout, scratch_owners }
    }

    /// The lifetime of each tensor that the steps write or that an earlier segment left; the inputs belong to the first
    /// segment.
    fn lives(&self, steps: &[Step], standing: &ArenaState) -> BTreeMap<i32, Lifetime> {
        let graph = self.site.graph;
        let inputs = if self.first == 0 { &graph.inputs[..] } else { &[] };
        let given: Vec<i32> = inputs.iter().copied().chain(standing.of.keys().copied()).collect();
        let wanted = self.site.run.settings.lifetimes;
        let is_output = |t: i32| usize::try_from(t).is_ok_and(|t| graph.is_output(t));
        let is_kept = |t: i32| {
            usize::try_from(t).is_ok_and(|t| {
                wanted.preserve_all
                    || graph.is_output(t)
                    || graph.tensors[t].variable
                    || (graph.is_input(t) && !self.techniques.overwrite_inputs)
                    || self.after.reads(graph, t)
            })
        };
        lifetimes(LifetimeInput {
            nodes: &mut steps.iter().map(|step| (step.inputs(), step.outputs())),
            first: self.first as u32,
            given: &given,
            is_kept: &is_kept,
            is_early: &|t| wanted.outputs == OutputLifetimeStart::Start && is_output(t),
        })
    }

    /// A buffer of an earlier segment lives until its last tensor is read.
    fn lengthen(&self, records: &mut [UsageRecord], standing: &ArenaState, lives: &BTreeMap<i32, Lifetime>) {
        records.iter_mut().for_each(|record| record.last_node = self.first as u32);
        for (t, &buffer) in &standing.of {
            let last = lives.get(t).map_or(UsageRecord::FOREVER, |life| life.last);
            records[buffer].last_node = records[buffer].last_node.max(last);
        }
    }

    /// Records of the tensors that have no memory yet.
    fn add_tensors(
        &self,
        records: &mut Vec<UsageRecord>,
        standing: &ArenaState,
        lives: &BTreeMap<i32, Lifetime>,
    ) {
        for (&t, life) in lives {
            let Ok(index) = usize::try_from(t) else { continue };
            let raw = self.site.memory.table.get(index);
            if raw.flags & (TENSOR_CONSTANT | TENSOR_VARIABLE | TENSOR_DYNAMIC) != 0
                || self.site.graph.tensors[index].ty.bits() == 0
                || standing.of.contains_key(&t)
                || self.site.memory.lent.contains_key(&index)
                || self.overwrites.iter().any(|overwrite| overwrite.pair.output == index)
            {
                continue;
            }
            let mut record = UsageRecord::new(raw.bytes, life.first, life.last);
            record.tensor = t;
            records.push(record);
        }
    }

    /// The memory sharing that ops allow for tensors that this segment places. Tensors of earlier segments are never
    /// shared.
    fn ties(&self, records: &[UsageRecord], steps: &[Step]) -> Vec<Tie> {
        let new = records.iter().enumerate().filter(|(_, record)| record.fixed().is_none());
        let record_of: BTreeMap<i32, usize> = new.map(|(i, record)| (record.tensor, i)).collect();
        let mut ties = Vec::new();
        for (i, step) in steps.iter().enumerate() {
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
                    ties.push(Tie { node: (self.first + i) as u32, output, input, kind });
                }
            }
        }
        ties
    }

    /// Reorders the steps of the first segment if another order needs less memory.
    fn reorder(&self, steps: &mut Vec<Step>, given: SegmentLayout) -> SegmentLayout {
        let is_over = || self.site.run.is_over();
        let problem = self.order_problem(steps, &given);
        let Some(order) = problem.and_then(|problem| order::find_better(&problem, &is_over)) else {
            return given;
        };
        permute(steps, &order);
        let found = self.lay_out(steps, &ArenaState::default());
        if lower_bound(&found.layout.buffers) < lower_bound(&given.layout.buffers) {
            return found;
        }
        let mut back = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new, &old)| back[old] = new);
        permute(steps, &back);
        given
    }

    /// The steps as an ordering problem, or `None` if their order is fixed. Its values are the records; a view counts
    /// as its source.
    fn order_problem(&self, steps: &[Step], given: &SegmentLayout) -> Option<order::Problem> {
        let is_dynamic = steps.last().is_some_and(|step| step.dynamic);
        let operands: usize = steps.iter().map(|step| step.inputs().len() + step.outputs().len()).sum();
        if is_dynamic || !(3..=MOST_ORDERED).contains(&steps.len()) || operands > MOST_OPERANDS {
            return None;
        }
        let records = &given.records;
        let mut value: Vec<usize> = (0..records.len()).collect();
        let mut problem = order::Problem {
            nodes: vec![order::Node::default(); steps.len()],
            sizes: records.iter().map(|record| record.size).collect(),
            kept: records.iter().map(|record| record.last_node as usize >= steps.len()).collect(),
        };
        for tie in given.ties.iter().filter(|tie| tie.kind == TieKind::View) {
            value[tie.output] = value[tie.input];
            problem.kept[value[tie.output]] |= problem.kept[tie.output];
        }
        for tie in given.ties.iter().filter(|tie| tie.kind == TieKind::InPlace) {
            problem.nodes[tie.node as usize].takes_over.get_or_insert(value[tie.input]);
        }
        self.connect(steps, records, &value, &mut problem)?;
        Some(problem)
    }

    /// The values that each step reads and writes, and the steps that it waits for; `None` if two steps write the same
    /// tensor.
    fn connect(
        &self,
        steps: &[Step],
        records: &[UsageRecord],
        value: &[usize],
        problem: &mut order::Problem,
    ) -> Option<()> {
        let record_of: BTreeMap<i32, usize> =
            records.iter().enumerate().filter(|(_, r)| r.tensor >= 0).map(|(i, r)| (r.tensor, i)).collect();
        let mut producer: BTreeMap<i32, usize> = BTreeMap::new();
        let mut stateful = None;
        for (i, step) in steps.iter().enumerate() {
            let values = |list: &[i32]| -> BTreeSet<usize> {
                list.iter().filter_map(|t| Some(value[*record_of.get(t)?])).collect()
            };
            let reads = values(step.inputs());
            let node = &mut problem.nodes[i];
            node.writes = values(step.outputs()).difference(&reads).copied().collect();
            node.reads = reads.into_iter().collect();
            node.scratch = step.scratch_requests.iter().map(|request| request.bytes).sum();
            // This includes views and tensors without a record.
            node.after = step.inputs().iter().filter_map(|t| producer.get(t).copied()).collect();
            // All readers of a tied input come before the step that overwrites it.
            let inputs = self.overwrites.iter().filter(|overwrite| overwrite.step == i);
            for input in inputs.map(|overwrite| overwrite.pair.input as i32) {
                let reads = |&j: &usize| j != i && steps[j].inputs().contains(&input);
                node.after.extend((0..steps.len()).filter(reads));
            }
            if step.members().iter().any(|&node| self.site.graph.is_stateful(node)) {
                node.after.extend(stateful.replace(i));
            }
            for &t in step.outputs().iter().filter(|t| **t >= 0) {
                if producer.insert(t, i).is_some() {
                    return None;
                }
            }
        }
        Some(())
    }
}

/// Step `i` becomes the former step `order[i]`.
fn permute(steps: &mut Vec<Step>, order: &[usize]) {
    let mut old: Vec<Option<Step>> = steps.drain(..).map(Some).collect();
    steps.extend(order.iter().filter_map(|&i| old[i].take()));
}

/// Asks the planner. Overlaps create buffers with odd lifetimes and sizes, so if the planner cannot profit from them,
/// it is asked again without them.
fn ask_planner(segment: SegmentLayout, site: &Site<'_>) -> Result<(SegmentLayout, Plan)> {
    let techniques = &site.run.settings.techniques;
    let placed = plan_named(site, &segment.layout.buffers)?;
    if placed.total_bytes == placed.lower_bound || !techniques.overlap {
        return Ok((segment, placed));
    }
    let simple = Techniques { overlap: false, ..*techniques };
    let layout = Layout::new(&segment.records, &segment.ties, &simple);
    let other = plan_named(site, &layout.buffers)?;
    Ok(match other.total_bytes < placed.total_bytes {
        true => (SegmentLayout { layout, ..segment }, other),
        false => (segment, placed),
    })
}

impl ArenaState {
    /// The state after a segment; `end` is the number of the step after its last one.
    fn after(
        &self,
        records: &[UsageRecord],
        lives: &BTreeMap<i32, Lifetime>,
        layout: &Layout,
        placed: &Plan,
        end: usize,
    ) -> ArenaState {
        let alive = |buffer: usize| layout.buffers[buffer].last_node as usize >= end;
        let mut number = BTreeMap::new();
        let mut buffers = Vec::new();
        for (i, &offset) in placed.offsets.iter().enumerate().filter(|&(i, _)| alive(i)) {
            number.insert(i, buffers.len());
            buffers.push(UsageRecord { fixed_offset: offset, ..layout.buffers[i] });
        }
        let told = self.told.saturating_add(buffers.len());
        if self.overflown || told > MOST_TOLD {
            return ArenaState { told, overflown: true, ..ArenaState::default() };
        }
        // The buffers of earlier segments are the first records, in the same order.
        let old = self.of.iter().map(|(&t, &record)| (t, layout.places[record].0));
        let new = records.iter().zip(&layout.places).skip(self.buffers.len());
        let new = new.map(|(record, &(buffer, _))| (record.tensor, buffer));
        let lives_on = |t: i32| lives.get(&t).is_some_and(|life| life.last as usize >= end);
        let of = old.chain(new).filter(|&(t, _)| lives_on(t));
        let of = of.filter_map(|(t, buffer)| Some((t, *number.get(&buffer)?))).collect();
        ArenaState { buffers, of, told, overflown: false }
    }
}

/// Moves a plan up by `below` bytes, on top of the buffers that are already placed.
fn raise(plan: &mut Plan, below: u64) -> Result<()> {
    let base = below.checked_next_multiple_of(ALIGNMENT as u64);
    let raised = base.and_then(|base| Some((base, plan.total_bytes.checked_add(base)?)));
    let (base, total) = raised.ok_or(Error::OutOfMemory { bytes: usize::MAX })?;
    plan.total_bytes = total;
    // Records without bytes may be anywhere, so their offset may be any number.
    plan.offsets.iter_mut().for_each(|offset| *offset = offset.saturating_add(base));
    Ok(())
}

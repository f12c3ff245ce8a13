//! Prepared → Placed: where in the arena each tensor and each scratch buffer of a segment lies.

use std::collections::{BTreeMap, BTreeSet};

use arenite_abi::UsageRecord;
use arenite_abi::raw::{
    ArSpan, SHARE_BEHIND, SHARE_IN_PLACE, SHARE_PART_OF_INPUT, SHARE_PART_OF_OUTPUT, SHARE_VIEW,
    TENSOR_CONSTANT, TENSOR_DYNAMIC, TENSOR_VARIABLE,
};
use arenite_layout::{Layout, Techniques, Tie, TieKind, order};

use super::memory::Memory;
use super::pending::Pending;
use super::prepared::Prepared;
use super::step::Step;
use super::{BUFFER_ALIGNMENT, Site, is_stateful};
use crate::error::{Error, Result};
use crate::planning::lifetime::{Lifetime, LifetimeInput, OutputsFrom, lifetimes};
use crate::planning::plan::{Plan, PlanLimits, SegmentPlan, lower_bound};
use crate::run::Run;

/// How many records of buffers that lie already are handed to the planner again, over all segments. Beyond that, a
/// segment's memory is stacked on that of the segments before it: so a model of many nodes of dynamic shape is planned
/// in linear time and space.
const MOST_TOLD: usize = 1 << 18;

/// The most steps, and the most operands of all of them, that are put into another order.
const MOST_ORDERED: usize = 1 << 12;
const MOST_OPERANDS: usize = 1 << 16;

/// A segment's memory.
pub(crate) struct Placed {
    pub plan: SegmentPlan,
    /// The step of each record that is scratch, counted within the segment.
    scratch_owners: Vec<usize>,
    /// Tensors that lie in lent memory.
    lent: Vec<usize>,
    /// Bytes of the arena that this segment and those before it use.
    pub height: u64,
    standing: Standing,
}

/// The arena when a segment ends: what the next one must leave alone.
#[derive(Clone, Default)]
struct Standing {
    /// Fixed where they lie.
    buffers: Vec<UsageRecord>,
    /// The buffer of each tensor in them.
    of: BTreeMap<i32, usize>,
    /// How many of them were handed to the planner, over all segments so far.
    told: usize,
    /// They became too many: the next segments are stacked on all that there is.
    overflown: bool,
}

/// Places a segment whose first step has number `first`, on top of what the segment before it left. May give its steps an
/// order that needs less memory.
pub(crate) fn place(
    site: &Site<'_>,
    prepared: &mut Prepared,
    first: usize,
    before: Option<&Placed>,
) -> Result<Placed> {
    let techniques = &site.run.settings.techniques;
    let below = before.map_or(0, |before| before.height);
    let standing = before.map_or_else(Standing::default, |before| before.standing.clone());
    let Prepared { steps, after } = prepared;
    let mut segment = Segment { site, after, first, techniques }.lay_out(steps, &standing);
    if before.is_none() && techniques.reorder {
        segment = Segment { site, after, first, techniques }.reorder(steps, segment);
    }
    let (segment, mut placed) = ask_planner(segment, site.run)?;
    let lent = lent_tensors(site, &segment.lives)?;
    let LaidOut { lives, mut records, layout, scratch_owners, .. } = segment;
    if standing.overflown {
        raise(&mut placed, below)?;
    }
    let height = placed.total_bytes.max(below);
    let kept = standing.buffers.len();
    let standing = standing.after(&records, &lives, &layout, &placed, first + steps.len());
    records.drain(..kept);
    let places = layout.places[kept..].to_vec();
    let offsets = places.iter().map(|&(buffer, at)| placed.offsets[buffer].saturating_add(at)).collect();
    let plan = Plan { offsets, ..placed };
    let plan = SegmentPlan { records, plan, buffers: layout.buffers, places };
    Ok(Placed { plan, scratch_owners, lent, height, standing })
}

impl Placed {
    /// Writes the addresses into the tensor table and the steps.
    pub fn settle(&self, memory: &mut Memory, steps: &mut [Step]) {
        let base = memory.arena.as_ptr();
        self.scratch_owners.iter().for_each(|&i| steps[i].scratch.clear());
        let mut owners = self.scratch_owners.iter();
        for (record, &offset) in self.plan.records.iter().zip(&self.plan.plan.offsets) {
            // An empty buffer may lie anywhere, so its offset may be beyond the block.
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
    }
}

/// Those of these tensors that lie in lent memory, which has room for them. Constants and tensors of dynamic shape lie elsewhere.
fn lent_tensors(site: &Site<'_>, lives: &BTreeMap<i32, Lifetime>) -> Result<Vec<usize>> {
    let mut tensors = Vec::new();
    for (&t, lent) in &site.memory.lent {
        let raw = site.memory.table.get(t);
        if raw.flags & TENSOR_DYNAMIC != 0 || !lives.contains_key(&(t as i32)) {
            continue;
        }
        lent.check(&site.graph.tensors[t].name, raw.bytes)?;
        if raw.flags & (TENSOR_CONSTANT | TENSOR_VARIABLE) == 0 {
            tensors.push(t);
        }
    }
    Ok(tensors)
}

/// A segment's tensors and scratch buffers, and the buffers that hold them.
struct LaidOut {
    lives: BTreeMap<i32, Lifetime>,
    records: Vec<UsageRecord>,
    ties: Vec<Tie>,
    layout: Layout,
    scratch_owners: Vec<usize>,
}

/// What is the same for every order of a segment's steps.
struct Segment<'a> {
    site: &'a Site<'a>,
    after: &'a Pending,
    /// Number of the first step.
    first: usize,
    techniques: &'a Techniques,
}

impl Segment<'_> {
    /// Which buffers the steps need, besides those that stand already.
    fn lay_out(&self, steps: &[Step], standing: &Standing) -> LaidOut {
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
                record.alignment = request.alignment.max(BUFFER_ALIGNMENT);
                records.push(record);
                scratch_owners.push(i);
            }
        }
        let layout = Layout::new(&records, &ties, self.techniques);
        LaidOut { lives, records, ties, layout, scratch_owners }
    }

    /// When each tensor lives that the steps write or that stands already; the inputs belong to the first segment.
    fn lives(&self, steps: &[Step], standing: &Standing) -> BTreeMap<i32, Lifetime> {
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
            is_early: &|t| wanted.outputs == OutputsFrom::Start && is_output(t),
        })
    }

    /// What stands lives until the last of its tensors is read.
    fn lengthen(&self, records: &mut [UsageRecord], standing: &Standing, lives: &BTreeMap<i32, Lifetime>) {
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
        standing: &Standing,
        lives: &BTreeMap<i32, Lifetime>,
    ) {
        for (&t, life) in lives {
            let Ok(index) = usize::try_from(t) else { continue };
            let raw = self.site.memory.table.get(index);
            if raw.flags & (TENSOR_CONSTANT | TENSOR_VARIABLE | TENSOR_DYNAMIC) != 0
                || self.site.graph.tensors[index].ty.bits() == 0
                || standing.of.contains_key(&t)
                || self.site.memory.lent.contains_key(&index)
            {
                continue;
            }
            let mut record = UsageRecord::new(raw.bytes, life.first, life.last);
            record.tensor = t;
            records.push(record);
        }
    }

    /// What the ops allow for tensors that this segment places. What an earlier one placed stays alone.
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

    /// Puts the steps of the first segment into an order that needs less memory, if there is one.
    fn reorder(&self, steps: &mut Vec<Step>, given: LaidOut) -> LaidOut {
        let is_over = || self.site.run.is_over();
        let problem = self.order_problem(steps, &given);
        let Some(order) = problem.and_then(|problem| order::better(&problem, &is_over)) else {
            return given;
        };
        permute(steps, &order);
        let found = self.lay_out(steps, &Standing::default());
        if lower_bound(&found.layout.buffers) < lower_bound(&given.layout.buffers) {
            return found;
        }
        let mut back = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new, &old)| back[old] = new);
        permute(steps, &back);
        given
    }

    /// The steps as a problem of order; `None` if theirs is fixed. Records are its values, views those of their sources.
    fn order_problem(&self, steps: &[Step], given: &LaidOut) -> Option<order::Problem> {
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

    /// What each step reads, writes and waits for; `None` where two write the same tensor.
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
            // Of a view, and of what has no record, too.
            node.after = step.inputs().iter().filter_map(|t| producer.get(t).copied()).collect();
            if step.members().iter().any(|&node| is_stateful(self.site.graph, node)) {
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

/// Step `i` becomes what step `order[i]` was.
fn permute(steps: &mut Vec<Step>, order: &[usize]) {
    let mut old: Vec<Option<Step>> = steps.drain(..).map(Some).collect();
    steps.extend(order.iter().filter_map(|&i| old[i].take()));
}

/// Asks the planner. Overlaps make buffers of odd lives and sizes: where a planner cannot use what they save, it is asked
/// again without them.
fn ask_planner(segment: LaidOut, run: &Run<'_>) -> Result<(LaidOut, Plan)> {
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

impl Standing {
    /// After a segment whose last step is the one before `end`.
    fn after(
        &self,
        records: &[UsageRecord],
        lives: &BTreeMap<i32, Lifetime>,
        layout: &Layout,
        placed: &Plan,
        end: usize,
    ) -> Standing {
        let alive = |buffer: usize| layout.buffers[buffer].last_node as usize >= end;
        let mut number = BTreeMap::new();
        let mut buffers = Vec::new();
        for (i, &offset) in placed.offsets.iter().enumerate().filter(|&(i, _)| alive(i)) {
            number.insert(i, buffers.len());
            buffers.push(UsageRecord { fixed_offset: offset, ..layout.buffers[i] });
        }
        let told = self.told.saturating_add(buffers.len());
        if self.overflown || told > MOST_TOLD {
            return Standing { told, overflown: true, ..Standing::default() };
        }
        // What stood before is the first of the records, in the same order.
        let old = self.of.iter().map(|(&t, &record)| (t, layout.places[record].0));
        let new = records.iter().zip(&layout.places).skip(self.buffers.len());
        let new = new.map(|(record, &(buffer, _))| (record.tensor, buffer));
        let lives_on = |t: i32| lives.get(&t).is_some_and(|life| life.last as usize >= end);
        let of = old.chain(new).filter(|&(t, _)| lives_on(t));
        let of = of.filter_map(|(t, buffer)| Some((t, *number.get(&buffer)?))).collect();
        Standing { buffers, of, told, overflown: false }
    }
}

/// Moves a plan up, onto what lies already.
fn raise(plan: &mut Plan, below: u64) -> Result<()> {
    let base = below.checked_next_multiple_of(BUFFER_ALIGNMENT);
    let raised = base.and_then(|base| Some((base, plan.total_bytes.checked_add(base)?)));
    let (base, total) = raised.ok_or(Error::OutOfMemory { bytes: usize::MAX })?;
    plan.total_bytes = total;
    // Records without bytes may lie anywhere, so that their offset may be any number.
    plan.offsets.iter_mut().for_each(|offset| *offset = offset.saturating_add(base));
    Ok(())
}

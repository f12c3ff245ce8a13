//! Detailed plans: the scratch memory of a partition is replaced by the buffers in it.
//!
//! ```text
//! steps of the plan       0   1 (a partition)   2
//! steps as they run       0   1   2   3   4     5
//! scratch of step 1           ├──────────────┤        one record, at offset s
//! buffers that it holds       ├──┤   ├──────┤         at offsets s + a, s + b
//!                                 ├──────┤            at s + c
//! ```

use arenite_abi::UsageRecord;

use crate::host::compile::InnerBuffer;
use crate::planning::plan::SegmentPlan;
use crate::planning::plan::{Plan, lower_bound, validate};
use crate::stages::runner::Runner;
use crate::stages::step::{Kernel, Step};

/// The memory of a segment in detail. If a delegate reports the buffers in its partition's scratch memory, they replace
/// the scratch record, and the partition counts as many steps as its kernel has. Its inputs and outputs live through
/// all of them.
#[derive(Clone, Debug, Default)]
pub struct DetailedPlan {
    /// The plan of [`Interpreter::memory_plan`](crate::Interpreter::memory_plan), with lifetimes in these steps. The
    /// total is the same; the lower bound is computed from these records. A buffer inside a partition has the index of
    /// its tensor if it is one.
    pub memory: SegmentPlan,
    /// For each record, its first step as [`steps_of`](crate::Interpreter::steps_of) counts them; a buffer inside a
    /// partition has the partition's.
    pub steps: Vec<usize>,
    /// For each record, the delegate's name for it; `None` outside of partitions.
    pub names: Vec<Option<String>>,
    /// The number of detailed steps, over all segments.
    pub step_count: u32,
}

/// The most steps of one partition that are distinguished. A kernel with more counts as one step.
const MOST_INNER_STEPS: u32 = 1 << 20;

/// The detailed memory of each segment.
pub(crate) fn detailed(runner: &Runner) -> Vec<DetailedPlan> {
    let steps: Vec<StepDetail> = runner.steps().map(StepDetail::of).collect();
    let axis = Axis::of(&steps);
    runner.plans().map(|plan| expand(plan, &steps, &axis)).collect()
}

/// The buffers in a step's scratch memory.
struct StepDetail {
    /// How many detailed steps it has; none if its results are constant.
    steps: u32,
    /// The buffers of each scratch request; none if they are unknown.
    scratch: Vec<Vec<InnerBuffer>>,
}

impl StepDetail {
    fn of(step: &Step) -> Self {
        let mut scratch: Vec<Vec<InnerBuffer>> = step.scratch_requests.iter().map(|_| Vec::new()).collect();
        if let Kernel::Partition(kernel) = &step.kernel {
            for buffer in kernel.inner_plan().into_iter().flatten() {
                if let Some(list) = scratch.get_mut(buffer.scratch as usize) {
                    list.push(buffer);
                }
            }
        }
        for (buffers, request) in scratch.iter_mut().zip(&step.scratch_requests) {
            if !is_plan(buffers, request.bytes) {
                buffers.clear();
            }
        }
        let ends = scratch.iter().flatten().map(|buffer| end_of(&buffer.record));
        StepDetail { steps: ends.max().unwrap_or(u32::from(!step.is_constant())), scratch }
    }
}

/// Whether the buffers fit into `bytes` bytes and do not overlap while they live.
fn is_plan(buffers: &[InnerBuffer], bytes: u64) -> bool {
    let records: Vec<UsageRecord> = buffers.iter().map(|buffer| buffer.record).collect();
    let offsets: Vec<u64> = buffers.iter().map(|buffer| buffer.offset).collect();
    validate(&records, &offsets).is_ok_and(|total| total <= bytes)
        && records.iter().all(|record| end_of(record) <= MOST_INNER_STEPS)
}

/// The step after the last one of a lifetime.
fn end_of(record: &UsageRecord) -> u32 {
    let last = if record.last_node == UsageRecord::FOREVER { record.first_node } else { record.last_node };
    last.saturating_add(1)
}

/// The first detailed step of each step of the plan, and the end of the last one.
struct Axis {
    starts: Vec<u32>,
}

impl Axis {
    fn of(steps: &[StepDetail]) -> Self {
        let mut starts = vec![0u32];
        starts.extend(steps.iter().scan(0u32, |end, step| {
            *end = end.saturating_add(step.steps);
            Some(*end)
        }));
        Axis { starts }
    }

    fn end(&self) -> u32 {
        self.starts.last().copied().unwrap_or(0)
    }

    fn first(&self, step: u32) -> u32 {
        self.starts.get(step as usize).copied().unwrap_or(self.end())
    }

    /// The last detailed step of a step.
    fn last(&self, step: u32) -> u32 {
        match step {
            UsageRecord::FOREVER => step,
            _ => self.first(step.saturating_add(1)).saturating_sub(1),
        }
    }

    fn stretch(&self, record: &UsageRecord) -> UsageRecord {
        let first_node = self.first(record.first_node);
        UsageRecord { first_node, last_node: self.last(record.last_node).max(first_node), ..*record }
    }

    /// The record of a buffer inside step `step`.
    fn place(&self, inner: &UsageRecord, step: u32) -> UsageRecord {
        let start = self.first(step);
        let last_node = match inner.last_node {
            UsageRecord::FOREVER => self.last(step),
            last => start.saturating_add(last),
        };
        let first_node = start.saturating_add(inner.first_node);
        UsageRecord { first_node, last_node, fixed_offset: UsageRecord::ANYWHERE, ..*inner }
    }
}

/// The plan of a segment, with the buffers inside its steps.
fn expand(outer: &SegmentPlan, steps: &[StepDetail], axis: &Axis) -> DetailedPlan {
    let inner = inner_of(outer, steps);
    let replaced = outer.places.iter().zip(&inner).filter(|(_, inner)| !inner.is_empty());
    let mut is_kept = vec![true; outer.buffers.len()];
    replaced.for_each(|(&(buffer, _), _)| is_kept[buffer] = false);
    let mut found = Expansion::new(&outer.buffers, &is_kept, axis);
    for (i, (record, inner)) in outer.records.iter().zip(inner).enumerate() {
        match inner.is_empty() {
            true => found.keep(record, outer.places[i], outer.plan.offsets[i]),
            false => inner.iter().for_each(|buffer| found.add(record, buffer, outer.plan.offsets[i])),
        }
    }
    let Expansion { mut detail, offsets, .. } = found;
    let total_bytes = outer.plan.total_bytes;
    let lower_bound = lower_bound(&detail.memory.buffers).min(total_bytes);
    let is_same = !is_kept.contains(&false);
    detail.memory.plan = Plan {
        offsets,
        total_bytes,
        lower_bound,
        optimal: is_same && outer.plan.optimal || lower_bound == total_bytes,
        objects: outer.plan.objects.clone().filter(|_| is_same),
    };
    detail
}

/// For each record, the buffers in it if it is scratch memory whose content is known.
fn inner_of<'a>(outer: &SegmentPlan, steps: &'a [StepDetail]) -> Vec<&'a [InnerBuffer]> {
    // A step's scratch records have the order of its requests.
    let mut seen = vec![0; steps.len()];
    let mut inner = |record: &UsageRecord| {
        let step = record.first_node as usize;
        let number = seen.get_mut(step).filter(|_| record.tensor < 0)?;
        *number += 1;
        steps[step].scratch.get(*number - 1).map(Vec::as_slice)
    };
    outer.records.iter().map(|record| inner(record).unwrap_or_default()).collect()
}

/// A detailed plan under construction.
struct Expansion<'a> {
    detail: DetailedPlan,
    offsets: Vec<u64>,
    /// For each buffer of the outer plan, its index here.
    numbers: Vec<usize>,
    axis: &'a Axis,
}

impl<'a> Expansion<'a> {
    /// Starts with the buffers that are kept.
    fn new(buffers: &[UsageRecord], is_kept: &[bool], axis: &'a Axis) -> Self {
        let mut detail = DetailedPlan { step_count: axis.end(), ..DetailedPlan::default() };
        let mut numbers = Vec::with_capacity(buffers.len());
        for (buffer, is_kept) in buffers.iter().zip(is_kept) {
            numbers.push(detail.memory.buffers.len());
            detail.memory.buffers.extend(is_kept.then(|| axis.stretch(buffer)));
        }
        Expansion { detail, offsets: Vec::new(), numbers, axis }
    }

    /// Adds a record of the outer plan.
    fn keep(&mut self, record: &UsageRecord, (buffer, at): (usize, u64), offset: u64) {
        let place = (self.numbers[buffer], at);
        self.push(self.axis.stretch(record), place, record.first_node, None);
        self.offsets.push(offset);
    }

    /// Adds a buffer inside scratch memory `scratch`, which is at `offset`.
    fn add(&mut self, scratch: &UsageRecord, buffer: &InnerBuffer, offset: u64) {
        let record = self.axis.place(&buffer.record, scratch.first_node);
        let place = (self.detail.memory.buffers.len(), 0);
        self.detail.memory.buffers.push(record);
        self.push(record, place, scratch.first_node, Some(buffer.name.clone()));
        self.offsets.push(offset.saturating_add(buffer.offset));
    }

    fn push(&mut self, record: UsageRecord, place: (usize, u64), step: u32, name: Option<String>) {
        let DetailedPlan { memory, steps, names, .. } = &mut self.detail;
        memory.records.push(record);
        memory.places.push(place);
        steps.push(step as usize);
        names.push(name);
    }
}

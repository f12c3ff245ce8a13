//! Plans as they run: the buffers inside of partitions take the place of the scratch memory that holds them.
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

/// The memory of a segment as it runs. Where a delegate tells what lies in its partition's scratch memory, those buffers take the
/// place of that, and the partition is as many steps as it has of its own; its inputs and outputs live through all of them.
#[derive(Clone, Debug, Default)]
pub struct DetailedPlan {
    /// As [`Interpreter::memory_plan`](crate::Interpreter::memory_plan) gives it, but for lives, which count these steps. The total
    /// is the same; the bound is that of these records. A buffer inside of a partition names its tensor if it is one.
    pub memory: SegmentPlan,
    /// Per record, its first step as [`steps_of`](crate::Interpreter::steps_of) counts them: the partition for what is inside of it.
    pub steps: Vec<usize>,
    /// Per record, what its delegate calls it; `None` outside of partitions.
    pub names: Vec<Option<String>>,
    /// Steps as they run, of all segments.
    pub step_count: u32,
}

/// Steps of one partition that are told apart. A kernel that counts more of them is one step.
const MOST_INNER_STEPS: u32 = 1 << 20;

/// The memory of each segment.
pub(crate) fn detailed(runner: &Runner) -> Vec<DetailedPlan> {
    let steps: Vec<Inside> = runner.steps().map(Inside::of).collect();
    let axis = Axis::of(&steps);
    runner.plans().map(|plan| expand(plan, &steps, &axis)).collect()
}

/// What a step keeps in scratch memory.
struct Inside {
    /// How many steps it is; none if its results are constant.
    steps: u32,
    /// Per request for scratch memory; none where nothing is known.
    scratch: Vec<Vec<InnerBuffer>>,
}

impl Inside {
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
        Inside { steps: ends.max().unwrap_or(u32::from(!step.is_constant())), scratch }
    }
}

/// Whether these lie apart from one another, and within so many bytes.
fn is_plan(buffers: &[InnerBuffer], bytes: u64) -> bool {
    let records: Vec<UsageRecord> = buffers.iter().map(|buffer| buffer.record).collect();
    let offsets: Vec<u64> = buffers.iter().map(|buffer| buffer.offset).collect();
    validate(&records, &offsets).is_ok_and(|total| total <= bytes)
        && records.iter().all(|record| end_of(record) <= MOST_INNER_STEPS)
}

/// The first of a kernel's steps behind a life.
fn end_of(record: &UsageRecord) -> u32 {
    let last = if record.last_node == UsageRecord::FOREVER { record.first_node } else { record.last_node };
    last.saturating_add(1)
}

/// Where each step of the plan begins among the steps as they run, and where the last one ends.
struct Axis {
    starts: Vec<u32>,
}

impl Axis {
    fn of(steps: &[Inside]) -> Self {
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

    /// The last of the steps that a step is.
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

    /// The record of a buffer inside of step `step`.
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

/// A segment's plan, with what is inside of its steps.
fn expand(outer: &SegmentPlan, steps: &[Inside], axis: &Axis) -> DetailedPlan {
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

/// Per record, what lies in it, if it is scratch memory that a kernel tells of.
fn inner_of<'a>(outer: &SegmentPlan, steps: &'a [Inside]) -> Vec<&'a [InnerBuffer]> {
    // A step's scratch records are in the order of its requests.
    let mut seen = vec![0; steps.len()];
    let mut inner = |record: &UsageRecord| {
        let step = record.first_node as usize;
        let number = seen.get_mut(step).filter(|_| record.tensor < 0)?;
        *number += 1;
        steps[step].scratch.get(*number - 1).map(Vec::as_slice)
    };
    outer.records.iter().map(|record| inner(record).unwrap_or_default()).collect()
}

/// A detailed plan in the making.
struct Expansion<'a> {
    detail: DetailedPlan,
    offsets: Vec<u64>,
    /// Per buffer of the outer plan, its number here.
    numbers: Vec<usize>,
    axis: &'a Axis,
}

impl<'a> Expansion<'a> {
    /// With the buffers that are kept.
    fn new(buffers: &[UsageRecord], is_kept: &[bool], axis: &'a Axis) -> Self {
        let mut detail = DetailedPlan { step_count: axis.end(), ..DetailedPlan::default() };
        let mut numbers = Vec::with_capacity(buffers.len());
        for (buffer, is_kept) in buffers.iter().zip(is_kept) {
            numbers.push(detail.memory.buffers.len());
            detail.memory.buffers.extend(is_kept.then(|| axis.stretch(buffer)));
        }
        Expansion { detail, offsets: Vec::new(), numbers, axis }
    }

    /// A record of the outer plan.
    fn keep(&mut self, record: &UsageRecord, (buffer, at): (usize, u64), offset: u64) {
        let place = (self.numbers[buffer], at);
        self.push(self.axis.stretch(record), place, record.first_node, None);
        self.offsets.push(offset);
    }

    /// A buffer in scratch memory `scratch`, which lies at `offset`.
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

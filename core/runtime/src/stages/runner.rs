//! Placed → Runner: runs the segments in order.

use std::time::Instant;

use super::delegated::delegate;
use super::delegates::Delegates;
use super::inferred::infer;
use super::memory::Memory;
use super::node::unresolved;
use super::offer::Refusal;
use super::pending::PendingNodes;
use super::placed::{Placed, place};
use super::prepared::{Prepared, StageError, prepare_nodes, prepare_steps};
use super::site::Site;
use super::step::{Kernel, Step};
use crate::arena::Mark;
use crate::config::Require;
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::observer::{Moment, ObservedStep, notify};
use crate::planning::plan::SegmentPlan;
use crate::profile::Profile;

#[derive(Default)]
pub(crate) struct Runner {
    segments: Vec<Segment>,
    /// A step panicked, so the next allocation creates new steps.
    pub poisoned: bool,
}

/// Steps that were prepared and placed together.
struct Segment {
    prepared: Prepared,
    placed: Placed,
    refusals: Vec<Refusal>,
    /// The number of its first step.
    first: usize,
    /// The height of persistent memory before the segment.
    mark: Mark,
    /// The shapes of dynamic tensors with which the segment was prepared.
    shapes: Vec<(usize, Vec<i32>)>,
}

impl Segment {
    fn fits(&self, memory: &Memory) -> bool {
        self.shapes.iter().all(|(t, shape)| memory.table.shape(*t) == &shape[..])
    }
}

impl Runner {
    /// The steps of all segments.
    pub(crate) fn steps(&self) -> impl Iterator<Item = &Step> {
        self.segments.iter().flat_map(|segment| &segment.prepared.steps)
    }

    pub(crate) fn steps_mut(&mut self) -> impl Iterator<Item = &mut Step> {
        self.segments.iter_mut().flat_map(|segment| &mut segment.prepared.steps)
    }

    pub(crate) fn step_count(&self) -> usize {
        self.segments.last().map_or(0, |segment| segment.first + segment.prepared.steps.len())
    }

    pub(crate) fn refusals(&self) -> impl Iterator<Item = &Refusal> {
        self.segments.iter().flat_map(|segment| &segment.refusals)
    }

    /// The memory plan of each segment.
    pub(crate) fn plans(&self) -> impl Iterator<Item = &SegmentPlan> {
        self.segments.iter().map(|segment| &segment.placed.plan)
    }

    /// The nodes that are in no segment yet.
    pub(crate) fn pending(&self) -> PendingNodes {
        self.segments.last().map_or_else(PendingNodes::default, |segment| segment.prepared.after.clone())
    }

    /// Prepares and places the next segment. If a delegate cannot prepare its nodes, the segment is built again without
    /// that delegate, unless the settings require it. After an error nothing of the segment remains.
    pub(crate) fn add_segment(&mut self, site: &mut Site<'_>, delegates: &mut Delegates) -> Result<()> {
        let mark = site.memory.persistent.mark();
        loop {
            let Err(stopped) = self.try_add_segment(site, delegates, mark) else { return Ok(()) };
            let pending = self.pending();
            for node in pending.nodes(site.graph) {
                site.memory.reset_outputs(site.graph, &site.graph.nodes[node].outputs);
            }
            site.memory.persistent.release(mark, &mut site.memory.budget);
            match stopped.delegate {
                Some((index, _)) => {
                    let config = &site.run.settings.delegates[index];
                    if config.require != Require::Nothing {
                        return Err(stopped.error);
                    }
                    delegates.leave_out(index, config, &stopped.error);
                }
                None => return Err(stopped.error),
            }
        }
    }

    fn try_add_segment(
        &mut self,
        site: &mut Site<'_>,
        delegates: &mut Delegates,
        mark: Mark,
    ) -> Result<(), StageError> {
        let begins = self.pending();
        let shapes = self.dynamic_shapes(site.memory);
        let (mut prepared, refusals) = prepare(site, delegates, &begins)?;
        site.memory.place_variables(site.graph)?;
        let first = self.step_count();
        let placed = place(site, &mut prepared, first, self.segments.last().map(|segment| &segment.placed))?;
        let moved = make_room(site.memory, placed.height, self.segments.is_empty())?;
        let segment = Segment { prepared, placed, refusals, first, mark, shapes };
        let nodes = || segment.prepared.steps.iter().flat_map(|step| step.members()).copied();
        delegates.prune(nodes());
        for t in nodes().flat_map(|node| Graph::present(&site.graph.nodes[node].outputs)) {
            let Memory { table, constants, budget, .. } = &mut *site.memory;
            constants.prune(t, table, budget);
        }
        self.segments.push(segment);
        self.settle(site.memory, if moved { 0 } else { self.segments.len() - 1 });
        Ok(())
    }

    /// Places all segments again; their steps stay prepared.
    pub(crate) fn place_again(&mut self, site: &mut Site<'_>) -> Result<()> {
        for k in 0..self.segments.len() {
            let (before, behind) = self.segments.split_at_mut(k);
            let Segment { prepared, placed, first, .. } = &mut behind[0];
            *placed = place(site, prepared, *first, before.last().map(|segment| &segment.placed))?;
        }
        self.take_room(site.memory)
    }

    /// Resizes the arena to fit the existing segments exactly.
    pub(crate) fn take_room(&mut self, memory: &mut Memory) -> Result<()> {
        let height = self.segments.last().map_or(0, |segment| segment.placed.height);
        make_room(memory, height, true)?;
        self.settle(memory, 0);
        Ok(())
    }

    /// Writes the addresses of segment `first` and all later segments.
    fn settle(&mut self, memory: &mut Memory, first: usize) {
        memory.generation += 1;
        for Segment { prepared, placed, .. } in &mut self.segments[first..] {
            placed.settle(memory, &mut prepared.steps);
        }
    }

    /// The shapes that the last step of the last segment set.
    fn dynamic_shapes(&self, memory: &Memory) -> Vec<(usize, Vec<i32>)> {
        let last = self.segments.last().and_then(|segment| segment.prepared.steps.last());
        let outputs = last.map_or(&[][..], Step::outputs);
        let dynamic = Graph::present(outputs).filter(|&t| memory.table.is_dynamic(t));
        dynamic.map(|t| (t, memory.table.shape(t).to_vec())).collect()
    }

    /// Drops all segments but the first `count`. Their tensors lose their memory, so that no caller reads memory that
    /// the next plan reuses.
    fn forget(&mut self, site: &mut Site<'_>, count: usize) {
        let Some(segment) = self.segments.get(count) else { return };
        let mark = segment.mark;
        for step in self.segments.drain(count..).flat_map(|segment| segment.prepared.steps) {
            for &node in step.members() {
                site.memory.reset_outputs(site.graph, &site.graph.nodes[node].outputs);
            }
        }
        site.memory.persistent.release(mark, &mut site.memory.budget);
    }

    /// Makes segment `k` fit the current shapes.
    fn ensure_segment(&mut self, site: &mut Site<'_>, delegates: &mut Delegates, k: usize) -> Result<()> {
        if self.segments.get(k).is_some_and(|segment| segment.fits(site.memory)) {
            return Ok(());
        }
        self.forget(site, k);
        self.add_segment(site, delegates)
    }

    /// Runs the plan once.
    pub(crate) fn invoke(
        &mut self,
        site: &mut Site<'_>,
        delegates: &mut Delegates,
        mut profile: Option<&mut Profile>,
    ) -> Result<(), StageError> {
        let mut k = 0;
        site.begin_bound()?;
        loop {
            let Segment { prepared: Prepared { steps, after }, first, .. } = &mut self.segments[k];
            for (i, step) in steps.iter_mut().enumerate().filter(|(_, step)| !step.is_constant()) {
                if let Err(stopped) = run_step(site, step, profile.as_deref_mut()) {
                    self.poisoned |= step.poisoned;
                    return Err(StageError { ran: *first + i + 1, ..stopped });
                }
            }
            if after.is_empty(site.graph) {
                let ran = *first + steps.len();
                return site.fetch_results().map_err(|stopped| StageError { ran, ..stopped });
            }
            k += 1;
            self.ensure_segment(site, delegates, k)?;
        }
    }

    /// Resets the state of ops to its value after `prepare`.
    pub(crate) fn reset_states(&mut self) {
        self.steps_mut().for_each(Step::reset_state);
    }
}

/// Prepares the nodes of `begins`, after offering them to the delegates.
fn prepare(
    site: &mut Site<'_>,
    delegates: &mut Delegates,
    begins: &PendingNodes,
) -> Result<(Prepared, Vec<Refusal>), StageError> {
    if site.run.settings.delegates.is_empty() {
        return Ok((prepare_nodes(site, begins)?, Vec::new()));
    }
    let inferred = site.inferring(|site| infer(site, begins))?;
    let after = begins.after(inferred.nodes.len(), Vec::new());
    let delegated = delegate(site, delegates, &inferred, &after)?;
    let own = delegated.steps.iter().filter_map(|step| step.node);
    // Nodes after a node of dynamic shape are checked here, when the first segment is built.
    let is_first = *begins == PendingNodes::default();
    let behind = is_first.then(|| after.nodes(site.graph)).into_iter().flatten();
    let missing = unresolved(site.graph, own.chain(behind));
    if !missing.is_empty() {
        return Err(Error::unresolved(missing).into());
    }
    Ok((prepare_steps(site, delegated.steps, &after)?, delegated.refusals))
}

fn run_step(site: &mut Site<'_>, step: &mut Step, profile: Option<&mut Profile>) -> Result<(), StageError> {
    site.fetch_inputs(step)?;
    let done = observe(site, Moment::Before, step)
        .and_then(|()| time_step(site, step, profile))
        .and_then(|()| observe(site, Moment::After, step));
    done.map_err(|error| StageError::at(step, error))
}

/// Shows a step to the observer, if there is one.
#[inline]
fn observe(site: &Site<'_>, moment: Moment, step: &Step) -> Result<()> {
    let Some(observer) = site.run.observer else { return Ok(()) };
    let delegate = match &step.kernel {
        Kernel::Partition(kernel) => Some(&kernel.owner.name[..]),
        _ => None,
    };
    let observed = ObservedStep {
        moment,
        subgraph: site.graph.index,
        graph: site.graph,
        table: &site.memory.table,
        op: step.op(site.graph),
        delegate,
        nodes: step.members(),
        inputs: step.inputs(),
        outputs: step.outputs(),
        index: step.raw.index,
    };
    notify(observer, &observed)
}

fn time_step(site: &mut Site<'_>, step: &mut Step, profile: Option<&mut Profile>) -> Result<()> {
    let Some(profile) = profile else { return site.eval(step, None) };
    let start = Instant::now();
    let graph = site.graph;
    let row = profile.row_mut(step.key(), || step.names(graph));
    site.eval(step, Some(&mut *row))?;
    row.note(start.elapsed());
    Ok(())
}

/// Resizes the arena to this height. For the first segment the size is exact and the contents are lost. For later
/// segments the arena grows by half its size if the quota allows, so that many small segments do not copy it each time.
/// Returns whether it moved.
fn make_room(memory: &mut Memory, height: u64, is_first: bool) -> Result<bool> {
    let needed = usize::try_from(height).map_err(|_| Error::OutOfMemory { bytes: usize::MAX })?;
    let Memory { arena, budget, .. } = memory;
    if is_first && arena.len() != needed {
        arena.release(budget);
    }
    let generous = arena.len().saturating_add(arena.len() / 2);
    if !is_first
        && (arena.len() + 1..generous).contains(&needed)
        && arena.grow(generous, budget, "the arena").is_ok()
    {
        return Ok(true);
    }
    arena.grow(needed, budget, "the arena")
}

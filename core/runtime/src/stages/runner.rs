//! Placed → Runner: the segments that are ready, run one after the other.

use std::time::Instant;

use super::delegated::{Refusal, delegate};
use super::delegates::Delegates;
use super::inferred::infer;
use super::memory::Memory;
use super::pending::Pending;
use super::placed::{Placed, place};
use super::prepared::{Prepared, Stopped, prepare_nodes, prepare_steps};
use super::step::Step;
use super::{Site, name_of, unresolved};
use crate::arena::Mark;
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::observer::{Moment, observe};
use crate::planning::plan::SegmentPlan;
use crate::profile::Profile;

#[derive(Default)]
pub(crate) struct Runner {
    segments: Vec<Segment>,
    /// A step panicked: the next allocation makes new ones.
    pub poisoned: bool,
}

/// Steps that were prepared and placed together.
struct Segment {
    prepared: Prepared,
    placed: Placed,
    refusals: Vec<Refusal>,
    /// Number of its first step.
    first: usize,
    /// The height of persistent memory before it.
    mark: Mark,
    /// Shapes of the dynamic tensors that it was prepared with.
    shapes: Vec<(usize, Vec<i32>)>,
}

impl Segment {
    fn fits(&self, memory: &Memory) -> bool {
        self.shapes.iter().all(|(t, shape)| memory.table.shape(*t) == &shape[..])
    }
}

impl Runner {
    /// Steps of all segments.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.segments.iter().flat_map(|segment| &segment.prepared.steps)
    }

    pub fn steps_mut(&mut self) -> impl Iterator<Item = &mut Step> {
        self.segments.iter_mut().flat_map(|segment| &mut segment.prepared.steps)
    }

    pub fn step_count(&self) -> usize {
        self.segments.last().map_or(0, |segment| segment.first + segment.prepared.steps.len())
    }

    pub fn refusals(&self) -> impl Iterator<Item = &Refusal> {
        self.segments.iter().flat_map(|segment| &segment.refusals)
    }

    /// The memory of each segment.
    pub fn plans(&self) -> impl Iterator<Item = &SegmentPlan> {
        self.segments.iter().map(|segment| &segment.placed.plan)
    }

    /// The nodes that no segment has yet.
    pub fn pending(&self) -> Pending {
        self.segments.last().map_or_else(Pending::default, |segment| segment.prepared.after.clone())
    }

    /// Prepares and places the next segment. A delegate that cannot prepare what it claimed is left out, and the segment is made
    /// again without it. After an error nothing of it is left.
    pub fn add_segment(&mut self, site: &mut Site<'_>, delegates: &mut Delegates) -> Result<()> {
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
    ) -> Result<(), Stopped> {
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

    /// Places the segments anew, whose steps stay prepared.
    pub fn place_again(&mut self, site: &mut Site<'_>) -> Result<()> {
        for k in 0..self.segments.len() {
            let (before, behind) = self.segments.split_at_mut(k);
            let Segment { prepared, placed, first, .. } = &mut behind[0];
            *placed = place(site, prepared, *first, before.last().map(|segment| &segment.placed))?;
        }
        self.take_room(site.memory)
    }

    /// Makes room for the segments that there are, and no more.
    pub fn take_room(&mut self, memory: &mut Memory) -> Result<()> {
        let height = self.segments.last().map_or(0, |segment| segment.placed.height);
        make_room(memory, height, true)?;
        self.settle(memory, 0);
        Ok(())
    }

    /// Writes the addresses of the segments from number `first` on to where they are read.
    fn settle(&mut self, memory: &mut Memory, first: usize) {
        memory.generation += 1;
        for Segment { prepared, placed, .. } in &mut self.segments[first..] {
            placed.settle(memory, &mut prepared.steps);
        }
    }

    /// The shapes that the last segment's last step gave.
    fn dynamic_shapes(&self, memory: &Memory) -> Vec<(usize, Vec<i32>)> {
        let last = self.segments.last().and_then(|segment| segment.prepared.steps.last());
        let outputs = last.map_or(&[][..], Step::outputs);
        let dynamic = Graph::present(outputs).filter(|&t| memory.table.is_dynamic(t));
        dynamic.map(|t| (t, memory.table.shape(t).to_vec())).collect()
    }

    /// Undoes the segments from number `count` on. Their tensors have no memory any more, so that nobody reads what the next
    /// plan gives to others.
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

    /// Makes segment `k` fit the shapes that are known now.
    fn ensure_segment(&mut self, site: &mut Site<'_>, delegates: &mut Delegates, k: usize) -> Result<()> {
        if self.segments.get(k).is_some_and(|segment| segment.fits(site.memory)) {
            return Ok(());
        }
        self.forget(site, k);
        self.add_segment(site, delegates)
    }

    /// Runs the plan once.
    pub fn invoke(
        &mut self,
        site: &mut Site<'_>,
        delegates: &mut Delegates,
        mut profile: Option<&mut Profile>,
    ) -> Result<(), Stopped> {
        let mut k = 0;
        loop {
            let Segment { prepared: Prepared { steps, after }, first, .. } = &mut self.segments[k];
            for (i, step) in steps.iter_mut().enumerate().filter(|(_, step)| !step.is_constant()) {
                if let Err(stopped) = run_step(site, step, profile.as_deref_mut()) {
                    self.poisoned |= step.poisoned;
                    return Err(Stopped { ran: *first + i + 1, ..stopped });
                }
            }
            if after.is_empty(site.graph) {
                let ran = *first + steps.len();
                return site.fetch_results().map_err(|stopped| Stopped { ran, ..stopped });
            }
            k += 1;
            self.ensure_segment(site, delegates, k)?;
        }
    }

    /// Gives what ops keep between calls the values that it had when they were prepared.
    pub fn reset_states(&mut self) {
        self.steps_mut().for_each(Step::reset_state);
    }
}

/// The nodes of `begins` as steps, prepared: offered to delegates first, if there are any.
fn prepare(
    site: &mut Site<'_>,
    delegates: &mut Delegates,
    begins: &Pending,
) -> Result<(Prepared, Vec<Refusal>), Stopped> {
    if site.run.settings.delegates.is_empty() {
        return Ok((prepare_nodes(site, begins)?, Vec::new()));
    }
    let inferred = site.inferring(|site| infer(site, begins))?;
    let after = begins.after(inferred.nodes.len(), Vec::new());
    let delegated = delegate(site, delegates, &inferred, &after)?;
    let own = delegated.steps.iter().filter_map(|step| step.node);
    // What lies behind a node of dynamic shape is looked at in time, when the first segment is made.
    let is_first = *begins == Pending::default();
    let behind = is_first.then(|| after.nodes(site.graph)).into_iter().flatten();
    let missing = unresolved(site.graph, own.chain(behind));
    if !missing.is_empty() {
        return Err(Error::unresolved(missing).into());
    }
    Ok((prepare_steps(site, delegated.steps, &after)?, delegated.refusals))
}

fn run_step(site: &mut Site<'_>, step: &mut Step, profile: Option<&mut Profile>) -> Result<(), Stopped> {
    site.fetch_inputs(step)?;
    let done = observe(site.run, Moment::Before, site.graph, site.memory, step)
        .and_then(|()| time_step(site, step, profile))
        .and_then(|()| observe(site.run, Moment::After, site.graph, site.memory, step));
    done.map_err(|error| Stopped::at(step, error))
}

fn time_step(site: &mut Site<'_>, step: &mut Step, profile: Option<&mut Profile>) -> Result<()> {
    let Some(profile) = profile else { return site.eval(step, None) };
    let start = Instant::now();
    let graph = site.graph;
    let row = profile.row_mut(step.key(), || name_of(graph, step));
    site.eval(step, Some(&mut *row))?;
    row.note(start.elapsed());
    Ok(())
}

/// Makes room for a plan of this height. The first segment's fits exactly, and nothing of what was there is kept; behind it the
/// arena grows in steps of its half, where the quota allows it, so that many small segments do not copy it each time. Says whether
/// it moved.
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

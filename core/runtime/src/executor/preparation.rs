//! Prepares steps, segment by segment, and computes once what is constant.

use super::*;

impl Executor {
    pub(super) fn find_lifetimes(&mut self, techniques: &Techniques) {
        self.lives = lifetimes(LifetimeInput {
            tensor_count: self.tensors.len(),
            nodes: &mut self.steps.iter().map(|step| (step.inputs(), step.outputs())),
            inputs: &self.graph.inputs,
            keep_inputs: !techniques.overwrite_inputs,
            outputs: &self.graph.outputs,
            variables: &self.graph.variables,
        });
        let lives = self.lives.iter().enumerate();
        self.births = lives.filter_map(|(t, life)| life.map(|life| (life.first, t))).collect();
        self.births.sort_unstable();
    }

    pub(super) fn place_variables(&mut self) -> Result<()> {
        let mut end = 0usize;
        let mut offsets = Vec::with_capacity(self.graph.variables.len());
        for &t in &self.graph.variables {
            let bytes = self.tensors.get(t as usize).bytes as usize;
            offsets.push(end);
            let next = end.checked_add(bytes).and_then(|e| e.checked_next_multiple_of(ALIGNMENT));
            end = next.ok_or_else(|| Error::State("the variables' sizes overflow".into()))?;
        }
        self.variables.grow(end, &mut self.budget, "its variables")?;
        for (&t, offset) in self.graph.variables.iter().zip(offsets) {
            // SAFETY: the block has `end` bytes, and `offset` is within.
            let data = unsafe { self.variables.as_ptr().add(offset) };
            self.tensors.set_data(t as usize, data);
        }
        self.reset_variables();
        Ok(())
    }

    /// Prepares and plans from `first` to behind the next step of dynamic shape. After an error nothing of it is left.
    pub(super) fn prepare_segment(&mut self, run: &Run<'_>, first: usize) -> Result<()> {
        let mark = self.persistent.mark();
        let count = self.segments.len();
        let done = self.try_prepare_segment(run, first, mark);
        if done.is_err() {
            self.forget_segments(count, first, mark);
        }
        done
    }

    fn try_prepare_segment(&mut self, run: &Run<'_>, first: usize, mark: Mark) -> Result<()> {
        let mut end = first;
        // What shape inference prepared behind a step of dynamic shape may have been moved there.
        let mut stale = first > 0;
        let shapes = match first.checked_sub(1) {
            None => Vec::new(),
            Some(before) => Graph::present(self.steps[before].outputs())
                .filter(|&t| self.tensors.is_dynamic(t))
                .map(|t| (t, self.tensors.shape(t).to_vec()))
                .collect(),
        };
        while end < self.steps.len() {
            if run.is_over() {
                return Err(run.stopped());
            }
            stale |= self.prepare_anew(run, end, stale)?;
            self.fold(end, run, u64::MAX)?;
            self.note_served(run.registry, end);
            end += 1;
            if self.steps[end - 1].outcome == Outcome::Dynamic {
                break;
            }
        }
        let (height, standing) = self.plan_segment(run, first, end)?;
        self.segments.push(Segment { first, end, mark, height, standing, shapes });
        Ok(())
    }

    /// Undoes the segments from number `count` on, which begin at step `first`. Their tensors have no memory any more, so
    /// that nobody reads what the next plan gives to others.
    fn forget_segments(&mut self, count: usize, first: usize, mark: Mark) {
        for step in &mut self.steps[first..] {
            step.unprepare();
            reset_outputs(&mut self.tensors, &self.graph, step);
            Graph::present(step.outputs()).for_each(|t| self.placements[t] = None);
        }
        self.persistent.release(mark, &mut self.budget);
        self.segments.truncate(count);
        self.report.plans.truncate(count);
    }

    /// Makes segment `k` fit the shapes that are known now.
    pub(super) fn ensure_segment(&mut self, run: &Run<'_>, k: usize) -> Result<()> {
        if let Some(segment) = self.segments.get(k) {
            if segment.shapes.iter().all(|(t, shape)| self.tensors.shape(*t) == &shape[..]) {
                return Ok(());
            }
            let (first, mark) = (segment.first, segment.mark);
            self.forget_segments(k, first, mark);
        }
        let first = self.segments.last().map_or(0, |segment| segment.end);
        self.prepare_segment(run, first)
    }

    /// Prepares a step unless shape inference did so already and nothing before it changed since (`stale`). Says
    /// whether its own outputs have other shapes than inference found.
    fn prepare_anew(&mut self, run: &Run<'_>, i: usize, stale: bool) -> Result<bool> {
        match self.steps[i].outcome {
            Outcome::Unprepared => {}
            // What it reads is constant.
            Outcome::Folded => return Ok(false),
            _ if stale || self.steps[i].shown => {}
            _ => return Ok(false),
        }
        let shapes = |this: &Self| -> Vec<Vec<i32>> {
            Graph::present(this.steps[i].outputs()).map(|t| this.tensors.shape(t).to_vec()).collect()
        };
        let before = shapes(self);
        self.prepare_step(run, i)?;
        Ok(shapes(self) != before)
    }

    /// Prepares one step: a partition, or a node with the first candidate that serves it.
    pub(super) fn prepare_step(&mut self, run: &Run<'_>, i: usize) -> Result<()> {
        run.take_shown();
        let done = self.try_prepare_step(run, i);
        self.steps[i].shown = run.take_shown();
        done
    }

    fn try_prepare_step(&mut self, run: &Run<'_>, i: usize) -> Result<()> {
        let Executor { steps, tensors, persistent, budget, graph, .. } = self;
        let step = &mut steps[i];
        step.unprepare();
        let mut memory = Memory { tensors, persistent, budget, run };
        let Some(node) = step.node else {
            reset_outputs(memory.tensors, graph, step);
            return match step.prepare_partition(&mut memory) {
                Ok(()) => Ok(()),
                Err(failure) => Err(self.disable_delegate(i, failure, run)),
            };
        };
        let mut refusal = None;
        for candidate in &graph.nodes[node].candidates {
            reset_outputs(memory.tensors, graph, step);
            match step.prepare_op(candidate.op, &mut memory) {
                Ok(()) => return Ok(()),
                Err(failure) => {
                    let last = failure.status != Status::Unsupported;
                    // The first refusal is that of the preferred plugin.
                    refusal.get_or_insert(failure);
                    if last {
                        break;
                    }
                }
            }
        }
        // A refused op may have given an output a constant, in memory that is not its own any more.
        reset_outputs(memory.tensors, graph, step);
        match refusal {
            Some(failure) => Err(self.failed(i, failure, run)),
            None => Err(Error::unresolved(
                graph.nodes[node].unresolved.map(|u| graph.unresolved[u].clone()).into_iter().collect(),
            )),
        }
    }

    fn disable_delegate(&mut self, i: usize, failure: Failure, run: &Run<'_>) -> Error {
        let owner = match &self.steps[i].kernel {
            Kernel::Partition(kernel) => Some(kernel.owner.index),
            _ => None,
        };
        let error = self.failed(i, failure, run);
        if let Some(index) = owner {
            tracing::warn!("left out: {error}");
            self.disabled.insert(index, error.to_string());
        }
        error
    }

    /// Runs a step now if all that it reads is constant and its result is no larger than `limit`.
    pub(super) fn fold(&mut self, i: usize, run: &Run<'_>, limit: u64) -> Result<()> {
        if !self.is_foldable(i, limit) {
            return Ok(());
        }
        let mut scratch = Vec::new();
        let done = self.fold_memory(i, &mut scratch).and_then(|()| self.run_step(i, run, None));
        // On an error, too, no step points to memory that is gone.
        self.steps[i].scratch.clear();
        scratch.into_iter().for_each(|mut block| block.release(&mut self.budget));
        done?;
        let step = &mut self.steps[i];
        step.scratch_requests.clear();
        step.outcome = Outcome::Folded;
        for t in Graph::present(self.steps[i].outputs()) {
            self.tensors.set_flags(t, self.tensors.get(t).flags & TENSOR_VARIABLE | TENSOR_CONSTANT);
        }
        for t in Graph::present(self.steps[i].inputs()) {
            let raw = self.tensors.get(t);
            // SAFETY: a constant's bytes are readable for as long as the interpreter lives.
            run.release(unsafe { list(raw.data.cast::<u8>(), raw.bytes as usize) });
        }
        Ok(())
    }

    pub(super) fn is_foldable(&self, i: usize, limit: u64) -> bool {
        let step = &self.steps[i];
        let small = |t: usize| {
            let raw = self.tensors.get(t);
            raw.flags & TENSOR_VARIABLE == 0 && (self.tensors.is_dynamic(t) || raw.bytes <= limit)
        };
        matches!(step.outcome, Outcome::Static | Outcome::Dynamic)
            && matches!(step.kernel, Kernel::Op { op, .. } if op.flags & OP_STATEFUL == 0)
            && Graph::present(step.inputs()).next().is_some()
            && Graph::present(step.inputs()).all(|t| self.tensors.is_constant(t))
            && Graph::present(step.outputs()).next().is_some()
            && Graph::present(step.outputs()).all(small)
    }

    /// Persistent memory for the outputs of a step that is folded, and `scratch` for its one run.
    fn fold_memory(&mut self, i: usize, scratch: &mut Vec<Block>) -> Result<()> {
        for t in Graph::present(self.steps[i].outputs()) {
            if !self.tensors.is_dynamic(t) && !self.tensors.is_constant(t) {
                let bytes = self.tensors.get(t).bytes as usize;
                let data = self.persistent.take(bytes, ALIGNMENT, &mut self.budget)?;
                self.tensors.set_data(t, data);
            }
        }
        let step = &mut self.steps[i];
        for request in &step.scratch_requests {
            let mut block = Block::EMPTY;
            block.grow(
                request.bytes as usize,
                &mut self.budget,
                "scratch of a node with a constant result",
            )?;
            step.scratch.push(ArSpan { data: block.as_ptr().cast(), bytes: block.len() as u64 });
            scratch.push(block);
        }
        Ok(())
    }

    fn note_served(&mut self, registry: &Registry, i: usize) {
        let step = &self.steps[i];
        if let (Some(node), Kernel::Op { op, .. }) = (step.node, &step.kernel) {
            let plugin = registry.plugin_of(op).unwrap_or("").to_owned();
            let folded = step.outcome == Outcome::Folded;
            self.report.served_by[node] =
                if folded { Served::Folded(plugin) } else { Served::Plugin(plugin) };
        }
    }
}

/// Before a step sets them: outputs as the model has them, without memory. Those of a partition keep the shapes that
/// inference found, which its delegate may rely on.
fn reset_outputs(tensors: &mut TensorTable, graph: &Graph, step: &Step) {
    for t in Graph::present(step.outputs()) {
        let (raw, info) = (tensors.get(t), &graph.tensors[t]);
        match step.node {
            Some(_) => tensors.reset(t, info),
            None => {
                tensors.set_flags(t, if info.variable { TENSOR_VARIABLE } else { 0 });
                tensors.set_data(t, std::ptr::null_mut());
            }
        }
        if info.variable {
            tensors.set_data(t, raw.data.cast());
        }
    }
}

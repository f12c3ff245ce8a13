//! One subgraph, ready to run: delegates applied, nodes prepared, memory planned.
//!
//! The execution plan falls into *segments*. A segment ends behind a step whose output shapes only its run can tell;
//! what follows is prepared and planned when those shapes are known, and again only when they change.
//!
//! ```text
//!   ├──── segment 0 ────┤├── segment 1 ──┤├─ segment 2 ─┤
//!   CONV  RELU  RESHAPE*  ADD  SLICE*      SOFTMAX          * dynamic output
//! ```

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use arenite_abi::raw::{ArSpan, OP_STATEFUL, SHARE_VIEW, TENSOR_CONSTANT, TENSOR_DYNAMIC, TENSOR_VARIABLE};
use arenite_abi::{Status, UsageRecord};

use crate::arena::{ALIGNMENT, Block, Mark, Persistent};
use crate::config::{DelegateConfig, OnMissing};
use crate::error::{Error, Result, UnresolvedOp};
use crate::graph::Graph;
use crate::lifetime::{Lifetime, LifetimeInput, lifetimes};
use crate::partition::{PartitionInput, Subset, partition};
use crate::partition_kernel::{DelegateInstance, GraphForDelegate};
use crate::plan::{ChosenPlanner, Plan};
use crate::profile::Profile;
use crate::quota::{Budget, Quota};
use crate::registry::Registry;
use crate::step::{EvalHost, Failure, Kernel, Memory, Outcome, Step, list};
use crate::tensors::TensorTable;

/// What an interpreter was asked for.
pub(crate) struct Settings {
    pub planner: ChosenPlanner,
    pub delegates: Vec<DelegateConfig>,
    pub threads: u32,
    pub quota: Quota,
}

/// How many records of buffers that lie already are handed to the planner again, over all segments. Beyond that, a
/// segment's memory is stacked on that of the segments before it: so a model of many nodes of dynamic shape is planned
/// in linear time and space.
const MAX_KEPT_RECORDS: usize = 1 << 20;

/// Constants up to this size are folded while shapes are inferred for delegates; larger ones later.
const INFERENCE_FOLD_LIMIT: u64 = 4096;

pub(crate) struct Executor {
    // Steps first: their states are dropped while the memory that holds them is still there.
    steps: Vec<Step>,
    instances: BTreeMap<usize, Rc<DelegateInstance>>,
    tensors: TensorTable,
    pub graph: Box<Graph>,
    /// Shapes that the caller gave to inputs.
    resized: BTreeMap<usize, Vec<i32>>,
    lives: Vec<Option<Lifetime>>,
    /// Tensors that somebody writes, in the order of their first node.
    births: Vec<(u32, usize)>,
    /// Placed tensors; those that are dead are swept out now and then.
    placed: Vec<usize>,
    /// Per tensor, the one whose bytes it has and whose place it shares: itself, unless it is a view.
    viewed: Vec<usize>,
    segments: Vec<Segment>,
    placements: Vec<Option<Placement>>,
    arena: Block,
    persistent: Persistent,
    variables: Block,
    dynamic: Vec<Block>,
    budget: Budget,
    ready: bool,
    /// Delegates, by position in the settings, whose partition could not be prepared, and why.
    disabled: BTreeMap<usize, String>,
    pub report: Report,
}

/// Steps `first..end`, prepared and planned together.
struct Segment {
    first: usize,
    end: usize,
    mark: Mark,
    /// Bytes of the arena that this segment and those before it use.
    height: u64,
    /// Records of buffers that lay already, up to here.
    kept: usize,
    /// Shapes of the dynamic tensors that it was prepared with.
    shapes: Vec<(usize, Vec<i32>)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Placement {
    pub offset: u64,
    pub bytes: u64,
}

/// What happened when the subgraph was allocated, for people.
#[derive(Clone, Debug, Default)]
pub(crate) struct Report {
    /// Per node of the model: who runs it.
    pub served_by: Vec<Served>,
    /// Per node of the model: which delegates refused it, and why.
    pub refusals: Vec<Vec<(String, String)>>,
    /// Delegates that were left out as a whole, and why.
    pub left_out: Vec<(String, String)>,
    /// Records and plan of each segment.
    pub plans: Vec<(Vec<UsageRecord>, Plan)>,
}

/// Who runs a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Served {
    /// Nobody yet: not allocated, or behind a node of dynamic shape.
    #[default]
    Nobody,
    /// The op of this plugin.
    Plugin(String),
    /// The op of this plugin, once: its result is constant.
    Folded(String),
    /// Partition number `partition` of this delegate.
    Delegate {
        /// The delegate's name.
        name: String,
        /// Numbered from 0 in execution order.
        partition: usize,
    },
}

impl Executor {
    /// Of a graph whose copies of constants were taken from `budget`.
    pub fn new(graph: Graph, budget: Budget) -> Self {
        let graph = Box::new(graph);
        let n = graph.tensors.len();
        let mut executor = Executor {
            steps: Vec::new(),
            instances: BTreeMap::new(),
            tensors: TensorTable::new(&graph),
            resized: BTreeMap::new(),
            lives: Vec::new(),
            births: Vec::new(),
            placed: Vec::new(),
            viewed: (0..n).collect(),
            segments: Vec::new(),
            placements: vec![None; n],
            arena: Block::EMPTY,
            persistent: Persistent::default(),
            variables: Block::EMPTY,
            dynamic: (0..n).map(|_| Block::EMPTY).collect(),
            budget,
            ready: false,
            disabled: BTreeMap::new(),
            report: Report::default(),
            graph,
        };
        executor.reset();
        executor
    }

    pub fn tensors(&self) -> &TensorTable {
        &self.tensors
    }

    pub fn is_ready(&self) -> bool {
        self.ready
    }

    pub fn arena_bytes(&self) -> u64 {
        self.arena.len() as u64
    }

    pub fn persistent_bytes(&self) -> u64 {
        self.persistent.in_use() + self.variables.len() as u64
    }

    pub fn dynamic_bytes(&self) -> u64 {
        self.dynamic.iter().map(|block| block.len() as u64).sum()
    }

    /// Number of steps: nodes and partitions.
    pub fn step_count(&self) -> usize {
        self.steps.len()
    }

    /// Gives an input another shape; `allocate` must follow.
    pub fn resize_input(&mut self, tensor: usize, shape: &[i32], limit: u64) -> Result<()> {
        let info = &self.graph.tensors[tensor];
        let refuse = |message| Err(Error::Tensor { name: info.name.clone(), message });
        if shape.len() > crate::tensors::MAX_RANK || shape.iter().any(|&d| d < 0) {
            return refuse(format!("shape {shape:?} is refused; at most 8 dimensions, none negative"));
        }
        let bytes = info.ty.bytes_of(arenite_abi::tensor::element_count(shape));
        if info.ty.bits() > 0 && bytes.is_none_or(|bytes| bytes as u64 > limit) {
            return refuse(format!("shape {shape:?} needs more bytes than the quota of {limit}"));
        }
        if info.constant.is_some() || info.variable {
            return refuse("it is constant or a variable, its shape stays".into());
        }
        self.resized.insert(tensor, shape.to_vec());
        self.ready = false;
        Ok(())
    }

    /// Applies delegates, prepares nodes, plans and allocates memory. A delegate that cannot prepare what it claimed is
    /// left out, and the plan is made again without it.
    pub fn allocate(
        &mut self,
        registry: &Registry,
        settings: &Settings,
        cancelled: &AtomicBool,
    ) -> Result<()> {
        let _span = tracing::info_span!("allocate", subgraph = self.graph.index).entered();
        self.disabled.clear();
        let run = Run::new(settings, cancelled);
        loop {
            let before = self.disabled.len();
            match self.try_allocate(registry, &run) {
                Err(_) if self.disabled.len() > before => {}
                done => return done,
            }
        }
    }

    fn try_allocate(&mut self, registry: &Registry, run: &Run<'_>) -> Result<()> {
        self.ready = false;
        self.reset();
        let deferred = self.check_resolved(run.settings)?;
        self.base_steps();
        if !run.settings.delegates.is_empty() {
            self.apply_delegates(registry, run)?;
        }
        let mut plain = vec![false; self.graph.nodes.len()];
        self.steps.iter().filter_map(|step| step.node).for_each(|node| plain[node] = true);
        let missing: Vec<_> = deferred.into_iter().filter(|u| u.nodes.iter().any(|&n| plain[n])).collect();
        if !missing.is_empty() {
            return Err(Error::UnresolvedOps(missing));
        }
        self.find_lifetimes();
        self.place_variables()?;
        self.prepare_segment(registry, run, 0)?;
        self.ready = true;
        Ok(())
    }

    /// Zeroes the variables.
    pub fn reset_variables(&mut self) {
        self.variables.clear();
    }

    /// Runs the plan once.
    pub fn invoke(
        &mut self,
        registry: &Registry,
        settings: &Settings,
        cancelled: &AtomicBool,
        mut profile: Option<&mut Profile>,
    ) -> Result<()> {
        if !self.ready {
            return Err(Error::State(
                "the interpreter is not allocated: call allocate() after building it and after each resize"
                    .into(),
            ));
        }
        let run = Run::new(settings, cancelled);
        let mut segment = 0;
        loop {
            let Segment { first, end, .. } = self.segments[segment];
            for i in first..end {
                self.run_step(i, &run, profile.as_deref_mut())?;
            }
            if end == self.steps.len() {
                return Ok(());
            }
            segment += 1;
            self.ensure_segment(registry, &run, segment)?;
        }
    }

    fn run_step(&mut self, i: usize, run: &Run<'_>, profile: Option<&mut Profile>) -> Result<()> {
        if self.steps[i].outcome == Outcome::Folded {
            return Ok(());
        }
        let _span =
            tracing::trace_span!("node", op = self.step_op(i), index = self.steps[i].raw.index).entered();
        let step = &mut self.steps[i];
        let start = profile.is_some().then(Instant::now);
        let dynamic = step.outcome == Outcome::Dynamic;
        if dynamic {
            forget_outputs(&mut self.tensors, step);
        }
        let mut host = EvalHost {
            tensors: &mut self.tensors,
            dynamic: &mut self.dynamic,
            budget: &mut self.budget,
            threads: run.settings.threads,
            cancelled: run.cancelled,
            deadline: run.deadline,
            tensor_limit: run.settings.quota.bytes,
            outputs: (std::ptr::null(), 0),
        };
        if host.is_cancelled() {
            return Err(run.stopped());
        }
        if let Err(failure) = step.eval(&mut host) {
            return Err(self.failed(i, failure, run));
        }
        if dynamic {
            self.check_dynamic_outputs(i, run)?;
        }
        if let (Some(start), Some(profile)) = (start, profile) {
            profile.note(i, start.elapsed());
        }
        Ok(())
    }

    fn check_dynamic_outputs(&self, i: usize, run: &Run<'_>) -> Result<()> {
        for t in Graph::present(self.steps[i].outputs()) {
            if self.tensors.is_dynamic(t) && self.tensors.get(t).data.is_null() {
                let message =
                    format!("it gave no shape to its dynamic output '{}'", self.graph.tensors[t].name);
                return Err(self.failed(i, Failure { status: Status::Internal, message }, run));
            }
        }
        Ok(())
    }

    /// Back to the model's shapes, with those that the caller gave.
    fn reset(&mut self) {
        self.steps.clear();
        self.segments.clear();
        self.placements.fill(None);
        self.placed.clear();
        let bottom = Persistent::default().mark();
        self.persistent.release(bottom, &mut self.budget);
        for (i, tensor) in self.graph.tensors.iter().enumerate() {
            self.tensors.reset(i, tensor);
        }
        for (&i, shape) in &self.resized {
            self.tensors.set_shape(i, shape, self.graph.tensors[i].ty);
        }
        for &i in &self.graph.inputs {
            if let Ok(i) = usize::try_from(i)
                && self.graph.tensors[i].ty.bits() == 0
            {
                self.tensors.set_data(i, self.dynamic[i].as_ptr());
                self.tensors.set_bytes(i, self.dynamic[i].len() as u64);
            }
        }
        self.report = Report {
            served_by: vec![Served::Nobody; self.graph.nodes.len()],
            refusals: vec![Vec::new(); self.graph.nodes.len()],
            ..Report::default()
        };
    }

    /// Fails for ops that nobody can serve. Custom ops that a delegate may take are given back.
    fn check_resolved(&self, settings: &Settings) -> Result<Vec<UnresolvedOp>> {
        let unresolved = &self.graph.unresolved;
        if unresolved.iter().any(|u| !u.custom || settings.delegates.is_empty()) {
            return Err(Error::UnresolvedOps(unresolved.clone()));
        }
        Ok(unresolved.clone())
    }

    fn base_steps(&mut self) {
        let (tensors, count) = (self.tensors.as_ptr(), self.tensors.len());
        let nodes = self.graph.nodes.iter().enumerate();
        self.steps = nodes
            .map(|(i, node)| Step::new(node.to_raw(self.graph.index, i, tensors, count), Some(i)))
            .collect();
    }

    // ── Delegates ──────────────────────────────────────────────────────────────────────────────────────────────────

    fn apply_delegates(&mut self, registry: &Registry, run: &Run<'_>) -> Result<()> {
        let known = self.infer_shapes(run)?;
        for (i, config) in run.settings.delegates.iter().enumerate() {
            if let Some(reason) = self.disabled.get(&i) {
                self.report.left_out.push((config.name.clone(), reason.clone()));
                continue;
            }
            let Some(instance) = self.instance(registry, i, config)? else { continue };
            if let Err(error) = self.apply_delegate(&instance, config, &known) {
                tracing::warn!(delegate = %config.name, "left out: {error}");
                self.report.left_out.push((config.name.clone(), error.to_string()));
                // It may have panicked: the next `allocate` makes another one.
                self.instances.remove(&i);
            }
        }
        self.number_partitions();
        Ok(())
    }

    fn instance(
        &mut self,
        registry: &Registry,
        index: usize,
        config: &DelegateConfig,
    ) -> Result<Option<Rc<DelegateInstance>>> {
        if let Some(instance) = self.instances.get(&index) {
            return Ok(Some(Rc::clone(instance)));
        }
        let made = match registry.delegate(&config.name) {
            Some(raw) => DelegateInstance::create(index, &config.name, raw, &config.options),
            None => Err(Error::NotFound {
                what: "delegate",
                name: config.name.clone(),
                known: registry.delegate_names(),
            }),
        };
        match made {
            Ok(instance) => {
                let instance = Rc::new(instance);
                self.instances.insert(index, Rc::clone(&instance));
                Ok(Some(instance))
            }
            Err(error) if config.on_missing == OnMissing::Skip => {
                tracing::info!(delegate = %config.name, "skipped: {error}");
                self.report.left_out.push((config.name.clone(), error.to_string()));
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Prepares all nodes with reference ops, so that delegates see shapes and wrong nodes are refused on every
    /// backend alike. Gives, per node of the model, whether its shapes are known.
    fn infer_shapes(&mut self, run: &Run<'_>) -> Result<Vec<bool>> {
        let mut known = vec![false; self.graph.nodes.len()];
        for (i, known) in known.iter_mut().enumerate() {
            if run.is_over() {
                return Err(run.stopped());
            }
            if self.graph.nodes[i].candidates.is_empty() {
                *known = true;
                continue;
            }
            match self.prepare_step(run, i) {
                Ok(()) => self.fold(i, run, INFERENCE_FOLD_LIMIT)?,
                Err(Error::Node { status: Status::Unsupported, .. }) => {}
                Err(error) => return Err(error),
            }
            if self.steps[i].outcome == Outcome::Dynamic {
                break;
            }
            *known = true;
        }
        Ok(known)
    }

    /// Hands the delegate what it claims. On an error everything stays as it was.
    fn apply_delegate(
        &mut self,
        instance: &Rc<DelegateInstance>,
        config: &DelegateConfig,
        known: &[bool],
    ) -> Result<()> {
        let _span = tracing::info_span!("delegate", name = %config.name).entered();
        let nodes = self.steps.iter().map(|step| step.raw).collect();
        let view =
            Rc::new(GraphForDelegate::new(&self.tensors, nodes, &self.graph.inputs, &self.graph.outputs));
        let answers = instance.claim(&view)?;
        let mut refused: Vec<Option<String>> = answers
            .into_iter()
            .enumerate()
            .map(|(i, answer)| self.veto(i, config, known).or(answer))
            .collect();
        let mut subsets = self.cut(&refused);
        let mut small = false;
        for subset in subsets.iter().filter(|s| s.claimed && s.nodes.len() < config.min_nodes) {
            small = true;
            let reason =
                format!("its partition has {} nodes, min_nodes is {}", subset.nodes.len(), config.min_nodes);
            subset.nodes.iter().for_each(|&i| refused[i] = Some(reason.clone()));
        }
        if small {
            subsets = self.cut(&refused);
        }
        let mut kernels = Vec::new();
        for subset in subsets.iter().filter(|s| s.claimed) {
            kernels.push(instance.compile(&view, subset)?);
        }
        for (step, reason) in self.steps.iter().zip(refused) {
            if let (Some(node), Some(reason)) = (step.node, reason) {
                self.report.refusals[node].push((config.name.clone(), reason));
            }
        }
        self.replace(subsets, kernels);
        Ok(())
    }

    /// Reasons of the host's own against giving step `i` to a delegate.
    fn veto(&self, i: usize, config: &DelegateConfig, known: &[bool]) -> Option<String> {
        let Some(node) = self.steps[i].node else { return Some("another delegate has it".into()) };
        let op = self.graph.op_name(node);
        if config.exclude_ops.contains(&op) {
            return Some(format!("{op} is in exclude_ops"));
        }
        if self.steps[i].outcome == Outcome::Folded {
            return Some("its result is constant".into());
        }
        (!known[node]).then(|| "its shapes are unknown before the run".into())
    }

    fn cut(&self, refused: &[Option<String>]) -> Vec<Subset> {
        let nodes: Vec<(&[i32], &[i32])> = self.steps.iter().map(|s| (s.inputs(), s.outputs())).collect();
        let claimed: Vec<bool> = refused.iter().map(Option::is_none).collect();
        let stateful: Vec<bool> = self.steps.iter().map(|step| self.is_stateful(step)).collect();
        partition(&PartitionInput {
            tensor_count: self.tensors.len(),
            nodes: &nodes,
            outputs: &self.graph.outputs,
            claimed: &claimed,
            stateful: &stateful,
        })
    }

    fn replace(&mut self, subsets: Vec<Subset>, kernels: Vec<crate::partition_kernel::PartitionKernel>) {
        let mut old: Vec<Option<Step>> = std::mem::take(&mut self.steps).into_iter().map(Some).collect();
        let mut kernels = kernels.into_iter();
        for subset in subsets {
            if !subset.claimed {
                self.steps.extend(subset.nodes.iter().filter_map(|&i| old[i].take()));
                continue;
            }
            let Some(mut kernel) = kernels.next() else { continue };
            let members: Vec<usize> =
                subset.nodes.iter().filter_map(|&i| old[i].as_ref().and_then(|step| step.node)).collect();
            let index = members.first().copied().unwrap_or(0);
            let raw = kernel.macro_node(self.graph.index, index, &self.tensors);
            let name = kernel.owner.name.clone();
            for &node in &members {
                self.report.served_by[node] = Served::Delegate { name: name.clone(), partition: 0 };
            }
            kernel.members = members;
            let mut step = Step::new(raw, None);
            step.kernel = Kernel::Partition(Box::new(kernel));
            self.steps.push(step);
        }
    }

    fn number_partitions(&mut self) {
        let partitions = self.steps.iter().filter_map(|step| match &step.kernel {
            Kernel::Partition(kernel) => Some(kernel),
            _ => None,
        });
        for (number, kernel) in partitions.enumerate() {
            for &node in &kernel.members {
                if let Some(Served::Delegate { partition, .. }) = self.report.served_by.get_mut(node) {
                    *partition = number;
                }
            }
        }
    }

    fn is_stateful(&self, step: &Step) -> bool {
        let variable = |t: usize| self.graph.tensors[t].variable;
        let node_is = |&node: &usize| {
            let info = &self.graph.nodes[node];
            info.candidates.first().is_some_and(|c| c.op.flags & OP_STATEFUL != 0)
                || Graph::present(&info.inputs).chain(Graph::present(&info.outputs)).any(variable)
        };
        match (&step.node, &step.kernel) {
            (Some(node), _) => node_is(node),
            (None, Kernel::Partition(kernel)) => kernel.members.iter().any(node_is),
            (None, _) => false,
        }
    }

    // ── Preparation ────────────────────────────────────────────────────────────────────────────────────────────────

    fn find_lifetimes(&mut self) {
        self.lives = lifetimes(LifetimeInput {
            tensor_count: self.tensors.len(),
            nodes: &mut self.steps.iter().map(|step| (step.inputs(), step.outputs())),
            inputs: &self.graph.inputs,
            outputs: &self.graph.outputs,
            variables: &self.graph.variables,
        });
        let lives = self.lives.iter().enumerate();
        self.births = lives.filter_map(|(t, life)| life.map(|life| (life.first, t))).collect();
        self.births.sort_unstable();
    }

    fn place_variables(&mut self) -> Result<()> {
        let mut end = 0usize;
        let mut offsets = Vec::with_capacity(self.graph.variables.len());
        for &t in &self.graph.variables {
            let bytes = self.tensors.get(t as usize).bytes as usize;
            offsets.push(end);
            let next = end.checked_add(bytes).and_then(|e| e.checked_next_multiple_of(ALIGNMENT));
            end = next.ok_or_else(|| Error::State("the variables' sizes overflow".into()))?;
        }
        self.variables.grow(end, &mut self.budget, "its variables")?;
        self.variables.clear();
        for (&t, offset) in self.graph.variables.iter().zip(offsets) {
            // SAFETY: the block has `end` bytes, and `offset` is within.
            let data = unsafe { self.variables.as_ptr().add(offset) };
            self.tensors.set_data(t as usize, data);
        }
        Ok(())
    }

    /// Prepares and plans from `first` to behind the next step of dynamic shape. After an error nothing of it is left.
    fn prepare_segment(&mut self, registry: &Registry, run: &Run<'_>, first: usize) -> Result<()> {
        let mark = self.persistent.mark();
        let count = self.segments.len();
        let done = self.try_prepare_segment(registry, run, first, mark);
        if done.is_err() {
            self.forget_segments(count, first, mark);
        }
        done
    }

    fn try_prepare_segment(
        &mut self,
        registry: &Registry,
        run: &Run<'_>,
        first: usize,
        mark: Mark,
    ) -> Result<()> {
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
            self.note_served(registry, end);
            end += 1;
            if self.steps[end - 1].outcome == Outcome::Dynamic {
                break;
            }
        }
        let (height, kept) = self.plan_segment(run, first, end)?;
        self.segments.push(Segment { first, end, mark, height, kept, shapes });
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
        let placements = &self.placements;
        self.placed.retain(|&t| placements[t].is_some());
    }

    /// Makes segment `k` fit the shapes that are known now.
    fn ensure_segment(&mut self, registry: &Registry, run: &Run<'_>, k: usize) -> Result<()> {
        if let Some(segment) = self.segments.get(k) {
            if segment.shapes.iter().all(|(t, shape)| self.tensors.shape(*t) == &shape[..]) {
                return Ok(());
            }
            let (first, mark) = (segment.first, segment.mark);
            self.forget_segments(k, first, mark);
        }
        let first = self.segments.last().map_or(0, |segment| segment.end);
        self.prepare_segment(registry, run, first)
    }

    /// Prepares a step unless shape inference did so already and nothing before it changed since (`stale`). Says
    /// whether its own outputs have other shapes than inference found.
    fn prepare_anew(&mut self, run: &Run<'_>, i: usize, stale: bool) -> Result<bool> {
        match self.steps[i].outcome {
            Outcome::Unprepared => {}
            // What it reads is constant.
            Outcome::Folded => return Ok(false),
            _ if stale => {}
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
    fn prepare_step(&mut self, run: &Run<'_>, i: usize) -> Result<()> {
        let Executor { steps, tensors, persistent, budget, graph, .. } = self;
        let step = &mut steps[i];
        step.unprepare();
        let mut memory = Memory {
            tensors,
            persistent,
            budget,
            planner: &run.settings.planner,
            tensor_limit: run.settings.quota.bytes,
        };
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
            None => Err(Error::UnresolvedOps(
                self.graph.unresolved.iter().filter(|u| u.nodes.contains(&node)).cloned().collect(),
            )),
        }
    }

    fn disable_delegate(&mut self, i: usize, failure: Failure, run: &Run<'_>) -> Error {
        let owner = match &self.steps[i].kernel {
            Kernel::Partition(kernel) => Some((kernel.owner.index, kernel.owner.name.clone())),
            _ => None,
        };
        let error = self.failed(i, failure, run);
        if let Some((index, name)) = owner {
            tracing::warn!(delegate = %name, "left out: {error}");
            self.disabled.insert(index, error.to_string());
        }
        error
    }

    /// Runs a step now if all that it reads is constant and its result is no larger than `limit`.
    fn fold(&mut self, i: usize, run: &Run<'_>, limit: u64) -> Result<()> {
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
        Ok(())
    }

    fn is_foldable(&self, i: usize, limit: u64) -> bool {
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

    // ── Memory ─────────────────────────────────────────────────────────────────────────────────────────────────────

    /// Plans the tensors and scratch buffers of steps `first..end`; what lies already and lives on stays. Gives the bytes
    /// of the arena in use now, and how many records lay already, of all segments so far.
    fn plan_segment(&mut self, run: &Run<'_>, first: usize, end: usize) -> Result<(u64, usize)> {
        let (below, kept) = self.segments.last().map_or((0, 0), |last| (last.height, last.kept));
        let mut records = Vec::new();
        let stacked = kept + self.placed.len() > MAX_KEPT_RECORDS;
        if !stacked {
            self.keep_placed(&mut records, first);
        }
        let kept = kept + records.len();
        self.add_births(&mut records, first, end);
        let shares = self.note_shares(&mut records, first, end);
        let mut scratch_owners = Vec::new();
        for (i, step) in self.steps.iter().enumerate().take(end).skip(first) {
            for request in &step.scratch_requests {
                let mut record = UsageRecord::new(request.bytes, i as u32, i as u32);
                record.alignment = request.alignment.max(ALIGNMENT as u64);
                records.push(record);
                scratch_owners.push(i);
            }
        }
        let mut plan = run.settings.planner.plan(&records)?;
        if stacked {
            raise(&mut plan, below)?;
        }
        let height = plan.total_bytes.max(below);
        let moved = self.grow_arena(height, first)?;
        self.settle(&records, &plan, &scratch_owners, moved);
        self.note_views(&records, &plan, &shares);
        self.report.plans.push((records, plan));
        Ok((height, kept))
    }

    /// Records of what earlier segments placed and this one or a later one reads. Views of one tensor are told as such.
    fn keep_placed(&mut self, records: &mut Vec<UsageRecord>, first: usize) {
        let Executor { placed, lives, placements, viewed, .. } = self;
        let mut record_of_value: BTreeMap<usize, usize> = BTreeMap::new();
        placed.retain(|&t| {
            let (Some(life), Some(place)) = (lives[t], placements[t]) else { return false };
            if (life.last as usize) < first {
                return false;
            }
            let mut record = UsageRecord::new(place.bytes, life.first, life.last);
            record.tensor = t as i32;
            record.fixed_offset = place.offset;
            match record_of_value.get(&viewed[t]) {
                Some(&other) => (record.share_with, record.share_kind) = (other as i32, SHARE_VIEW),
                None => drop(record_of_value.insert(viewed[t], records.len())),
            }
            records.push(record);
            true
        });
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

    /// Tells the planner which outputs may take over an input's memory. Gives the pairs of records, output and input, in
    /// execution order.
    fn note_shares(&self, records: &mut [UsageRecord], first: usize, end: usize) -> Vec<(usize, usize)> {
        let record_of: BTreeMap<i32, usize> =
            records.iter().enumerate().map(|(i, r)| (r.tensor, i)).collect();
        let mut pairs = Vec::new();
        for step in &self.steps[first..end] {
            for share in step.shares.iter().filter(|share| step.shares_all_uses(share)) {
                let output = step.outputs().get(share.output as usize).and_then(|t| record_of.get(t));
                let input = step.inputs().get(share.input as usize).and_then(|t| record_of.get(t));
                // What an earlier segment placed is not shared with: its views are not all known here.
                if let (Some(&output), Some(&input)) = (output, input)
                    && records[input].fixed().is_none()
                {
                    records[output].share_with = input as i32;
                    records[output].share_kind = share.kind;
                    pairs.push((output, input));
                }
            }
        }
        pairs
    }

    /// Remembers which tensors the plan made views of which.
    fn note_views(&mut self, records: &[UsageRecord], plan: &Plan, shares: &[(usize, usize)]) {
        for &(output, input) in shares {
            let (to, from) = (&records[output], &records[input]);
            let taken = to.share_with == input as i32
                && to.share_kind == SHARE_VIEW
                && to.size == from.size
                && plan.offsets[output] == plan.offsets[input];
            if taken {
                self.viewed[to.tensor as usize] = self.viewed[from.tensor as usize];
            }
        }
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
                    if record.fixed().is_none() {
                        self.placed.push(t);
                        self.viewed[t] = t;
                    }
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
        for (segment, (records, plan)) in self.segments.iter().zip(&self.report.plans) {
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

    /// An input of strings, whose size the shape does not tell: takes its bytes.
    pub fn set_input_bytes(&mut self, t: usize, bytes: &[u8]) -> Result<()> {
        self.dynamic[t].grow(bytes.len(), &mut self.budget, "an input of strings")?;
        // SAFETY: the block has that many bytes; the caller's slice is another allocation.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.dynamic[t].as_ptr(), bytes.len()) };
        self.tensors.set_data(t, self.dynamic[t].as_ptr());
        self.tensors.set_bytes(t, bytes.len() as u64);
        Ok(())
    }

    /// The shape that the next `allocate` starts from.
    pub fn shape(&self, t: usize) -> &[i32] {
        self.tensors.shape(t)
    }

    /// Op of a step, or the delegate that runs it, for spans.
    fn step_op(&self, i: usize) -> &str {
        let step = &self.steps[i];
        match (step.node, &step.kernel) {
            (Some(node), _) => self.graph.nodes[node].key.as_str(),
            (None, Kernel::Partition(kernel)) => &kernel.owner.name,
            (None, _) => "DELEGATE",
        }
    }

    /// Op and output name of a step, for listings.
    pub fn step_name(&self, i: usize) -> (String, String) {
        let step = &self.steps[i];
        let op = match step.node {
            Some(node) => self.graph.op_name(node),
            None => match &step.kernel {
                Kernel::Partition(kernel) => format!("delegate {}", kernel.owner.name),
                _ => "DELEGATE".to_owned(),
            },
        };
        let output = Graph::present(step.outputs()).next().map(|t| self.graph.tensors[t].name.clone());
        (op, output.unwrap_or_default())
    }

    fn failed(&self, i: usize, failure: Failure, run: &Run<'_>) -> Error {
        if failure.status == Status::Cancelled && run.is_over() {
            return run.stopped();
        }
        let (op, output) = self.step_name(i);
        Error::Node {
            op,
            subgraph: self.graph.index,
            node: self.steps[i].raw.index as usize,
            output,
            status: failure.status,
            message: failure.message,
        }
    }
}

/// One call of `allocate` or `invoke`.
struct Run<'a> {
    settings: &'a Settings,
    cancelled: &'a AtomicBool,
    deadline: Option<Instant>,
    limit: Option<Duration>,
}

impl<'a> Run<'a> {
    fn new(settings: &'a Settings, cancelled: &'a AtomicBool) -> Self {
        let limit = settings.quota.time;
        Run {
            settings,
            cancelled,
            limit,
            deadline: limit.and_then(|limit| Instant::now().checked_add(limit)),
        }
    }

    fn is_over(&self) -> bool {
        self.cancelled.load(std::sync::atomic::Ordering::Relaxed)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn stopped(&self) -> Error {
        if self.cancelled.load(std::sync::atomic::Ordering::Relaxed) {
            return Error::Cancelled;
        }
        let limit = self.limit.unwrap_or_default().as_millis() as u64;
        Error::Quota { what: "time", purpose: "this call, in milliseconds,".into(), needed: limit + 1, limit }
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

/// Before a step of dynamic shape runs: its outputs have no memory until it resizes them.
fn forget_outputs(tensors: &mut TensorTable, step: &Step) {
    // SAFETY: the lists live as long as the step.
    let outputs: &[i32] = unsafe { list(step.raw.outputs, step.raw.output_count) };
    for t in Graph::present(outputs) {
        if tensors.is_dynamic(t) {
            tensors.set_data(t, std::ptr::null_mut());
        }
    }
}

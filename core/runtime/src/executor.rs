//! One subgraph, ready to run: delegates applied, nodes prepared, memory planned.
//!
//! The execution plan falls into *segments*. A segment ends behind a step whose output shapes only its run can tell;
//! what follows is prepared and planned when those shapes are known, and again only when they change.
//!
//! ```text
//!   ├──── segment 0 ────┤├── segment 1 ──┤├─ segment 2 ─┤
//!   CONV  RELU  RESHAPE*  ADD  SLICE*      SOFTMAX          * dynamic output
//! ```

mod calls;
mod delegation;
mod memory;
mod preparation;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Instant;

use arenite_abi::raw::{
    ArSpan, OP_STATEFUL, SHARE_BEHIND, SHARE_IN_PLACE, SHARE_PART_OF_INPUT, SHARE_PART_OF_OUTPUT, SHARE_VIEW,
    TENSOR_CONSTANT, TENSOR_DYNAMIC, TENSOR_VARIABLE,
};
use arenite_abi::{ElementType, Status, UsageRecord};

use crate::arena::{ALIGNMENT, Block, Mark, Persistent};
use crate::config::{DelegateConfig, OnMissing};
use crate::error::{Error, LeftOut, Result};
use crate::graph::Graph;
use crate::layout::Techniques;
use crate::lifetime::{Lifetime, LifetimeInput, lifetimes};
use crate::partition::{PartitionInput, Subset, partition};
use crate::partition_kernel::{DelegateInstance, GraphForDelegate};
use crate::plan::{ChosenPlanner, Plan};
use crate::profile::Profile;
use crate::quota::{Budget, Quota};
use crate::registry::Registry;
use crate::run::Run;
use crate::step::{EvalHost, Failure, Kernel, Memory, Outcome, Step, list};
use crate::tensors::TensorTable;

/// What an interpreter was asked for.
pub(crate) struct Settings {
    pub planner: ChosenPlanner,
    pub techniques: Techniques,
    pub delegates: Vec<DelegateConfig>,
    pub threads: u32,
    pub quota: Quota,
}

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
    segments: Vec<Segment>,
    placements: Vec<Option<Placement>>,
    arena: Block,
    persistent: Persistent,
    variables: Block,
    dynamic: Vec<Block>,
    staged: calls::Staged,
    description: Option<Box<GraphForDelegate>>,
    budget: Budget,
    ready: bool,
    /// How many steps were prepared when shapes were found, and nothing more was done since.
    inferred: Option<usize>,
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
    standing: memory::Standing,
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
    pub left_out: Vec<LeftOut>,
    /// Of each segment.
    pub plans: Vec<SegmentPlan>,
}

/// The memory of a stretch of the execution plan between nodes of dynamic shape; one stretch if there are none.
#[derive(Clone, Debug, Default)]
pub struct SegmentPlan {
    /// Tensors and scratch buffers. `tensor` is the tensor's index, −1 for scratch; nodes count the steps in the order in which
    /// they run.
    pub records: Vec<UsageRecord>,
    /// Where they lie.
    pub plan: Plan,
    /// What the planner was given: records that lie over one another are one buffer; those of earlier segments are fixed.
    pub buffers: Vec<UsageRecord>,
    /// Per record, its buffer and its offset in there.
    pub places: Vec<(usize, u64)>,
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
            segments: Vec::new(),
            placements: vec![None; n],
            arena: Block::EMPTY,
            persistent: Persistent::default(),
            variables: Block::EMPTY,
            dynamic: (0..n).map(|_| Block::EMPTY).collect(),
            staged: calls::Staged::new(),
            description: None,
            budget,
            ready: false,
            inferred: None,
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

    /// Op or delegate of each step.
    pub fn step_names(&self) -> Vec<String> {
        (0..self.steps.len()).map(|i| self.step_op(i).to_owned()).collect()
    }

    /// What a step reads, and what it writes.
    pub fn step_tensors(&self, step: usize) -> Option<(Vec<usize>, Vec<usize>)> {
        let step = self.steps.get(step)?;
        let tensors = |list: &[i32]| list.iter().filter_map(|&t| usize::try_from(t).ok()).collect();
        Some((tensors(step.inputs()), tensors(step.outputs())))
    }

    /// Element type of a tensor, and its shape, unless only a run tells it.
    pub fn tensor_form(&self, tensor: usize) -> Option<(ElementType, Option<&[i32]>)> {
        let ty = self.graph.tensors.get(tensor)?.ty;
        Some((ty, (!self.tensors.is_dynamic(tensor)).then(|| self.shape(tensor))))
    }

    /// Where the last segment ends that is planned.
    pub fn planned_steps(&self) -> Option<usize> {
        self.segments.last().map(|segment| segment.end)
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
        self.inferred = None;
        Ok(())
    }

    /// Applies delegates, prepares nodes, plans and allocates memory. A delegate that cannot prepare what it claimed is
    /// left out, and the plan is made again without it.
    pub fn allocate(&mut self, run: &Run<'_>) -> Result<()> {
        let _span = tracing::info_span!("allocate", subgraph = self.graph.index).entered();
        self.disabled.clear();
        run.infer(false, || {
            loop {
                let before = self.disabled.len();
                match self.try_allocate(run) {
                    Err(_) if self.disabled.len() > before => {}
                    done => return done,
                }
            }
        })
    }

    fn try_allocate(&mut self, run: &Run<'_>) -> Result<()> {
        self.ready = false;
        self.reset();
        if !self.graph.unresolved.is_empty() && run.settings.delegates.is_empty() {
            return Err(Error::unresolved(self.graph.unresolved.clone()));
        }
        self.base_steps();
        if !run.settings.delegates.is_empty() {
            self.apply_delegates(run)?;
            self.forget_replaced_ops();
        }
        self.check_resolved()?;
        self.find_lifetimes(&run.settings.techniques);
        self.place_variables()?;
        self.prepare_segment(run, 0)?;
        self.ready = true;
        Ok(())
    }

    /// Gives the variables their first values: those that stand for zero if they are i8, else zero bytes. Ops' states too.
    pub fn reset_variables(&mut self) {
        self.steps.iter_mut().for_each(Step::reset_state);
        self.variables.fill(0, self.variables.len(), 0);
        for &t in &self.graph.variables {
            let tensor = self.tensors.get(t as usize);
            // Before memory is planned there is nothing to set.
            if tensor.data.is_null() {
                continue;
            }
            let first = tensor.data as usize - self.variables.as_ptr() as usize;
            self.variables.fill(first, tensor.bytes as usize, self.graph.tensors[t as usize].zero_byte());
        }
    }

    /// Runs the plan once.
    pub fn invoke(&mut self, run: &Run<'_>, mut profile: Option<&mut Profile>) -> Result<()> {
        if !self.ready {
            return Err(Error::State(
                "the interpreter is not allocated: call allocate() after building it and after each resize"
                    .into(),
            ));
        }
        let mut segment = 0;
        loop {
            let Segment { first, end, .. } = self.segments[segment];
            for i in first..end {
                self.run_step(i, run, profile.as_deref_mut())?;
            }
            if end == self.steps.len() {
                return Ok(());
            }
            segment += 1;
            self.ensure_segment(run, segment)?;
        }
    }

    fn run_step(&mut self, i: usize, run: &Run<'_>, mut profile: Option<&mut Profile>) -> Result<()> {
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
            run,
            outputs: (std::ptr::null(), 0),
            profile: profile.as_deref_mut().and_then(|profile| profile.row_mut(i)),
        };
        if run.is_over() {
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
        self.inferred = None;
        self.steps.clear();
        self.segments.clear();
        self.placements.fill(None);
        let bottom = Persistent::default().mark();
        self.persistent.release(bottom, &mut self.budget);
        let sizes: Vec<u64> = self.graph.inputs.iter().map(|&i| self.input_bytes(i)).collect();
        for (i, tensor) in self.graph.tensors.iter().enumerate() {
            self.tensors.reset(i, tensor);
        }
        for (&i, shape) in &self.resized {
            self.tensors.set_shape(i, shape, self.graph.tensors[i].ty);
        }
        for (&i, bytes) in self.graph.inputs.iter().zip(sizes) {
            if let Ok(i) = usize::try_from(i)
                && self.graph.tensors[i].ty.bits() == 0
            {
                self.tensors.set_data(i, self.dynamic[i].as_ptr());
                self.tensors.set_bytes(i, bytes);
            }
        }
        self.report = Report {
            served_by: vec![Served::Nobody; self.graph.nodes.len()],
            refusals: vec![Vec::new(); self.graph.nodes.len()],
            ..Report::default()
        };
    }

    /// Fails for ops that nobody serves, and no delegate took.
    fn check_resolved(&self) -> Result<()> {
        let missing: BTreeSet<usize> =
            self.steps.iter().filter_map(|step| self.graph.nodes[step.node?].unresolved).collect();
        if missing.is_empty() {
            return Ok(());
        }
        Err(Error::unresolved(missing.into_iter().map(|u| self.graph.unresolved[u].clone()).collect()))
    }

    fn base_steps(&mut self) {
        let (tensors, count) = (self.tensors.as_ptr(), self.tensors.len());
        let nodes = self.graph.nodes.iter().enumerate();
        self.steps = nodes.map(|(i, node)| Step::new(node.to_raw(tensors, count), Some(i))).collect();
    }

    /// Bytes of an input of strings.
    fn input_bytes(&self, t: i32) -> u64 {
        usize::try_from(t).map_or(0, |t| self.tensors.get(t).bytes.min(self.dynamic[t].len() as u64))
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
            subgraph: self.steps[i].raw.subgraph as usize,
            node: self.steps[i].raw.index as usize,
            output,
            status: failure.status,
            message: failure.message,
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

//! One subgraph: its current stage, and the state that outlives the stages.

use std::collections::BTreeMap;

use arenite_abi::ElementType;

use super::delegates::Delegates;
use super::inferred::infer;
use super::memory::Memory;
use super::pending::PendingNodes;
use super::prepared::StageError;
use super::preview::{DelegatePreview, preview};
use super::runner::Runner;
use super::site::Site;
use super::step::{Kernel, Step};
use crate::arena::Block;
use crate::call::phase::Phase;
use crate::call::run::Run;
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::interpreter::strings;
use crate::planning::plan::SegmentPlan;
use crate::profile::Profile;
use crate::quota::Budget;
use crate::stages::partition_kernel::GraphForDelegate;

pub(crate) struct Executor {
    // Dropped first: the states of steps are in the memory below.
    pub(super) stage: Stage,
    pub(super) delegates: Delegates,
    pub(super) memory: Memory,
    pub graph: Box<Graph>,
    /// Shapes that the caller set for inputs.
    pub(super) resized: BTreeMap<usize, Vec<i32>>,
    /// Input values that wait for the memory of another shape.
    pub(super) staged: BTreeMap<usize, Block>,
    pub(super) description: Option<Box<GraphForDelegate>>,
    /// A node that no op could prepare when shapes were inferred.
    pub(super) unchecked: Option<usize>,
    pub profile: Option<Profile>,
}

/// The current stage of a subgraph.
#[derive(Default)]
pub(crate) enum Stage {
    #[default]
    Graph,
    /// The shapes of all nodes are known, except the pending ones.
    Inferred(PendingNodes),
    Ready(Runner),
    /// Prepared for other input shapes than the current ones.
    Resized(Runner),
    /// Prepared, but not placed: the set of tensors in the arena changed.
    Unplaced(Runner),
    /// Prepared and placed, but the arena was released.
    Released(Runner),
}

impl Executor {
    /// The executor of a graph whose copies of constants were charged to `budget`.
    pub(crate) fn new(graph: Graph, budget: Budget) -> Self {
        let graph = Box::new(graph);
        let mut memory = Memory::new(&graph, budget);
        memory.reset(&graph, &BTreeMap::new());
        Executor {
            stage: Stage::Graph,
            delegates: Delegates::default(),
            memory,
            graph,
            resized: BTreeMap::new(),
            staged: BTreeMap::new(),
            description: None,
            unchecked: None,
            profile: None,
        }
    }

    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }

    pub(crate) fn delegates(&self) -> &Delegates {
        &self.delegates
    }

    /// The runner, if the subgraph was allocated; after a resize, the one before it.
    pub(crate) fn runner(&self) -> Option<&Runner> {
        match &self.stage {
            Stage::Ready(runner)
            | Stage::Resized(runner)
            | Stage::Unplaced(runner)
            | Stage::Released(runner) => Some(runner),
            Stage::Graph | Stage::Inferred(_) => None,
        }
    }

    fn runner_mut(&mut self) -> Option<&mut Runner> {
        match &mut self.stage {
            Stage::Ready(runner)
            | Stage::Resized(runner)
            | Stage::Unplaced(runner)
            | Stage::Released(runner) => Some(runner),
            Stage::Graph | Stage::Inferred(_) => None,
        }
    }

    pub(crate) fn is_ready(&self) -> bool {
        matches!(self.stage, Stage::Ready(_))
    }

    /// Sets an input of strings.
    pub(crate) fn set_strings(&mut self, t: usize, list: &[&[u8]]) -> Result<()> {
        let (info, shape) = (&self.graph.tensors[t], self.shape(t));
        let refuse = |message| Err(Error::Tensor { name: info.name.to_string(), message });
        if info.ty != ElementType::String {
            return refuse(format!("it is {}, not STRING", info.ty));
        }
        let count = arenite_abi::tensor::element_count(shape);
        if count != list.len() {
            return refuse(format!(
                "its shape {shape:?} has {count} elements, {} strings are given",
                list.len()
            ));
        }
        match strings::pack(list) {
            Some(bytes) => self.copy_strings(t, &bytes),
            None => refuse("the strings have more than 2 GiB".into()),
        }
    }

    /// The delegate whose partition computes tensor `t` internally.
    pub(crate) fn delegate_around(&self, t: usize) -> Option<&str> {
        let writes = |&node: &usize| self.graph.nodes[node].outputs.contains(&(t as i32));
        self.runner()?.steps().find_map(|step| match &step.kernel {
            Kernel::Partition(kernel) if step.members().iter().any(writes) => Some(&kernel.owner.name[..]),
            _ => None,
        })
    }

    /// The current shape of tensor `t`.
    pub(crate) fn shape(&self, t: usize) -> &[i32] {
        self.memory.table.shape(t)
    }

    /// The shape that tensor `t` will have after `allocate`.
    pub(crate) fn coming_shape(&self, t: usize) -> &[i32] {
        self.resized.get(&t).map_or_else(|| self.shape(t), Vec::as_slice)
    }

    /// Sets the shape of an input. Unless it is the current shape, `allocate` must follow.
    pub(crate) fn resize_input(&mut self, tensor: usize, shape: &[i32], limit: u64) -> Result<()> {
        if self.coming_shape(tensor) == shape {
            return Ok(());
        }
        self.check_untied(tensor)?;
        self.check_shape(tensor, shape, limit)?;
        self.resized.insert(tensor, shape.to_vec());
        self.memory.generation += 1;
        let fits = self.resized.iter().all(|(&t, shape)| self.shape(t) == shape);
        self.stage = match std::mem::take(&mut self.stage) {
            Stage::Ready(runner) | Stage::Resized(runner) if fits => Stage::Ready(runner),
            Stage::Ready(runner) | Stage::Resized(runner) => Stage::Resized(runner),
            _ => Stage::Graph,
        };
        Ok(())
    }

    fn check_shape(&self, tensor: usize, shape: &[i32], limit: u64) -> Result<()> {
        let info = &self.graph.tensors[tensor];
        let refuse = |message| Err(Error::Tensor { name: info.name.to_string(), message });
        let (rank, most) = (shape.len(), super::table::MAX_RANK);
        if rank > most {
            return refuse(format!("a shape has at most {most} dimensions, {rank} are given"));
        }
        if shape.iter().any(|&d| d < 0) {
            return refuse(format!("shape {shape:?} is refused; no dimension can be negative"));
        }
        let bytes = info.ty.bytes_of(arenite_abi::tensor::element_count(shape));
        if info.ty.bits() > 0 && bytes.is_none_or(|bytes| bytes as u64 > limit) {
            return refuse(format!("shape {shape:?} needs more bytes than the quota of {limit}"));
        }
        if info.constant.is_some() || info.variable {
            return refuse("it is constant or a variable, its shape stays".into());
        }
        match self.memory.lent.get(&tensor) {
            Some(lent) => lent.check(&info.name, bytes.unwrap_or(0) as u64),
            None => Ok(()),
        }
    }

    /// Applies delegates, prepares nodes, and plans and allocates memory, unless that was done for the same shapes.
    /// Compiled partitions are kept if they run the same nodes.
    pub(crate) fn allocate(&mut self, run: &Run<'_>) -> Result<()> {
        match &self.stage {
            Stage::Ready(runner) if !runner.poisoned => return Ok(()),
            Stage::Unplaced(runner) if !runner.poisoned => return self.place_again(run),
            Stage::Released(runner) if !runner.poisoned => return self.take_room(),
            _ => {}
        }
        let _span = tracing::info_span!("allocate", subgraph = self.graph.index).entered();
        if !self.graph.unresolved.is_empty() && run.settings.delegates.is_empty() {
            return Err(Error::unresolved(self.graph.unresolved.clone()));
        }
        self.begin();
        self.delegates.begin();
        self.prepare(run)?;
        self.memory.reset_variables(&self.graph, |memory, t| !memory.lent.contains_key(&t));
        Ok(())
    }

    /// The claims that the delegates would make. Nothing is compiled, and memory is not planned afterwards.
    pub(crate) fn preview(&mut self, run: &Run<'_>) -> Result<Vec<DelegatePreview>> {
        if matches!(self.stage, Stage::Ready(_) | Stage::Unplaced(_) | Stage::Released(_)) {
            return Err(Error::State(
                "the delegates have their nodes: served_by() and refusals() tell which; a preview comes before \
                 allocate(), or after a resize"
                    .into(),
            ));
        }
        self.begin();
        self.delegates.begin();
        let (mut site, delegates) = self.site(run);
        let all = PendingNodes::default();
        let found = site.inferring(|site| infer(site, &all)).and_then(|inferred| {
            let after = all.after(inferred.nodes.len(), Vec::new());
            preview(&mut site, delegates, &inferred, &after)
        });
        self.begin();
        found
    }

    /// Prepares and places the graph. Variables keep their values.
    pub(super) fn prepare(&mut self, run: &Run<'_>) -> Result<()> {
        self.memory.place_variables(&self.graph)?;
        let mut runner = Runner::default();
        let (mut site, delegates) = self.site(run);
        runner.add_segment(&mut site, delegates)?;
        self.stage = Stage::Ready(runner);
        Ok(())
    }

    /// Plans memory again for prepared steps. After an error it can be retried.
    fn place_again(&mut self, run: &Run<'_>) -> Result<()> {
        let _span = tracing::info_span!("place", subgraph = self.graph.index).entered();
        let Stage::Unplaced(mut runner) = std::mem::take(&mut self.stage) else { return Ok(()) };
        let placed = self.memory.place_variables(&self.graph);
        let placed = placed.and_then(|()| runner.place_again(&mut self.site(run).0));
        self.stage = match placed {
            Ok(()) => Stage::Ready(runner),
            Err(_) => Stage::Unplaced(runner),
        };
        placed
    }

    /// Releases the arena and the results of dynamic shape. Nodes stay prepared.
    pub(crate) fn release_memory(&mut self) {
        self.memory.release_arena(&self.graph);
        self.stage = match std::mem::take(&mut self.stage) {
            Stage::Ready(runner) => Stage::Released(runner),
            // Otherwise a resize alone could make it ready again.
            Stage::Resized(_) => Stage::Graph,
            stage => stage,
        };
    }

    pub(crate) fn is_released(&self) -> bool {
        matches!(self.stage, Stage::Released(_))
    }

    /// Allocates the arena again, as planned. After an error it can be retried.
    fn take_room(&mut self) -> Result<()> {
        let Stage::Released(mut runner) = std::mem::take(&mut self.stage) else { return Ok(()) };
        let taken = runner.take_room(&mut self.memory);
        self.stage = match taken {
            Ok(()) => Stage::Ready(runner),
            Err(_) => Stage::Released(runner),
        };
        taken
    }

    /// Returns to the graph with the shapes that the caller set.
    pub(super) fn begin(&mut self) {
        self.stage = Stage::Graph;
        self.memory.reset(&self.graph, &self.resized);
    }

    pub(super) fn site<'a>(&'a mut self, run: &'a Run<'a>) -> (Site<'a>, &'a mut Delegates) {
        let site = Site { graph: &self.graph, memory: &mut self.memory, run, phase: Phase::Prepare };
        (site, &mut self.delegates)
    }

    /// Runs the plan once. If a delegate fails and the settings permit a fallback, runs it again without that delegate.
    pub(crate) fn invoke(&mut self, run: &Run<'_>) -> Result<()> {
        loop {
            match self.try_invoke(run) {
                Ok(()) => return Ok(()),
                Err(stopped) => self.fall_back(run, stopped)?,
            }
        }
    }

    fn try_invoke(&mut self, run: &Run<'_>) -> Result<(), StageError> {
        let Stage::Ready(runner) = &mut self.stage else {
            return Err(self.not_ready().into());
        };
        if run.profiles && self.profile.is_none() {
            self.profile = Some(Profile::default());
        }
        let profile = self.profile.as_mut().filter(|_| run.profiles);
        let mut site = Site { graph: &self.graph, memory: &mut self.memory, run, phase: Phase::Prepare };
        runner.invoke(&mut site, &mut self.delegates, profile)?;
        self.memory.fill_lent_constants();
        self.write_tied().map_err(StageError::from)
    }

    fn not_ready(&self) -> Error {
        Error::State(
            match self.stage {
                Stage::Unplaced(_) => "memory was lent to a tensor or returned: call allocate() to plan the rest",
                Stage::Released(_) => "the interpreter's memory was released: call allocate() to take it again",
                _ => "the interpreter is not allocated: call allocate() after building it and after each resize",
            }
            .into(),
        )
    }

    /// Resets variables and the states of ops.
    pub(crate) fn reset_variables(&mut self) {
        if let Some(runner) = self.runner_mut() {
            runner.reset_states();
        }
        self.memory.reset_variables(&self.graph, |_, _| true);
    }

    /// Starts to measure the time of each step; earlier measurements are dropped.
    pub(crate) fn start_profile(&mut self) {
        let mut profile = Profile::default();
        for step in self.runner().into_iter().flat_map(Runner::steps) {
            profile.row_mut(step.key(), || step.names(&self.graph));
        }
        self.profile = Some(profile);
    }

    /// The prepared steps, and the nodes after them.
    fn listed(&self) -> (Vec<&Step>, Vec<usize>) {
        let Some(runner) = self.runner() else { return (Vec::new(), Vec::new()) };
        (runner.steps().collect(), runner.pending().nodes(&self.graph).collect())
    }

    /// The op or delegate of each step.
    pub(crate) fn step_names(&self) -> Vec<String> {
        let (steps, nodes) = self.listed();
        let steps = steps.into_iter().map(|step| step.op(&self.graph).to_owned());
        steps.chain(nodes.into_iter().map(|node| self.graph.op_name(node))).collect()
    }

    /// The inputs and outputs of a step.
    pub(crate) fn step_tensors(&self, step: usize) -> Option<(Vec<usize>, Vec<usize>)> {
        let (steps, nodes) = self.listed();
        let (inputs, outputs) = match steps.get(step) {
            Some(step) => (step.inputs(), step.outputs()),
            None => {
                let node = &self.graph.nodes[*nodes.get(step - steps.len())?];
                (&node.inputs[..], &node.outputs[..])
            }
        };
        Some((Graph::present(inputs).collect(), Graph::present(outputs).collect()))
    }

    /// The element type and shape of a tensor; no shape if it is dynamic.
    pub(crate) fn tensor_form(&self, tensor: usize) -> Option<(ElementType, Option<&[i32]>)> {
        let ty = self.graph.tensors.get(tensor)?.ty;
        Some((ty, (!self.memory.table.is_dynamic(tensor)).then(|| self.shape(tensor))))
    }

    /// The memory plan of each segment.
    pub(crate) fn plans(&self) -> Vec<&SegmentPlan> {
        self.runner().into_iter().flat_map(Runner::plans).collect()
    }
}

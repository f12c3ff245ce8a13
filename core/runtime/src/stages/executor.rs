//! One subgraph and how far it has come: the stage that it is in, and what outlives the stages.

use std::collections::BTreeMap;

use arenite_abi::ElementType;

use super::calls::Staged;
use super::delegates::Delegates;
use super::inferred::infer;
use super::memory::Memory;
use super::pending::Pending;
use super::prepared::Stopped;
use super::preview::{DelegatePreview, preview};
use super::runner::Runner;
use super::step::{Kernel, Phase, Step};
use super::{Site, name_of, op_of};
use crate::config::DelegateConfig;
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::interpreter::strings;
use crate::planning::lifetime::Lifetimes;
use crate::planning::plan::ChosenPlanner;
use crate::planning::plan::SegmentPlan;
use crate::profile::Profile;
use crate::quota::{Budget, Quota};
use crate::run::Run;
use crate::stages::partition_kernel::GraphForDelegate;
use arenite_layout::Techniques;

/// What an interpreter was asked for.
pub(crate) struct Settings {
    pub planner: ChosenPlanner,
    pub techniques: Techniques,
    pub lifetimes: Lifetimes,
    pub delegates: Vec<DelegateConfig>,
    pub threads: u32,
    pub quota: Quota,
}

pub(crate) struct Executor {
    // First: steps' states are dropped while the memory that holds them is still there.
    pub(super) stage: Stage,
    pub(super) delegates: Delegates,
    pub(super) memory: Memory,
    pub graph: Box<Graph>,
    /// Shapes that the caller gave to inputs.
    pub(super) resized: BTreeMap<usize, Vec<i32>>,
    pub(super) staged: Staged,
    pub(super) description: Option<Box<GraphForDelegate>>,
    /// When its shapes were inferred, no op prepared this node.
    pub(super) unchecked: Option<usize>,
    pub profile: Option<Profile>,
}

/// How far a subgraph has come.
#[derive(Default)]
pub(crate) enum Stage {
    #[default]
    Graph,
    /// The shapes of all nodes but these are known, and no more.
    Inferred(Pending),
    Ready(Runner),
    /// Ready for other shapes of the inputs than those that it has now.
    Resized(Runner),
    /// Ready but for places: other tensors lie in the arena than those that it was planned for.
    Unplaced(Runner),
    /// Ready but for the arena, which was given back.
    Released(Runner),
}

impl Executor {
    /// Of a graph whose copies of constants were taken from `budget`.
    pub fn new(graph: Graph, budget: Budget) -> Self {
        let graph = Box::new(graph);
        let mut memory = Memory::new(&graph, budget);
        memory.reset(&graph, &BTreeMap::new());
        Executor {
            stage: Stage::Graph,
            delegates: Delegates::default(),
            memory,
            graph,
            resized: BTreeMap::new(),
            staged: Staged::new(),
            description: None,
            unchecked: None,
            profile: None,
        }
    }

    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    pub fn delegates(&self) -> &Delegates {
        &self.delegates
    }

    /// What runs it, if it was allocated; after a resize as it was before.
    pub fn runner(&self) -> Option<&Runner> {
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

    pub fn is_ready(&self) -> bool {
        matches!(self.stage, Stage::Ready(_))
    }

    /// Makes tensor `t`, an input, hold these strings.
    pub fn set_strings(&mut self, t: usize, list: &[&[u8]]) -> Result<()> {
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

    /// The delegate in one of whose partitions tensor `t` is, and nowhere else.
    pub fn delegate_around(&self, t: usize) -> Option<&str> {
        let writes = |&node: &usize| self.graph.nodes[node].outputs.contains(&(t as i32));
        self.runner()?.steps().find_map(|step| match &step.kernel {
            Kernel::Partition(kernel) if step.members().iter().any(writes) => Some(&kernel.owner.name[..]),
            _ => None,
        })
    }

    /// The shape that tensor `t` has now.
    pub fn shape(&self, t: usize) -> &[i32] {
        self.memory.table.shape(t)
    }

    /// The shape that tensor `t` will have when memory is planned.
    pub(super) fn coming_shape(&self, t: usize) -> &[i32] {
        self.resized.get(&t).map_or_else(|| self.shape(t), Vec::as_slice)
    }

    /// Gives an input another shape; `allocate` must follow, unless it is the one that it has.
    pub fn resize_input(&mut self, tensor: usize, shape: &[i32], limit: u64) -> Result<()> {
        if self.coming_shape(tensor) == shape {
            return Ok(());
        }
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

    /// Applies delegates, prepares nodes, plans and allocates memory, unless that was done for the same shapes. Partitions that were
    /// compiled before are kept where they run the same nodes.
    pub fn allocate(&mut self, run: &Run<'_>) -> Result<()> {
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

    /// What the delegates would get. Nothing is compiled; as after building, memory is not planned.
    pub fn preview(&mut self, run: &Run<'_>) -> Result<Vec<DelegatePreview>> {
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
        let all = Pending::default();
        let found = site.inferring(|site| infer(site, &all)).and_then(|inferred| {
            let after = all.after(inferred.nodes.len(), Vec::new());
            preview(&mut site, delegates, &inferred, &after)
        });
        self.begin();
        found
    }

    /// From the graph to ready. Variables keep their values.
    pub(super) fn prepare(&mut self, run: &Run<'_>) -> Result<()> {
        self.memory.place_variables(&self.graph)?;
        let mut runner = Runner::default();
        let (mut site, delegates) = self.site(run);
        runner.add_segment(&mut site, delegates)?;
        self.stage = Stage::Ready(runner);
        Ok(())
    }

    /// Plans memory anew for steps that are ready. After an error it can be tried again.
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

    /// Gives back the arena, and results of dynamic shape. Nodes stay prepared.
    pub fn release_memory(&mut self) {
        self.memory.release_arena(&self.graph);
        self.stage = match std::mem::take(&mut self.stage) {
            Stage::Ready(runner) => Stage::Released(runner),
            // It could be ready again by a resize alone.
            Stage::Resized(_) => Stage::Graph,
            stage => stage,
        };
    }

    pub fn is_released(&self) -> bool {
        matches!(self.stage, Stage::Released(_))
    }

    /// Takes the arena again, as it was planned. After an error it can be tried again.
    fn take_room(&mut self) -> Result<()> {
        let Stage::Released(mut runner) = std::mem::take(&mut self.stage) else { return Ok(()) };
        let taken = runner.take_room(&mut self.memory);
        self.stage = match taken {
            Ok(()) => Stage::Ready(runner),
            Err(_) => Stage::Released(runner),
        };
        taken
    }

    /// Back to the graph with the shapes that the caller gave.
    pub(super) fn begin(&mut self) {
        self.stage = Stage::Graph;
        self.memory.reset(&self.graph, &self.resized);
    }

    pub(super) fn site<'a>(&'a mut self, run: &'a Run<'a>) -> (Site<'a>, &'a mut Delegates) {
        let site = Site { graph: &self.graph, memory: &mut self.memory, run, phase: Phase::Prepare };
        (site, &mut self.delegates)
    }

    /// Runs the plan once, and again without a delegate that failed if the settings want that.
    pub fn invoke(&mut self, run: &Run<'_>) -> Result<()> {
        loop {
            match self.try_invoke(run) {
                Ok(()) => return Ok(()),
                Err(stopped) => self.fall_back(run, stopped)?,
            }
        }
    }

    fn try_invoke(&mut self, run: &Run<'_>) -> Result<(), Stopped> {
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
        Ok(())
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

    /// Gives variables their first values, and ops' states too.
    pub fn reset_variables(&mut self) {
        if let Some(runner) = self.runner_mut() {
            runner.reset_states();
        }
        self.memory.reset_variables(&self.graph, |_, _| true);
    }

    /// Starts to collect time per step; what was collected is lost.
    pub fn start_profile(&mut self) {
        let mut profile = Profile::default();
        for step in self.runner().into_iter().flat_map(Runner::steps) {
            profile.row_mut(step.key(), || name_of(&self.graph, step));
        }
        self.profile = Some(profile);
    }

    /// The steps that are prepared, and the nodes behind them.
    fn listed(&self) -> (Vec<&Step>, Vec<usize>) {
        let Some(runner) = self.runner() else { return (Vec::new(), Vec::new()) };
        (runner.steps().collect(), runner.pending().nodes(&self.graph).collect())
    }

    /// Op or delegate of each step.
    pub fn step_names(&self) -> Vec<String> {
        let (steps, nodes) = self.listed();
        let steps = steps.into_iter().map(|step| op_of(&self.graph, step).to_owned());
        steps.chain(nodes.into_iter().map(|node| self.graph.op_name(node))).collect()
    }

    /// What a step reads, and what it writes.
    pub fn step_tensors(&self, step: usize) -> Option<(Vec<usize>, Vec<usize>)> {
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

    /// Element type of a tensor, and its shape, unless only a run tells it.
    pub fn tensor_form(&self, tensor: usize) -> Option<(ElementType, Option<&[i32]>)> {
        let ty = self.graph.tensors.get(tensor)?.ty;
        Some((ty, (!self.memory.table.is_dynamic(tensor)).then(|| self.shape(tensor))))
    }

    /// The memory of each segment.
    pub fn plans(&self) -> Vec<&SegmentPlan> {
        self.runner().into_iter().flat_map(Runner::plans).collect()
    }
}

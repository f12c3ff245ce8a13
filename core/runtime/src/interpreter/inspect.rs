//! What an interpreter says of itself: who runs what, and where it lies.

use std::ops::Range;
use std::time::Duration;

use arenite_abi::ElementType;

use super::Interpreter;
use crate::error::{LeftOut, Result, UnresolvedOp};
use crate::planning::plan::SegmentPlan;
use crate::run::Slot;
use crate::stages::executor::Executor;
use crate::stages::preview::DelegatePreview;
use crate::stages::report::detail::{DetailedPlan, detailed};
use crate::stages::report::{self, DeviceObjects, PartitionFacts, Served};

/// How much memory an interpreter holds, and what the plan says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryUse {
    /// Bytes of the arena for activations and scratch buffers.
    pub arena: u64,
    /// Bytes of states, tables, folded constants, variables and resources.
    pub persistent: u64,
    /// Bytes that delegates say that they hold: packed weights, tables.
    pub delegates: u64,
    /// Bytes of devices' memory that delegates say that they hold.
    pub device: u64,
    /// Bytes of tensors whose shape only the run tells.
    pub dynamic: u64,
    /// The largest sum of sizes that the arena must hold at one node, or at one step inside of a partition.
    pub lower_bound: u64,
}

impl Interpreter {
    /// Memory held by all subgraphs.
    pub fn memory_use(&self) -> MemoryUse {
        let mut sum = MemoryUse::default();
        for executor in self.slots.iter().filter_map(Slot::executor) {
            let memory = executor.memory();
            sum.arena += memory.arena.len() as u64;
            sum.persistent += memory.persistent_bytes();
            let [held, on_device] = executor.delegates().held();
            sum.delegates += held;
            sum.device += on_device;
            sum.dynamic += memory.dynamic_bytes();
            let plans = executor.runner().map_or_else(Vec::new, detailed);
            sum.lower_bound += plans.iter().map(|plan| plan.memory.plan.lower_bound).max().unwrap_or(0);
        }
        sum.persistent += self.resources.borrow().bytes();
        sum
    }

    /// The memory of the main subgraph, by segment of the execution plan.
    pub fn memory_plan(&self) -> Vec<&SegmentPlan> {
        self.main().plans()
    }

    /// The memory of a subgraph as it runs, by segment: [`memory_plan`](Self::memory_plan) with what delegates tell of the insides
    /// of their partitions. Empty before it was allocated or planned.
    pub fn detailed_plan(&self, subgraph: usize) -> Vec<DetailedPlan> {
        self.executor_of(subgraph).and_then(Executor::runner).map_or_else(Vec::new, detailed)
    }

    /// The objects of devices' memory that planners handed out to the partitions of a subgraph, in execution order.
    pub fn device_objects(&self, subgraph: usize) -> Vec<DeviceObjects> {
        self.executor_of(subgraph).map_or_else(Vec::new, |executor| report::device_objects(executor.runner()))
    }

    /// What the partitions of all subgraphs tell of themselves: bytes of their device, how long they were compiled, and so on, as their
    /// delegates name it.
    pub fn facts(&self) -> Vec<PartitionFacts> {
        let executors = self.slots.iter().filter_map(Slot::executor);
        executors.flat_map(|executor| report::facts(&executor.graph, executor.runner())).collect()
    }

    /// Name of the planner.
    pub fn planner(&self) -> &str {
        &self.settings.planner.name
    }

    /// Time spent in the planner since the interpreter was built.
    pub fn planning_time(&self) -> Duration {
        self.settings.planner.spent.get()
    }

    /// Prepares subgraph `subgraph` and plans its memory, with the shapes that the model gives its inputs; nothing runs. What
    /// lies behind a node of dynamic shape is planned when the model runs.
    ///
    /// # Errors
    /// As [`allocate`](Self::allocate).
    pub fn plan_subgraph(&mut self, subgraph: usize) -> Result<Vec<SegmentPlan>> {
        self.executor_mut(subgraph)?;
        self.allocate_subgraph(subgraph)?;
        Ok(self.executor_mut(subgraph)?.plans().into_iter().cloned().collect())
    }

    /// The ops and delegates of a subgraph in the order in which they run; none before it was allocated or planned.
    pub fn steps_of(&self, subgraph: usize) -> Vec<String> {
        self.executor_of(subgraph).map_or_else(Vec::new, Executor::step_names)
    }

    /// How many of its steps have a plan: those up to the first one of dynamic shape, until it has run.
    pub fn planned_steps(&self, subgraph: usize) -> Option<usize> {
        Some(self.executor_of(subgraph)?.runner()?.step_count())
    }

    /// The names of its tensors, those of composites included.
    pub fn tensor_names(&self, subgraph: usize) -> Vec<String> {
        let graph = self.executor_of(subgraph).map(|executor| &executor.graph);
        graph.map_or_else(Vec::new, |graph| {
            graph.tensors.iter().map(|tensor| tensor.name.to_string()).collect()
        })
    }

    /// The tensors that a step reads, and those that it writes, each as often as it is named.
    pub fn step_tensors(&self, subgraph: usize, step: usize) -> Option<(Vec<usize>, Vec<usize>)> {
        self.executor_of(subgraph)?.step_tensors(step)
    }

    /// Element type of a tensor, and its shape, unless only a run tells it.
    pub fn tensor_form(&self, subgraph: usize, tensor: usize) -> Option<(ElementType, Option<&[i32]>)> {
        self.executor_of(subgraph)?.tensor_form(tensor)
    }

    pub(super) fn executor_of(&self, subgraph: usize) -> Option<&Executor> {
        self.slots.get(subgraph).and_then(Slot::executor)
    }

    /// The nodes that operator `operator` of the main subgraph became: one, those of the composite that it is, or none if another
    /// node does its work. Numbers of nodes count these.
    pub fn nodes_of(&self, operator: usize) -> Range<usize> {
        self.main().graph.operators.get(operator).cloned().unwrap_or(0..0)
    }

    /// Whether other nodes do an operator's work: those that a composite stands for, or one that was put in the place of several.
    pub fn is_inlined(&self, operator: usize) -> bool {
        let graph = &self.main().graph;
        self.nodes_of(operator).is_empty()
            || self.nodes_of(operator).any(|node| graph.nodes[node].origin != (graph.index, operator))
    }

    /// Per node of the main subgraph, who runs it.
    pub fn served_by(&self) -> Vec<Served> {
        let main = self.main();
        report::served_by(&main.graph, main.runner())
    }

    /// Ids of the plugins whose ops can run a node of the main subgraph, best first.
    pub fn candidates(&self, node: usize) -> Vec<&str> {
        let candidates = self.main().graph.nodes.get(node).map_or(&[][..], |node| &node.candidates);
        candidates.iter().map(|candidate| &*candidate.op.plugin).collect()
    }

    /// Per node of the main subgraph, the delegates that refused it and their reasons.
    pub fn refusals(&self) -> Vec<Vec<(String, String)>> {
        let main = self.main();
        report::refusals(&main.graph, main.runner())
    }

    /// Delegates that were left out as a whole, and why.
    pub fn left_out(&self) -> Vec<LeftOut> {
        self.main().delegates().left_out().cloned().collect()
    }

    /// What the delegates would get of a subgraph, before [`allocate`](Self::allocate) gives it to them: they are asked, in the shapes
    /// that inputs have, and compile nothing. Up to the first node of dynamic shape; what lies behind is offered when the model runs.
    ///
    /// # Errors
    /// The subgraph is allocated already; a node that is refused; a delegate that cannot be made, as in `allocate`.
    pub fn preview_delegates(&mut self, subgraph: usize) -> Result<Vec<DelegatePreview>> {
        self.executor_mut(subgraph)?;
        let mut found = Vec::new();
        self.run(subgraph, |executor, run| {
            let asked = executor.preview(run);
            run.forget_inferred();
            found = asked?;
            Ok(())
        })?;
        Ok(found)
    }

    /// Ops of the main subgraph that no plugin serves.
    pub fn unresolved_ops(&self) -> &[UnresolvedOp] {
        &self.main().graph.unresolved
    }

    /// The shape that a tensor has in the interpreter now; it may differ from the model's.
    pub fn shape_of(&self, index: usize) -> Option<&[i32]> {
        (index < self.tensor_count()).then(|| self.main().shape(index))
    }
}

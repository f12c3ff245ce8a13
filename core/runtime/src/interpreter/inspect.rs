//! Reports on an interpreter: what runs each node, and how memory is used.

use std::ops::Range;
use std::time::Duration;

use arenite_abi::ElementType;

use super::Interpreter;
use super::slots::Slot;
use crate::config::DelegateConfig;
use crate::error::{DisabledDelegate, Result, UnresolvedOp};
use crate::planning::plan::SegmentPlan;
use crate::stages::executor::Executor;
use crate::stages::preview::DelegatePreview;
use crate::stages::report::detail::{DetailedPlan, detailed};
use crate::stages::report::{self, DeviceObjects, NodeProvider, PartitionFacts};

/// The memory of an interpreter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryUse {
    /// Bytes of the arenas, which hold activations and scratch buffers.
    pub arena: u64,
    /// Bytes of states, tables, computed constants, variables, resources and tied tensors.
    pub persistent: u64,
    /// Bytes that delegates report, such as packed weights and tables.
    pub delegates: u64,
    /// Bytes of device memory that delegates report.
    pub device: u64,
    /// Bytes of tensors of dynamic shape.
    pub dynamic: u64,
    /// The largest sum of the sizes of buffers that are alive at one node, or at one step inside a partition. No plan
    /// is smaller.
    pub lower_bound: u64,
}

impl Interpreter {
    /// The memory of all subgraphs.
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
        sum.persistent += self.resources.borrow().bytes() + self.tied_bytes();
        sum
    }

    /// The memory plan of the main subgraph, by segment of the execution plan.
    pub fn memory_plan(&self) -> Vec<&SegmentPlan> {
        self.main().plans()
    }

    /// The memory of a subgraph in detail, by segment: [`memory_plan`](Self::memory_plan) with the buffers inside
    /// partitions that delegates report. Empty before the subgraph was allocated or planned.
    pub fn detailed_plan(&self, subgraph: usize) -> Vec<DetailedPlan> {
        self.executor_of(subgraph).and_then(Executor::runner).map_or_else(Vec::new, detailed)
    }

    /// The objects of device memory that planners assigned to the partitions of a subgraph, in execution order.
    pub fn device_objects(&self, subgraph: usize) -> Vec<DeviceObjects> {
        self.executor_of(subgraph).map_or_else(Vec::new, |executor| report::device_objects(executor.runner()))
    }

    /// The facts that the partitions of all subgraphs report, such as bytes of device memory or compile time. Delegates
    /// choose the names.
    pub fn facts(&self) -> Vec<PartitionFacts> {
        let executors = self.slots.iter().filter_map(Slot::executor);
        executors.flat_map(|executor| report::facts(&executor.graph, executor.runner())).collect()
    }

    /// The number of threads for ops and delegates.
    pub fn threads(&self) -> usize {
        self.settings.threads as usize
    }

    /// The delegates it was built with, in the order in which they claim nodes. [`left_out`](Self::left_out) lists
    /// the ones that could not be used.
    pub fn delegates(&self) -> &[DelegateConfig] {
        &self.settings.delegates
    }

    /// The planner's name.
    pub fn planner(&self) -> &str {
        &self.settings.planner.name
    }

    /// The time spent in the planner since the interpreter was built.
    pub fn planning_time(&self) -> Duration {
        self.settings.planner.spent.get()
    }

    /// Prepares a subgraph and plans its memory for the input shapes in the model, without running it. Nodes after a
    /// node of dynamic shape are planned when the model runs.
    ///
    /// # Errors
    /// The errors of [`allocate`](Self::allocate).
    pub fn plan_subgraph(&mut self, subgraph: usize) -> Result<Vec<SegmentPlan>> {
        self.executor_mut(subgraph)?;
        self.allocate_subgraph(subgraph)?;
        Ok(self.executor_mut(subgraph)?.plans().into_iter().cloned().collect())
    }

    /// The ops and delegates of a subgraph in execution order; empty before it was allocated or planned.
    pub fn steps_of(&self, subgraph: usize) -> Vec<String> {
        self.executor_of(subgraph).map_or_else(Vec::new, Executor::step_names)
    }

    /// How many of its steps are planned: all up to the first one of dynamic shape, until that has run.
    pub fn planned_steps(&self, subgraph: usize) -> Option<usize> {
        Some(self.executor_of(subgraph)?.runner()?.step_count())
    }

    /// The names of its tensors, including tensors of composites.
    pub fn tensor_names(&self, subgraph: usize) -> Vec<String> {
        let graph = self.executor_of(subgraph).map(|executor| &executor.graph);
        graph.map_or_else(Vec::new, |graph| {
            graph.tensors.iter().map(|tensor| tensor.name.to_string()).collect()
        })
    }

    /// The tensors that a step reads, and the tensors that it writes. A tensor used twice is listed twice.
    pub fn step_tensors(&self, subgraph: usize, step: usize) -> Option<(Vec<usize>, Vec<usize>)> {
        self.executor_of(subgraph)?.step_tensors(step)
    }

    /// The element type and shape of a tensor; no shape if it is dynamic.
    pub fn tensor_form(&self, subgraph: usize, tensor: usize) -> Option<(ElementType, Option<&[i32]>)> {
        self.executor_of(subgraph)?.tensor_form(tensor)
    }

    pub(super) fn executor_of(&self, subgraph: usize) -> Option<&Executor> {
        self.slots.get(subgraph).and_then(Slot::executor)
    }

    /// The nodes of operator `operator` of the main subgraph: one, the nodes of its composite, or none if another node
    /// does its work. Node numbers in this interface count these nodes.
    pub fn nodes_of(&self, operator: usize) -> Range<usize> {
        self.nodes_in(0, operator)
    }

    /// As [`nodes_of`](Self::nodes_of), for a subgraph; none before it was built.
    pub fn nodes_in(&self, subgraph: usize, operator: usize) -> Range<usize> {
        let nodes = self.executor_of(subgraph).and_then(|executor| executor.graph.operators.get(operator));
        nodes.cloned().unwrap_or(0..0)
    }

    /// Whether an operator was replaced: by the nodes of its composite, or together with others by one node.
    pub fn is_inlined(&self, operator: usize) -> bool {
        self.is_inlined_in(0, operator)
    }

    /// As [`is_inlined`](Self::is_inlined), for a subgraph.
    pub fn is_inlined_in(&self, subgraph: usize, operator: usize) -> bool {
        let Some(graph) = self.executor_of(subgraph).map(|executor| &executor.graph) else { return false };
        let mut nodes = self.nodes_in(subgraph, operator);
        nodes.is_empty() || nodes.any(|node| graph.nodes[node].origin != (graph.index, operator))
    }

    /// For each node of the main subgraph, what runs it.
    pub fn served_by(&self) -> Vec<NodeProvider> {
        self.served_in(0)
    }

    /// Ids of the plugins whose ops can run a node of the main subgraph, best first.
    pub fn candidates(&self, node: usize) -> Vec<&str> {
        self.candidates_in(0, node)
    }

    /// As [`candidates`](Self::candidates), for a subgraph.
    pub fn candidates_in(&self, subgraph: usize, node: usize) -> Vec<&str> {
        let node = self.executor_of(subgraph).and_then(|executor| executor.graph.nodes.get(node));
        let candidates = node.map_or(&[][..], |node| &node.candidates);
        candidates.iter().map(|candidate| &*candidate.op.plugin).collect()
    }

    /// For each node of the main subgraph, the delegates that refused it, and why.
    pub fn refusals(&self) -> Vec<Vec<(String, String)>> {
        self.refusals_of(0)
    }

    /// For each node of a subgraph, the delegates that refused it, and why; empty before it was allocated.
    pub fn refusals_of(&self, subgraph: usize) -> Vec<Vec<(String, String)>> {
        let executor = self.executor_of(subgraph);
        executor.map_or_else(Vec::new, |executor| report::refusals(&executor.graph, executor.runner()))
    }

    /// For each node of a subgraph, what runs it; empty before it was allocated.
    pub fn served_in(&self, subgraph: usize) -> Vec<NodeProvider> {
        let executor = self.executor_of(subgraph);
        executor.map_or_else(Vec::new, |executor| report::served_by(&executor.graph, executor.runner()))
    }

    /// Delegates that were disabled in any subgraph, and why.
    pub fn left_out(&self) -> Vec<DisabledDelegate> {
        self.missing().left_out
    }

    /// Shows which nodes of a subgraph each delegate would run if the subgraph were [allocated](Self::allocate) with
    /// the current input shapes. Delegates report their claims but compile nothing. Covers the nodes up to the first
    /// one of dynamic shape; delegates claim the others when the model runs.
    ///
    /// # Errors
    /// The subgraph is already allocated; otherwise the errors of `allocate` for a node or for creating a delegate.
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

    /// The ops of the main subgraph that no plugin serves.
    pub fn unresolved_ops(&self) -> &[UnresolvedOp] {
        &self.main().graph.unresolved
    }

    /// The current shape of a tensor, which may differ from the model's.
    pub fn shape_of(&self, index: usize) -> Option<&[i32]> {
        (index < self.tensor_count()).then(|| self.main().shape(index))
    }
}

//! Prepares and runs one node, and reports its failure.

use std::collections::BTreeSet;

use arenite_abi::Status;

use super::site::Site;
use super::step::{Failure, Step};
use crate::error::{Error, Result, UnresolvedOp};
use crate::graph::Graph;
use crate::profile::ProfileRow;
use crate::spans;

impl Site<'_> {
    /// A step for a node of the graph.
    pub(crate) fn node_step(&self, node: usize) -> Step {
        let table = &self.memory.table;
        Step::new(self.graph.nodes[node].to_raw(table.as_ptr(), table.len()), Some(node))
    }

    /// Prepares a node with the first candidate that serves it.
    pub(crate) fn prepare_node(&mut self, step: &mut Step, node: usize) -> Result<()> {
        let graph = self.graph;
        let mut refusal = None;
        for candidate in &graph.nodes[node].candidates {
            self.memory.reset_outputs(graph, step.outputs());
            match step.prepare_op(&candidate.op, self) {
                Ok(()) => return Ok(()),
                Err(failure) => {
                    let last = failure.status != Status::Unsupported;
                    // The first refusal comes from the preferred plugin.
                    refusal.get_or_insert(failure);
                    if last {
                        break;
                    }
                }
            }
        }
        // An op may have set an output's shape before it refused.
        self.memory.reset_outputs(graph, step.outputs());
        match refusal {
            Some(failure) => Err(self.failed(step, failure)),
            None => Err(Error::unresolved(unresolved(graph, std::iter::once(node)))),
        }
    }

    /// Runs a step.
    pub(crate) fn eval(&mut self, step: &mut Step, profile: Option<&mut ProfileRow>) -> Result<()> {
        let _span = spans::of_node(|| step.op(self.graph), step.raw.index);
        if step.dynamic {
            self.memory.forget_dynamic(step.outputs());
        }
        if self.run.is_over() {
            return Err(self.run.stopped());
        }
        let marked = if step.has_run { None } else { Some(step.mark_outputs(self)) };
        if let Err(failure) = step.eval(self, profile) {
            return Err(self.failed(step, failure));
        }
        if let Some(marked) = &marked {
            step.warn_of_forgotten(self, marked);
        }
        if step.dynamic {
            self.check_dynamic_outputs(step)?;
        }
        Ok(())
    }

    fn check_dynamic_outputs(&self, step: &Step) -> Result<()> {
        let table = &self.memory.table;
        for t in Graph::present(step.outputs()) {
            if table.is_dynamic(t) && table.get(t).data.is_null() {
                let message =
                    format!("it gave no shape to its dynamic output '{}'", &*self.graph.tensors[t].name);
                return Err(self.failed(step, Failure { status: Status::Internal, message }));
            }
        }
        Ok(())
    }

    /// The error of a step that a plugin refused or failed to run.
    pub(crate) fn failed(&self, step: &Step, failure: Failure) -> Error {
        if failure.status == Status::Cancelled && self.run.is_over() {
            return self.run.stopped();
        }
        let (op, output) = step.names(self.graph);
        Error::Node {
            op,
            subgraph: step.raw.subgraph as usize,
            node: step.raw.index as usize,
            output,
            status: failure.status,
            message: failure.message,
        }
    }
}

/// The ops of these nodes that no plugin serves.
pub(crate) fn unresolved(graph: &Graph, nodes: impl Iterator<Item = usize>) -> Vec<UnresolvedOp> {
    let missing: BTreeSet<usize> = nodes.filter_map(|node| graph.nodes[node].unresolved).collect();
    missing.into_iter().map(|u| graph.unresolved[u].clone()).collect()
}

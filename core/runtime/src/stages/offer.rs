//! The steps of a segment that delegates may claim.

use std::collections::BTreeSet;
use std::rc::Rc;

use arenite_abi::schema::op::DEQUANTIZE;

use super::inferred::{Inferred, InferredNode};
use super::partition::{PartitionInput, Subset};
use super::partition_kernel::GraphForDelegate;
use super::pending::PendingNodes;
use super::rounds::partition_in_rounds;
use super::site::Site;
use super::step::{Kernel, Step};
use crate::config::DelegateConfig;
use crate::error::Result;
use crate::graph::Graph;
use crate::host::claim::Answers;

/// Why a delegate does not run a node.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub node: usize,
    pub delegate: String,
    pub reason: String,
}

/// The steps that are offered to delegates.
pub(super) struct Offer {
    /// Nodes whose results are already known, so they need not run.
    pub(super) constant: Vec<Step>,
    /// All other nodes, and the partitions of delegates that were asked earlier.
    pub(super) steps: Vec<Step>,
    /// A node of dynamic shape, which runs last.
    pub(super) last: Option<Step>,
    /// Nodes that no op prepared.
    pub(super) unchecked: BTreeSet<usize>,
    /// Variables that have more than one shape.
    pub(super) reshaped: BTreeSet<usize>,
    /// Tensors that have a value before the first step.
    given: Vec<i32>,
    /// Tensors that are read after the last step.
    wanted: Vec<i32>,
    pub(super) refusals: Vec<Refusal>,
}

impl Offer {
    pub(super) fn new(site: &Site<'_>, inferred: &Inferred, after: &PendingNodes) -> Self {
        let mut known = inferred.nodes.as_slice();
        let mut last = None;
        if let (true, Some((node, before))) = (inferred.ends_dynamic, known.split_last()) {
            last = Some(site.node_step(node.node));
            known = before;
        }
        let (constant, others): (Vec<_>, Vec<_>) = known.iter().partition(|known| known.constant);
        let steps_of = |list: Vec<_>| -> Vec<Step> {
            list.into_iter().map(|known: &InferredNode| site.node_step(known.node)).collect()
        };
        let unchecked = known.iter().filter(|known| !known.checked).map(|known| known.node).collect();
        let (constant, steps) = (steps_of(constant), steps_of(others));
        let (given, wanted) = borders(site.graph, &steps, last.as_ref(), after);
        let reshaped = inferred.reshaped.clone();
        Offer { constant, steps, last, unchecked, reshaped, given, wanted, refusals: Vec::new() }
    }

    pub(super) fn view(&self, site: &Site<'_>) -> GraphForDelegate {
        let nodes = self.steps.iter().map(|step| step.raw).collect();
        let partitions = self.steps.iter().filter_map(|step| match &step.kernel {
            Kernel::Partition(kernel) => Some(Rc::clone(kernel)),
            _ => None,
        });
        GraphForDelegate::new(&site.memory.table, nodes, partitions.collect(), &self.given, &self.wanted)
    }

    /// The plan cut into subsets, where each step with a round is claimed.
    pub(super) fn cut_in_rounds(&self, site: &Site<'_>, rounds: &[Option<u32>]) -> Vec<Subset> {
        let nodes: Vec<(&[i32], &[i32])> = self.steps.iter().map(|s| (s.inputs(), s.outputs())).collect();
        let is_stateful = |step: &Step| step.members().iter().any(|&node| site.graph.is_stateful(node));
        let stateful: Vec<bool> = self.steps.iter().map(is_stateful).collect();
        let updates: Vec<bool> =
            self.steps.iter().map(|step| step.node.is_some_and(|node| site.graph.has_state(node))).collect();
        let weights: Vec<bool> = self.steps.iter().map(|step| holds_weights(site, step)).collect();
        let graph = PartitionInput {
            tensor_count: site.memory.table.len(),
            nodes: &nodes,
            outputs: &self.wanted,
            claimed: &[],
            stateful: &stateful,
            updates: &updates,
            is_variable: &|t| site.graph.tensors[t].variable,
            weights: &weights,
        };
        partition_in_rounds(&graph, rounds)
    }

    /// The steps that dequantize weights, except those inside one claimed subset together with all their readers. The
    /// host runs them once.
    pub(super) fn exposed_weights(&self, site: &Site<'_>, subsets: &[Subset]) -> Vec<usize> {
        let is_exposed = |subset: &Subset, i: usize| {
            let crosses = |&t: &i32| subset.outputs.binary_search(&t).is_ok();
            !subset.claimed || self.steps[i].outputs().iter().any(crosses)
        };
        let pairs = subsets.iter().flat_map(|subset| subset.nodes.iter().map(move |&i| (subset, i)));
        let exposed =
            pairs.filter(|&(subset, i)| holds_weights(site, &self.steps[i]) && is_exposed(subset, i));
        exposed.map(|(_, i)| i).collect()
    }

    /// Computes the constants of some steps and removes these steps from the offer. Returns whether there were any.
    pub(super) fn compute(&mut self, site: &mut Site<'_>, steps: &[usize]) -> Result<bool> {
        for node in steps.iter().filter_map(|&i| self.steps[i].node) {
            site.compute(node)?;
        }
        let table = &site.memory.table;
        let is_known = |step: &Step| Graph::present(step.outputs()).all(|t| table.is_constant(t));
        let (known, others): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.steps).into_iter().partition(is_known);
        let any = !known.is_empty();
        self.steps = others;
        self.constant.extend(known);
        Ok(any)
    }

    pub(super) fn note_refusals(&mut self, config: &DelegateConfig, refused: Answers) {
        let mut note = |step: &Step, reason: String| {
            if let Some(node) = step.node {
                self.refusals.push(Refusal { node, delegate: config.name.clone(), reason });
            }
        };
        for (step, reason) in self.steps.iter().zip(refused) {
            reason.into_iter().for_each(|reason| note(step, reason));
        }
        self.constant.iter().for_each(|step| note(step, "its result is constant".into()));
        self.last
            .iter()
            .for_each(|step| note(step, "the shape of its result is unknown before it runs".into()));
    }

    /// Replaces each claimed subset by a step; `make` returns the step for a claimed subset and its former steps.
    pub(super) fn replace_with(
        &mut self,
        subsets: Vec<Subset>,
        mut make: impl FnMut(&Subset, Vec<Step>) -> Option<Step>,
    ) {
        let mut old: Vec<Option<Step>> = std::mem::take(&mut self.steps).into_iter().map(Some).collect();
        for subset in subsets {
            let steps = subset.nodes.iter().filter_map(|&i| old[i].take()).collect();
            match subset.claimed {
                false => self.steps.extend(steps),
                true => self.steps.extend(make(&subset, steps)),
            }
        }
    }

    /// Why a delegate does not run a node.
    pub(super) fn refusal(&self, node: usize, config: &DelegateConfig) -> Option<&str> {
        let is_same = |refusal: &&Refusal| refusal.node == node && refusal.delegate == config.name;
        self.refusals.iter().find(is_same).map(|refusal| refusal.reason.as_str())
    }
}

/// Tensors that have a value before these steps run, and tensors that the steps write and that are read later: by
/// `last`, by the nodes of `after`, by the caller or, for a variable, by the next invocation.
fn borders(graph: &Graph, steps: &[Step], last: Option<&Step>, after: &PendingNodes) -> (Vec<i32>, Vec<i32>) {
    let written: BTreeSet<usize> = steps.iter().flat_map(|step| Graph::present(step.outputs())).collect();
    let read: BTreeSet<usize> = steps.iter().flat_map(|step| Graph::present(step.inputs())).collect();
    let is_wanted = |&t: &usize| {
        graph.is_output(t)
            || graph.tensors[t].variable
            || after.reads(graph, t)
            || last.is_some_and(|last| last.inputs().contains(&(t as i32)))
    };
    let is_given = |&t: &usize| {
        graph.tensors[t].variable || (!written.contains(&t) && (graph.is_written(t) || graph.is_input(t)))
    };
    (
        read.iter().copied().filter(is_given).map(|t| t as i32).collect(),
        written.iter().copied().filter(is_wanted).map(|t| t as i32).collect(),
    )
}

/// Whether a step dequantizes constant weights and has not run yet.
fn holds_weights(site: &Site<'_>, step: &Step) -> bool {
    let served = |node: usize| !site.graph.nodes[node].candidates.is_empty();
    step.raw.builtin_code == DEQUANTIZE
        && step.node.is_some_and(served)
        && site.reads_constants(step.inputs())
}

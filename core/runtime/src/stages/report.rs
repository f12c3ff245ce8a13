//! What an allocation found, for people: views of the stages, never read back.

pub mod detail;

use arenite_abi::UsageRecord;

use super::runner::Runner;
use super::step::{Kernel, Step};
use crate::graph::Graph;
use crate::planning::plan::Plan;

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
        /// Numbered from 0 by their first nodes.
        partition: usize,
    },
}

/// Per node, who runs it.
pub(crate) fn served_by(graph: &Graph, runner: Option<&Runner>) -> Vec<Served> {
    let mut served = vec![Served::Nobody; graph.nodes.len()];
    let mut steps: Vec<&Step> = runner.into_iter().flat_map(Runner::steps).collect();
    steps.sort_by_key(|step| step.members().first());
    let mut partitions = 0;
    for step in steps {
        let who = server(step, partitions);
        partitions += usize::from(matches!(who, Served::Delegate { .. }));
        step.members().iter().for_each(|&node| served[node] = who.clone());
    }
    served
}

fn server(step: &Step, partition: usize) -> Served {
    match &step.kernel {
        Kernel::Unprepared | Kernel::Claimed(_) => Served::Nobody,
        Kernel::Op { op, .. } => Served::Plugin(op.plugin.to_string()),
        Kernel::Constant(op) => Served::Folded(op.plugin.to_string()),
        Kernel::Partition(kernel) => Served::Delegate { name: kernel.owner.name.clone(), partition },
    }
}

/// Per node, the delegates that refused it, and their reasons.
pub(crate) fn refusals(graph: &Graph, runner: Option<&Runner>) -> Vec<Vec<(String, String)>> {
    let mut refusals = vec![Vec::new(); graph.nodes.len()];
    for refusal in runner.into_iter().flat_map(Runner::refusals) {
        refusals[refusal.node].push((refusal.delegate.clone(), refusal.reason.clone()));
    }
    refusals
}

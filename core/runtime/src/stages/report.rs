//! Reports on an allocation, for listings. No stage reads them.

pub(crate) mod detail;

use std::rc::Rc;

use arenite_abi::ObjectRecord;

use super::partition_kernel::{AssignedObjects, PartitionKernel};
use super::runner::Runner;
use super::step::{Kernel, Step};
use crate::graph::Graph;
use crate::host::devices::Fact;
use crate::planning::objects::SharedObjects;

/// The op or delegate that runs a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum NodeProvider {
    /// Nothing yet: the graph is not allocated, or the node comes after a node of dynamic shape.
    #[default]
    Nobody,
    /// The op of this plugin.
    Plugin(String),
    /// The op of this plugin ran once, because the result is constant.
    Folded(String),
    /// A partition of this delegate.
    Delegate {
        /// The delegate's name.
        name: String,
        /// The partition's number, from 0 in the order of their first nodes.
        partition: usize,
    },
}

/// The facts that a partition's kernel reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartitionFacts {
    /// The delegate's name.
    pub delegate: String,
    /// The subgraph.
    pub subgraph: usize,
    /// The partition's number, see [`NodeProvider::Delegate`].
    pub partition: usize,
    /// In the order of the report.
    pub facts: Vec<Fact>,
}

/// Objects of device memory that a planner assigned to a partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceObjects {
    /// The delegate's name.
    pub delegate: String,
    /// The partition's number, see [`NodeProvider::Delegate`].
    pub partition: usize,
    /// The planner's name.
    pub planner: String,
    /// The records that the planner got; their lifetimes count the kernel's own steps.
    pub records: Vec<ObjectRecord>,
    /// The object of each record, and the extents of each object.
    pub objects: SharedObjects,
}

/// The steps by first node, which is the order in which partitions are numbered.
fn in_order(runner: Option<&Runner>) -> Vec<&Step> {
    let mut steps: Vec<&Step> = runner.into_iter().flat_map(Runner::steps).collect();
    steps.sort_by_key(|step| step.members().first());
    steps
}

/// The partitions, with their numbers.
fn partitions(runner: Option<&Runner>) -> impl Iterator<Item = (usize, &Rc<PartitionKernel>)> {
    let kernels = in_order(runner).into_iter().filter_map(|step| match &step.kernel {
        Kernel::Partition(kernel) => Some(kernel),
        _ => None,
    });
    kernels.enumerate()
}

/// The facts of all partitions that report any.
pub(crate) fn facts(graph: &Graph, runner: Option<&Runner>) -> Vec<PartitionFacts> {
    let told = partitions(runner).map(|(partition, kernel)| PartitionFacts {
        delegate: kernel.owner.name.clone(),
        subgraph: graph.index,
        partition,
        facts: kernel.facts(),
    });
    told.filter(|told| !told.facts.is_empty()).collect()
}

/// The objects that planners assigned.
pub(crate) fn device_objects(runner: Option<&Runner>) -> Vec<DeviceObjects> {
    let of =
        |(partition, kernel): (usize, &Rc<PartitionKernel>)| {
            let delegate = kernel.owner.name.clone();
            kernel.objects().into_iter().map(move |AssignedObjects { planner, records, objects }| {
                DeviceObjects { delegate: delegate.clone(), partition, planner, records, objects }
            })
        };
    partitions(runner).flat_map(of).collect()
}

/// For each node, the op or delegate that runs it.
pub(crate) fn served_by(graph: &Graph, runner: Option<&Runner>) -> Vec<NodeProvider> {
    let mut served = vec![NodeProvider::Nobody; graph.nodes.len()];
    let mut partitions = 0;
    for step in in_order(runner) {
        let who = server(step, partitions);
        partitions += usize::from(matches!(who, NodeProvider::Delegate { .. }));
        step.members().iter().for_each(|&node| served[node] = who.clone());
    }
    served
}

fn server(step: &Step, partition: usize) -> NodeProvider {
    match &step.kernel {
        Kernel::Unprepared | Kernel::Claimed(_) => NodeProvider::Nobody,
        Kernel::Op { op, .. } => NodeProvider::Plugin(op.plugin.to_string()),
        Kernel::Constant(op) => NodeProvider::Folded(op.plugin.to_string()),
        Kernel::Partition(kernel) => NodeProvider::Delegate { name: kernel.owner.name.clone(), partition },
    }
}

/// For each node, the delegates that refused it, and why.
pub(crate) fn refusals(graph: &Graph, runner: Option<&Runner>) -> Vec<Vec<(String, String)>> {
    let mut refusals = vec![Vec::new(); graph.nodes.len()];
    for refusal in runner.into_iter().flat_map(Runner::refusals) {
        refusals[refusal.node].push((refusal.delegate.clone(), refusal.reason.clone()));
    }
    refusals
}

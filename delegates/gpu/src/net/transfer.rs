//! Whether nodes are worth their transfers: inputs that are copied to the device and outputs that are copied back.
//!
//! ```text
//!  x ─► [a ─► b] ─► y     worth it where operations(a) + operations(b) ≥ min_work × (bytes(x) + bytes(y))
//! ```
//! Claimed nodes that are connected by tensors form a group, because they will be in one partition or in adjacent ones.
//! Tensors inside of a group are not transferred. Constants are transferred once and not counted.

use std::collections::HashMap;

use arenite_abi::prelude::*;
use arenite_layers::lower::{LayerFacts, Operations, ProductShapes, facts};

/// A node of a graph.
pub(crate) struct NodeWork {
    /// The variable tensors that it reads.
    pub inputs: Vec<usize>,
    /// The tensors that it writes.
    pub outputs: Vec<usize>,
    /// Its operations; `None` for a node that the device does not run.
    pub operations: Option<u64>,
}

/// The work and the transfers of a group.
#[derive(Clone, Copy, Default)]
struct GroupCost {
    operations: u64,
    bytes: u64,
}

/// A tensor that is copied to or from the device for a group.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Transfer {
    group: usize,
    tensor: usize,
}

/// Why each node is not worth its transfers; `None` if it is.
pub(crate) fn unworthy(
    nodes: &[NodeWork],
    bytes: &dyn Fn(usize) -> u64,
    min_work: f64,
) -> Vec<Option<String>> {
    let group = groups(nodes);
    let mut sums: HashMap<usize, GroupCost> = HashMap::new();
    for (node, work) in nodes.iter().enumerate() {
        sums.entry(group[node]).or_default().operations += work.operations.unwrap_or(0);
    }
    for Transfer { group, tensor } in transfers(nodes, &group) {
        sums.entry(group).or_default().bytes += bytes(tensor);
    }
    let reason = |(node, work): (usize, &NodeWork)| {
        let GroupCost { operations, bytes } = sums[&group[node]];
        work.operations?;
        ((operations as f64) < min_work * bytes as f64).then(|| {
            format!("{operations} operations of its group are not worth {bytes} bytes to the device and back: min_work is {min_work}")
        })
    };
    nodes.iter().enumerate().map(reason).collect()
}

/// The group of each node, by the group's first node.
fn groups(nodes: &[NodeWork]) -> Vec<usize> {
    let mut group: Vec<usize> = (0..nodes.len()).collect();
    let mut producer: HashMap<usize, usize> = HashMap::new();
    for (node, work) in nodes.iter().enumerate().filter(|(_, work)| work.operations.is_some()) {
        for from in work.inputs.iter().filter_map(|t| producer.get(t).copied()) {
            let (a, b) = (root(&group, from), root(&group, node));
            group[a.max(b)] = a.min(b);
        }
        producer.extend(work.outputs.iter().map(|&t| (t, node)));
    }
    (0..nodes.len()).map(|node| root(&group, node)).collect()
}

fn root(group: &[usize], mut node: usize) -> usize {
    while group[node] != node {
        node = group[node];
    }
    node
}

/// The transferred tensors of each group, each once.
fn transfers(nodes: &[NodeWork], group: &[usize]) -> Vec<Transfer> {
    let on_device = |node: usize| nodes[node].operations.is_some();
    let mut producer: HashMap<usize, usize> = HashMap::new();
    let mut read: HashMap<usize, bool> = HashMap::new();
    let mut found = Vec::new();
    for (node, work) in nodes.iter().enumerate() {
        for &t in &work.inputs {
            let from = producer.get(&t).copied().filter(|&from| on_device(from));
            match (from, on_device(node)) {
                (None, true) => found.push(Transfer { group: group[node], tensor: t }),
                (Some(from), false) => found.push(Transfer { group: group[from], tensor: t }),
                _ => {}
            }
            read.insert(t, true);
        }
        producer.extend(work.outputs.iter().map(|&t| (t, node)));
    }
    let results = producer.iter().filter(|(t, node)| !read.contains_key(t) && on_device(**node));
    found.extend(results.map(|(&t, &node)| Transfer { group: group[node], tensor: t }));
    found.sort_unstable();
    found.dedup();
    found
}

/// The work of a graph's nodes. A node with `None` in `refused` runs on the device.
pub(crate) fn work(graph: &GraphView<'_>, refused: &[Option<String>]) -> Result<Vec<NodeWork>> {
    let variable = |indices: &[i32]| -> Result<Vec<usize>> {
        let mut found = Vec::new();
        for t in indices.iter().filter_map(|&t| usize::try_from(t).ok()) {
            if !graph.tensor(t)?.is_constant() {
                found.push(t);
            }
        }
        Ok(found)
    };
    let one = |(node, refused): (NodeView<'_>, &Option<String>)| {
        let outputs = variable(node.output_indices())?;
        let elements = outputs.iter().map(|&t| graph.tensor(t).map_or(0, |y| y.len() as u64)).sum();
        Ok(NodeWork {
            inputs: variable(node.input_indices())?,
            operations: refused.is_none().then(|| operations(graph, &node, elements)),
            outputs,
        })
    };
    graph.nodes().zip(refused).map(one).collect()
}

/// Two per multiply-add of a product; one per element that any other op writes.
fn operations(graph: &GraphView<'_>, node: &NodeView<'_>, elements: u64) -> u64 {
    let facts = facts(node).and_then(|facts| facts.layer.as_ref());
    let Some(LayerFacts { data, work: Operations::Products(multiply_adds), .. }) = facts else {
        return elements;
    };
    let shape = |i: usize| -> Vec<u64> {
        let index = node.input_indices().get(i).and_then(|&t| usize::try_from(t).ok());
        let tensor = index.and_then(|t| graph.tensor(t).ok());
        tensor.map_or_else(Vec::new, |tensor| tensor.shape.iter().map(|&n| n.max(0) as u64).collect())
    };
    let shapes = ProductShapes { data: shape(*data), weights: shape(1), results: elements };
    multiply_adds(&shapes).saturating_mul(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(inputs: &[usize], outputs: &[usize], operations: Option<u64>) -> NodeWork {
        NodeWork { inputs: inputs.to_vec(), outputs: outputs.to_vec(), operations }
    }

    fn left(nodes: &[NodeWork], min_work: f64) -> Vec<bool> {
        unworthy(nodes, &|_| 4, min_work).iter().map(Option::is_some).collect()
    }

    /// Two nodes of 8 operations, whose middle stays on the device: 16 for 8 bytes.
    #[test]
    fn a_group_is_worth_its_transfers() {
        let chain = [node(&[0], &[1], Some(8)), node(&[1], &[2], Some(8))];
        for (min_work, want) in [(0.0, false), (2.0, false), (2.1, true)] {
            assert_eq!(left(&chain, min_work), [want; 2], "{min_work}");
        }
        let reason = unworthy(&chain, &|_| 4, 3.0)[0].clone().expect("it is left");
        assert_eq!(
            reason,
            "16 operations of its group are not worth 8 bytes to the device and back: min_work is 3"
        );
    }

    /// A node on the host separates two groups, one of which has enough work.
    #[test]
    fn groups_are_independent() {
        let nodes = [node(&[0], &[1], Some(8)), node(&[1], &[2], None), node(&[2], &[3], Some(80))];
        assert_eq!(left(&nodes, 5.0), [true, false, false]);
        assert_eq!(left(&nodes, 1.0), [false, false, false]);
    }

    /// A tensor that two nodes read is transferred once; groups that join later are one group.
    #[test]
    fn shared_tensors_are_transferred_once() {
        let nodes = [node(&[0], &[1], Some(4)), node(&[0], &[2], Some(4)), node(&[1, 2], &[3], Some(4))];
        assert_eq!(left(&nodes, 1.5), [false; 3]);
        assert_eq!(left(&nodes, 1.6), [true; 3]);
    }
}

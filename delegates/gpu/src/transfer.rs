//! Whether nodes are worth what crosses for them: inputs that go to the device, outputs that come back.
//!
//! ```text
//!  x ─► [a ─► b] ─► y     worth it where operations(a) + operations(b) ≥ min_work × (bytes(x) + bytes(y))
//! ```
//! Nodes that are taken and connected by tensors are one group, as they will be one partition or adjoin one; what stays inside of a group
//! crosses nothing. Constants cross once, and are not counted.

use std::collections::HashMap;

use arenite_abi::prelude::*;

use crate::net::{Product, ProductShapes};

/// A node of a graph.
pub struct Work {
    /// Tensors that it reads and that are no constants, and those that it writes.
    pub inputs: Vec<usize>,
    /// Those that it writes.
    pub outputs: Vec<usize>,
    /// Multiplications, additions and functions of elements; `None` for a node that the device does not run.
    pub operations: Option<u64>,
}

/// Per node, why it is not worth it.
pub fn unworthy(nodes: &[Work], bytes: &dyn Fn(usize) -> u64, min_work: f64) -> Vec<Option<String>> {
    let group = groups(nodes);
    let mut sums: HashMap<usize, (u64, u64)> = HashMap::new();
    for (node, work) in nodes.iter().enumerate() {
        sums.entry(group[node]).or_default().0 += work.operations.unwrap_or(0);
    }
    for (group, tensor) in crossings(nodes, &group) {
        sums.entry(group).or_default().1 += bytes(tensor);
    }
    let reason = |(node, work): (usize, &Work)| {
        let (operations, bytes) = sums[&group[node]];
        work.operations?;
        ((operations as f64) < min_work * bytes as f64).then(|| {
            format!("{operations} operations of its group are not worth {bytes} bytes to the device and back: min_work is {min_work}")
        })
    };
    nodes.iter().enumerate().map(reason).collect()
}

/// Per node its group, by the first node of that.
fn groups(nodes: &[Work]) -> Vec<usize> {
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

/// `(group, tensor)` of what goes to the device or comes back, each once.
fn crossings(nodes: &[Work], group: &[usize]) -> Vec<(usize, usize)> {
    let on_device = |node: usize| nodes[node].operations.is_some();
    let mut producer: HashMap<usize, usize> = HashMap::new();
    let mut read: HashMap<usize, bool> = HashMap::new();
    let mut found = Vec::new();
    for (node, work) in nodes.iter().enumerate() {
        for &t in &work.inputs {
            let from = producer.get(&t).copied().filter(|&from| on_device(from));
            match (from, on_device(node)) {
                (None, true) => found.push((group[node], t)),
                (Some(from), false) => found.push((group[from], t)),
                _ => {}
            }
            read.insert(t, true);
        }
        producer.extend(work.outputs.iter().map(|&t| (t, node)));
    }
    let results = producer.iter().filter(|(t, node)| !read.contains_key(t) && on_device(**node));
    found.extend(results.map(|(&t, &node)| (group[node], t)));
    found.sort_unstable();
    found.dedup();
    found
}

/// The work of a graph's nodes, of which those with `None` in `refused` are taken.
pub fn work(graph: &GraphView<'_>, refused: &[Option<String>]) -> Result<Vec<Work>> {
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
        Ok(Work {
            inputs: variable(node.input_indices())?,
            operations: refused.is_none().then(|| operations(graph, &node, elements)),
            outputs,
        })
    };
    graph.nodes().zip(refused).map(one).collect()
}

/// Two per multiply-add of a product; one per element that any other op writes.
fn operations(graph: &GraphView<'_>, node: &NodeView<'_>, elements: u64) -> u64 {
    let Some(product) = Product::of(node.builtin_code()) else { return elements };
    let shape = |i: usize| -> Vec<u64> {
        let index = node.input_indices().get(i).and_then(|&t| usize::try_from(t).ok());
        let tensor = index.and_then(|t| graph.tensor(t).ok());
        tensor.map_or_else(Vec::new, |tensor| tensor.shape.iter().map(|&n| n.max(0) as u64).collect())
    };
    let shapes = ProductShapes { data: shape(product.data), weights: shape(1), results: elements };
    (product.multiply_adds)(&shapes).saturating_mul(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(inputs: &[usize], outputs: &[usize], operations: Option<u64>) -> Work {
        Work { inputs: inputs.to_vec(), outputs: outputs.to_vec(), operations }
    }

    fn left(nodes: &[Work], min_work: f64) -> Vec<bool> {
        unworthy(nodes, &|_| 4, min_work).iter().map(Option::is_some).collect()
    }

    /// Two nodes of 8 operations, whose middle stays on the device: 16 for 8 bytes.
    #[test]
    fn a_group_is_worth_its_borders() {
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

    /// A node of the host in the middle: two groups, of which one has work enough.
    #[test]
    fn groups_are_judged_by_themselves() {
        let nodes = [node(&[0], &[1], Some(8)), node(&[1], &[2], None), node(&[2], &[3], Some(80))];
        assert_eq!(left(&nodes, 5.0), [true, false, false]);
        assert_eq!(left(&nodes, 1.0), [false, false, false]);
    }

    /// By hand: results × taps × channels of one filter; of a transposed convolution, elements of the input × taps × filters.
    #[test]
    fn products_count_their_multiply_adds() {
        for (code, data, weights, results, want) in [
            (op::CONV_2D, &[1, 6, 6, 3][..], &[8, 3, 3, 3][..], 4 * 4 * 8, 4 * 4 * 8 * 27),
            (op::DEPTHWISE_CONV_2D, &[1, 6, 6, 3], &[1, 3, 3, 3], 4 * 4 * 3, 4 * 4 * 3 * 9),
            (op::FULLY_CONNECTED, &[2, 5], &[7, 5], 14, 14 * 5),
            (op::BATCH_MATMUL, &[3, 2, 5], &[3, 5, 7], 42, 42 * 5),
            (op::TRANSPOSE_CONV, &[1, 4, 4, 3], &[8, 3, 3, 3], 9 * 9 * 8, 4 * 4 * 3 * 9 * 8),
        ] {
            let product = Product::of(code).expect("it is a product");
            let shapes = ProductShapes { data: data.to_vec(), weights: weights.to_vec(), results };
            assert_eq!((product.multiply_adds)(&shapes), want, "op {code}");
        }
        assert!(Product::of(op::ADD).is_none());
    }

    /// What two nodes read crosses once; a group that is joined later counts as one.
    #[test]
    fn what_is_shared_crosses_once() {
        let nodes = [node(&[0], &[1], Some(4)), node(&[0], &[2], Some(4)), node(&[1, 2], &[3], Some(4))];
        assert_eq!(left(&nodes, 1.5), [false; 3]);
        assert_eq!(left(&nodes, 1.6), [true; 3]);
    }
}

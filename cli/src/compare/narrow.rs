//! Looks for the first difference inside a delegate's partition: runs again with the partition's tensors kept.

use std::collections::BTreeMap;

use arenite::model_file::SubGraph;
use serde::Serialize;

use super::verdict::{self, ComparedTensor};
use crate::answer::Result;

/// The result of a search inside a partition.
#[derive(Default, Serialize)]
pub struct InsideSearch {
    /// Tensors of the partition that were kept.
    pub kept: Vec<usize>,
    /// The first tensor that differs then.
    pub first: Option<ComparedTensor>,
    /// Nodes that compute it from tensors that agree.
    pub nodes: Vec<usize>,
    /// If no tensor differs then: the tensor that must be kept so that the difference disappears.
    pub fused: Option<FusedTensor>,
    /// Why the partition's tensors could not be kept.
    pub error: Option<String>,
}

/// A tensor that a delegate does not compute as the model says, unless it is kept.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FusedTensor {
    pub tensor: usize,
    pub name: String,
    /// The node that writes it.
    pub node: usize,
    /// The nodes that read it.
    pub readers: Vec<usize>,
}

/// Runs the model with these tensors kept, and returns the comparison.
pub(super) type RunKeeping<'a> = &'a mut dyn FnMut(&[usize]) -> Result<Vec<ComparedTensor>>;

/// Searches the nodes among which tensor `start` came to differ. `None` if no tensor lies between them.
pub(super) fn search(
    subgraph: &SubGraph<'_>,
    nodes: &[usize],
    start: usize,
    can_compare: &dyn Fn(usize) -> bool,
    run: RunKeeping<'_>,
) -> Option<InsideSearch> {
    let graph = Graph::of(subgraph);
    let outputs = |&node: &usize| graph.outputs.get(&node).cloned().unwrap_or_default();
    let mut kept: Vec<usize> =
        nodes.iter().flat_map(outputs).filter(|&t| t != start && can_compare(t)).collect();
    kept.sort_by_key(|t| graph.writer.get(t));
    if kept.is_empty() {
        return None;
    }
    let found = match find(&graph, &kept, start, run) {
        Ok(Finding::Tensor(tensors, i)) => {
            let nodes = verdict::suspects(subgraph, &tensors, i);
            InsideSearch { first: tensors.into_iter().nth(i), nodes, ..InsideSearch::default() }
        }
        Ok(Finding::Fused(tensor)) => InsideSearch { fused: graph.fused(tensor), ..InsideSearch::default() },
        Err(failure) => InsideSearch { error: Some(failure.to_string()), ..InsideSearch::default() },
    };
    Some(InsideSearch { kept, ..found })
}

enum Finding {
    /// A comparison, and the index of the first tensor that differs.
    Tensor(Vec<ComparedTensor>, usize),
    /// The difference disappears if this tensor is kept.
    Fused(usize),
}

fn find(graph: &Graph, kept: &[usize], start: usize, run: RunKeeping<'_>) -> Result<Finding> {
    let tensors = run(kept)?;
    let is_inside = |c: &ComparedTensor| c.tensor == start || kept.contains(&c.tensor);
    let differing = tensors.iter().enumerate().filter(|(_, c)| c.differs && is_inside(c));
    if let Some(i) = differing.min_by_key(|(_, c)| graph.writer.get(&c.tensor)).map(|(i, _)| i) {
        return Ok(Finding::Tensor(tensors, i));
    }
    // With the first `low` tensors kept the difference is present, with the first `high` it is not.
    let (mut low, mut high) = (0, kept.len());
    while high - low > 1 {
        let middle = low.midpoint(high);
        let differs = run(&kept[..middle])?.iter().any(|c| c.differs && is_inside(c));
        if differs { low = middle } else { high = middle }
    }
    Ok(Finding::Fused(kept[high - 1]))
}

/// A subgraph's nodes and tensors.
struct Graph {
    /// The node that writes a tensor.
    writer: BTreeMap<usize, usize>,
    /// The tensors that a node writes.
    outputs: BTreeMap<usize, Vec<usize>>,
    /// The nodes that read a tensor.
    readers: BTreeMap<usize, Vec<usize>>,
    names: Vec<String>,
}

impl Graph {
    fn of(subgraph: &SubGraph<'_>) -> Self {
        let names = subgraph.tensors().iter().map(|tensor| tensor.name().unwrap_or_default().to_owned());
        let mut graph = Graph {
            writer: BTreeMap::new(),
            outputs: BTreeMap::new(),
            readers: BTreeMap::new(),
            names: names.collect(),
        };
        for (node, operator) in subgraph.operators().iter().enumerate() {
            for t in operator.outputs().iter().filter_map(|t| usize::try_from(t).ok()) {
                graph.writer.insert(t, node);
                graph.outputs.entry(node).or_default().push(t);
            }
            for t in operator.inputs().iter().filter_map(|t| usize::try_from(t).ok()) {
                graph.readers.entry(t).or_default().push(node);
            }
        }
        graph
    }

    fn fused(&self, tensor: usize) -> Option<FusedTensor> {
        let node = self.writer.get(&tensor).copied()?;
        let readers = self.readers.get(&tensor).cloned().unwrap_or_default();
        Some(FusedTensor { tensor, name: self.names.get(tensor)?.clone(), node, readers })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use arenite::model_file::Model;
    use arenite::model_file::writer::{self, ModelBuilder, Operator, Tensor};

    use super::*;

    /// Tensor 0 is the input; node `i` computes tensor `i + 1` from tensor `i`.
    fn chain(nodes: i32) -> Vec<u8> {
        let (mut model, mut graph) = (ModelBuilder::new(), writer::SubGraph::new("main"));
        let abs = model.builtin("ABS", 1);
        let first = graph.input(Tensor::new("0", 0, &[1]));
        for i in 0..nodes {
            let y = graph.tensor(Tensor::new(&format!("{}", i + 1), 0, &[1]));
            graph.operator(Operator::new(abs, &[first + i], &[y]));
        }
        graph.outputs.push(nodes);
        model.subgraph(graph);
        model.finish()
    }

    fn main_of(model: &[u8]) -> SubGraph<'_> {
        Model::new(model).unwrap().subgraph(0).unwrap()
    }

    fn compared(tensor: usize, differs: bool) -> ComparedTensor {
        ComparedTensor { tensor, differs, ..ComparedTensor::default() }
    }

    /// Searches a chain of eight nodes whose last tensor differs; `differs` says which tensors do if some are kept.
    fn search_chain(differs: impl Fn(usize, &BTreeSet<usize>) -> bool) -> (InsideSearch, usize) {
        let (bytes, mut runs) = (chain(8), 0);
        let main = main_of(&bytes);
        let mut run = |kept: &[usize]| {
            runs += 1;
            let set: BTreeSet<usize> = kept.iter().copied().collect();
            Ok(kept.iter().chain(&[8]).map(|&t| compared(t, differs(t, &set))).collect())
        };
        let inside = search(&main, &[0, 1, 2, 3, 4, 5, 6, 7], 8, &|_| true, &mut run).unwrap();
        (inside, runs)
    }

    #[test]
    fn the_first_tensor_that_differs_is_found_in_one_run() {
        let (inside, runs) = search_chain(|t, _| t >= 5);
        assert_eq!((inside.kept, runs), (vec![1, 2, 3, 4, 5, 6, 7], 1));
        assert_eq!((inside.first.unwrap().tensor, inside.nodes), (5, vec![4]));
        let (inside, _) = search_chain(|t, _| t == 8);
        assert_eq!((inside.first.unwrap().tensor, inside.nodes), (8, vec![7]), "the last node");
    }

    #[test]
    fn a_difference_that_disappears_is_narrowed_to_a_tensor() {
        for hidden in 1..=7 {
            let (inside, runs) = search_chain(|t, kept| t >= hidden && !kept.contains(&hidden));
            let fused = inside.fused.unwrap();
            assert_eq!((fused.tensor, fused.node, fused.readers), (hidden, hidden - 1, vec![hidden]));
            assert!(inside.first.is_none() && runs <= 4, "{runs} runs");
        }
    }

    #[test]
    fn a_run_that_fails_is_reported() {
        let bytes = chain(3);
        let main = main_of(&bytes);
        let mut run = |_: &[usize]| Err(crate::answer::Failure::new("no memory"));
        let inside = search(&main, &[0, 1, 2], 3, &|_| true, &mut run).unwrap();
        assert_eq!((inside.kept, inside.error), (vec![1, 2], Some("no memory".to_owned())));
        assert!(search(&main, &[0, 1, 2], 3, &|_| false, &mut run).is_none(), "nothing can be compared");
    }
}

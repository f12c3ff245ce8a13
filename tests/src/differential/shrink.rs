//! Removes nodes from a graph as long as it still differs.

use super::graph::{Feed, Graph};

/// The smallest graph found for which `differs` still holds.
pub(super) fn shrink(graph: &Graph, differs: impl Fn(&Graph) -> bool) -> Graph {
    let mut best = graph.clone();
    let try_it = |best: &mut Graph, smaller: Graph| {
        let found = !smaller.notes.is_empty() && differs(&smaller);
        if found {
            *best = smaller;
        }
        found
    };
    for i in (0..graph.notes.len()).rev() {
        let smaller = without(&best, i);
        try_it(&mut best, smaller);
    }
    for &output in &graph.model.subgraphs[0].outputs {
        let mut smaller = best.clone();
        smaller.model.subgraphs[0].outputs.retain(|&other| other != output);
        if !smaller.model.subgraphs[0].outputs.is_empty() {
            try_it(&mut best, smaller);
        }
    }
    for variable in 0..graph.model.subgraphs[0].tensors.len() {
        if best.model.subgraphs[0].tensors[variable].is_variable {
            let smaller = without_variable(&best, variable);
            try_it(&mut best, smaller);
        }
    }
    let mut smaller = best.clone();
    smaller.resizes.clear();
    try_it(&mut best, smaller);
    best
}

/// The graph without a node: its results become inputs, and unread tensors are removed.
fn without(graph: &Graph, node: usize) -> Graph {
    let mut smaller = graph.clone();
    let main = &mut smaller.model.subgraphs[0];
    let gone = main.operators.remove(node);
    smaller.notes.remove(node);
    // A variable keeps its last value without the node.
    let fed: Vec<i32> =
        gone.outputs.iter().copied().filter(|&t| !main.tensors[t as usize].is_variable).collect();
    main.inputs.extend(&fed);
    main.outputs.retain(|output| !fed.contains(output));
    smaller.feeds.extend(fed.iter().map(|&output| (output, Feed::Grid)));
    let read: Vec<i32> = main.operators.iter().flat_map(|node| &node.inputs).copied().collect();
    main.inputs.retain(|input| read.contains(input));
    smaller.feeds.retain(|input, _| read.contains(input));
    smaller.resizes.retain(|input, _| read.contains(input));
    smaller.ask_for_all();
    smaller
}

/// The graph in which a variable becomes an ordinary tensor: an input unless a node writes it.
fn without_variable(graph: &Graph, variable: usize) -> Graph {
    let mut smaller = graph.clone();
    let main = &mut smaller.model.subgraphs[0];
    let index = variable as i32;
    main.tensors[variable].is_variable = false;
    if !main.inputs.contains(&index) && !main.operators.iter().any(|node| node.outputs.contains(&index)) {
        main.inputs.push(index);
        smaller.feeds.insert(index, Feed::Grid);
    }
    smaller
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::differential::{draw, run};

    #[test]
    fn the_differing_node_remains() {
        let runs = |graph: &Graph| run::run(graph, None).steps[0].is_ok();
        let graph =
            (0..).map(draw).find(|graph| graph.notes.len() == 8 && graph.spoilt.is_none() && runs(graph));
        let graph = graph.expect("one of them matches");
        let (last, _) = graph.notes[7];
        let small = shrink(&graph, |smaller| {
            let kept = smaller.notes.iter().any(|(kind, _)| *kind == last);
            kept && runs(smaller)
        });
        assert!(small.notes.len() == 1 && small.notes[0].0 == last, "{small}");
        let main = &small.model.subgraphs[0];
        assert!(!main.outputs.is_empty(), "{small}");
        assert!(main.outputs.iter().all(|output| main.operators[0].outputs.contains(output)), "{small}");
    }
}

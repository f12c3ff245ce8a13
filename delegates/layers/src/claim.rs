//! Which nodes an engine takes.

use std::collections::HashSet;

use arenite_abi::prelude::*;

use crate::{Id, Layer, Limits, Node, Own, Reals, Subgraphs, Values, lower};

/// Per node, why it is not taken.
pub fn refusals<'a, X: Own<'a>>(
    graph: GraphView<'a>,
    subgraphs: &'a Subgraphs<'a>,
    reals: Option<&'a Reals>,
    limits: &Limits,
) -> Result<Vec<Option<String>>> {
    let mut values = Values::of(graph, subgraphs, reals);
    let mut refused = vec![None; graph.node_count()];
    let mut taken: Vec<Option<Node<Layer<'a, X>>>> = Vec::with_capacity(graph.node_count());
    for (node, refused) in graph.nodes().zip(&mut refused) {
        let lowered = values.add_node(&node).and_then(|is_weights| match is_weights {
            true => Ok(None),
            false => lower(&node, &values, limits).map(Some),
        });
        *refused = lowered.as_ref().err().map(|error| error.message().to_owned());
        taken.push(lowered.ok().flatten());
    }
    for i in lonely_renamings(&taken) {
        refused[i] = Some("it only renames bytes, and no neighbour is claimed".to_owned());
    }
    Ok(refused)
}

/// Renamings that no other kind of node reads from or gives to, by way of renamings. The host lays their outputs over their
/// inputs, while a partition of its own would have to copy.
fn lonely_renamings<X>(nodes: &[Option<Node<Layer<'_, X>>>]) -> HashSet<usize> {
    let is_renaming = |node: &Node<Layer<'_, X>>| node.layer.is_rename();
    let mut with_company: HashSet<Id> = HashSet::new();
    for node in nodes.iter().flatten().filter(|node| !is_renaming(node)) {
        with_company.extend(node.inputs.iter().chain(&node.outputs));
    }
    let spread = |node: &Node<Layer<'_, X>>, with_company: &mut HashSet<Id>| {
        let ends = [node.inputs[0], node.outputs[0]];
        if is_renaming(node) && ends.iter().any(|id| with_company.contains(id)) {
            with_company.extend(ends);
        }
    };
    nodes.iter().flatten().for_each(|node| spread(node, &mut with_company));
    nodes.iter().rev().flatten().for_each(|node| spread(node, &mut with_company));
    let alone = |node: &Node<Layer<'_, X>>| is_renaming(node) && !with_company.contains(&node.inputs[0]);
    let numbered = nodes.iter().enumerate();
    numbered.filter(|(_, node)| node.as_ref().is_some_and(alone)).map(|(i, _)| i).collect()
}

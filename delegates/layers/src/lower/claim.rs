//! The nodes that an engine claims.

use std::collections::HashSet;

use arenite_abi::prelude::*;

use super::node::{EngineLowering, lower_node, values_of};
use super::values::Subgraphs;
use crate::layer::{Layer, Limits};
use crate::net::{Id, Node, Reals};

/// The reason for refusing each node; `None` if it is claimed.
pub fn refusals<'a, X: EngineLowering<'a>>(
    graph: GraphView<'a>,
    subgraphs: &'a Subgraphs<'a>,
    reals: Option<&'a Reals>,
    limits: &Limits,
) -> Vec<Option<String>> {
    let mut values = values_of(graph, subgraphs, reals);
    let mut refused = vec![None; graph.node_count()];
    let mut taken: Vec<Option<Node<Layer<'a, X>>>> = Vec::with_capacity(graph.node_count());
    for (node, refused) in graph.nodes().zip(&mut refused) {
        let lowered = values.add_node(&node).and_then(|is_weights| match is_weights {
            true => Ok(None),
            false => lower_node(&node, &values, limits).map(Some),
        });
        *refused = lowered.as_ref().err().map(|error| error.message().to_owned());
        taken.push(lowered.ok().flatten());
    }
    for i in lonely_renamings(&taken) {
        refused[i] = Some("it only renames bytes, and no neighbour is claimed".to_owned());
    }
    refused
}

/// Renames that are connected only to other renames. The host runs them in place, while a separate partition would
/// copy.
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

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
    for (i, reason) in lonely_nodes(&taken) {
        refused[i] = Some(format!("it only {reason}, and no neighbour is claimed"));
    }
    refused
}

/// Renames and accesses to variables that are connected only to one another, and what they do. The host runs renames in
/// place, while a separate partition would copy.
fn lonely_nodes<'a, X: EngineLowering<'a>>(
    nodes: &[Option<Node<Layer<'a, X>>>],
) -> Vec<(usize, &'static str)> {
    let does = |node: &Node<Layer<'a, X>>| match &node.layer {
        layer if layer.is_rename() => Some("renames bytes"),
        layer if layer.accesses_variable() => Some("accesses a variable"),
        _ => None,
    };
    let mut with_company: HashSet<Id> = HashSet::new();
    for node in nodes.iter().flatten().filter(|node| does(node).is_none()) {
        with_company.extend(node.inputs.iter().chain(&node.outputs));
    }
    let has_company = |node: &Node<Layer<'a, X>>, with_company: &HashSet<Id>| {
        node.inputs.iter().chain(&node.outputs).any(|id| with_company.contains(id))
    };
    let spread = |node: &Node<Layer<'a, X>>, with_company: &mut HashSet<Id>| {
        if does(node).is_some() && has_company(node, with_company) {
            with_company.extend(node.inputs.iter().chain(&node.outputs));
        }
    };
    nodes.iter().flatten().for_each(|node| spread(node, &mut with_company));
    nodes.iter().rev().flatten().for_each(|node| spread(node, &mut with_company));
    let alone = |(i, node): (usize, &Option<_>)| {
        let node = node.as_ref().filter(|node| !has_company(node, &with_company))?;
        Some((i, does(node)?))
    };
    nodes.iter().enumerate().filter_map(alone).collect()
}

//! Graph → Inferred: infers the shapes and constants that can be known before a run.
//!
//! A reference op prepares each node, so that delegates see shapes and every backend refuses the same nodes. The memory
//! that ops request is released afterwards, because a delegate may run the nodes. If no op prepares a node, its output
//! shapes come from the model file, and only a delegate that vouches for the node gets it.

use std::collections::{BTreeMap, BTreeSet};

use arenite_abi::Status;
use arenite_abi::schema::op::DEQUANTIZE;

use super::pending::PendingNodes;
use super::site::Site;
use super::step::Step;
use crate::error::{Error, Result};
use crate::graph::Graph;

/// Constants up to this size are computed before delegates claim; larger ones later.
const FOLD_LIMIT: u64 = 4096;

/// Nodes whose shapes are known, in execution order.
pub(crate) struct Inferred {
    pub nodes: Vec<InferredNode>,
    /// The outputs of the last node have dynamic shapes.
    pub ends_dynamic: bool,
    /// Variables that have more than one shape; the table has the first one, because the nodes are prepared again.
    pub reshaped: BTreeSet<usize>,
}

/// A node whose input shapes are known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InferredNode {
    pub node: usize,
    /// Its results are constants in the tensor table.
    pub constant: bool,
    /// An op prepared it, so its output shapes follow from its input shapes.
    pub checked: bool,
}

/// Infers the shapes of `pending`, up to the first node of dynamic shape.
pub(crate) fn infer(site: &mut Site<'_>, pending: &PendingNodes) -> Result<Inferred> {
    let (mut nodes, mut ends_dynamic) = (Vec::new(), false);
    let mut reshaped = BTreeMap::new();
    for node in pending.nodes(site.graph) {
        if site.run.is_over() {
            return Err(site.run.stopped());
        }
        let before = relied_on(site, node);
        let (known, dynamic) = look_at(site, node)?;
        for (t, shape) in before {
            if site.memory.table.shape(t) != shape {
                reshaped.entry(t).or_insert(shape);
            }
        }
        nodes.push(known);
        if dynamic {
            ends_dynamic = true;
            break;
        }
    }
    for (&t, shape) in &reshaped {
        site.memory.table.set_shape(t, shape, site.graph.tensors[t].ty);
    }
    Ok(Inferred { nodes, ends_dynamic, reshaped: reshaped.into_keys().collect() })
}

/// The variables that the node writes and that an earlier node or the caller uses, with their shapes.
fn relied_on(site: &Site<'_>, node: usize) -> Vec<(usize, Vec<i32>)> {
    let graph = &site.graph;
    let variables = Graph::present(&graph.nodes[node].outputs).filter(|&t| graph.tensors[t].variable);
    let used = variables.filter(|&t| !graph.shapes_variable(node, t));
    used.map(|t| (t, site.memory.table.shape(t).to_vec())).collect()
}

/// Analyses a node. Also returns whether its output shapes depend on data.
fn look_at(site: &mut Site<'_>, node: usize) -> Result<(InferredNode, bool)> {
    let unchecked = InferredNode { node, constant: false, checked: false };
    if site.graph.nodes[node].candidates.is_empty() {
        return Ok((unchecked, false));
    }
    if site.reuse_constant(node).is_some() {
        return Ok((InferredNode { node, constant: true, checked: true }, false));
    }
    let prepared = site.lend(node, |site, step| {
        site.prepare_node(step, node)?;
        let limit = fold_limit(site, step);
        site.fold(step, limit)?;
        Ok((InferredNode { node, constant: step.is_constant(), checked: true }, step.dynamic))
    });
    match prepared {
        Err(Error::Node { status: Status::Unsupported, .. }) => Ok((unchecked, false)),
        known => known,
    }
}

/// The largest constant that a step may compute before delegates claim. Dequantized vectors, such as biases, have no
/// limit, because delegates need them to be constant.
fn fold_limit(site: &Site<'_>, step: &Step) -> u64 {
    let mut outputs = Graph::present(step.outputs());
    match step.raw.builtin_code {
        DEQUANTIZE if outputs.all(|t| site.memory.table.shape(t).len() <= 1) => u64::MAX,
        _ => FOLD_LIMIT,
    }
}

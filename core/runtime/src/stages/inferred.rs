//! Graph → Inferred: the shapes that the inputs' shapes give, and constants, as far as they are known before a run.
//!
//! Each node is prepared with a reference op, so that delegates see shapes and wrong nodes are refused on every backend
//! alike. What the ops took is given back: a delegate may run the nodes. Of a node that no op prepared, the model's file alone says which
//! shapes come out: it goes to no delegate that does not vouch for it.

use std::collections::BTreeSet;

use arenite_abi::Status;
use arenite_abi::schema::op::DEQUANTIZE;

use super::Site;
use super::pending::Pending;
use super::step::Step;
use crate::error::{Error, Result};
use crate::graph::Graph;

/// Constants up to this size are computed before delegates claim; larger ones later.
const FOLD_LIMIT: u64 = 4096;

/// A stretch of nodes whose shapes are known, in the order in which they stand.
pub(crate) struct Inferred {
    pub nodes: Vec<Known>,
    /// The last one's results have shapes that only its run tells.
    pub ends_dynamic: bool,
    /// Variables that have several shapes: the table shows the last one.
    pub reshaped: BTreeSet<usize>,
}

/// A node whose inputs' shapes are known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    pub node: usize,
    /// Its results are constants, and in the tensor table.
    pub constant: bool,
    /// An op prepared it: the shapes of its results follow from those of its inputs.
    pub checked: bool,
}

/// Finds the shapes of `pending`, up to the first node of dynamic shape.
pub(crate) fn infer(site: &mut Site<'_>, pending: &Pending) -> Result<Inferred> {
    let (mut nodes, mut reshaped) = (Vec::new(), BTreeSet::new());
    for node in pending.nodes(site.graph) {
        if site.run.is_over() {
            return Err(site.run.stopped());
        }
        let before = relied_on(site, node);
        let (known, dynamic) = look_at(site, node)?;
        let is_other = |(t, shape): &(usize, Vec<i32>)| site.memory.table.shape(*t) != shape;
        reshaped.extend(before.into_iter().filter(is_other).map(|(t, _)| t));
        nodes.push(known);
        if dynamic {
            return Ok(Inferred { nodes, ends_dynamic: true, reshaped });
        }
    }
    Ok(Inferred { nodes, ends_dynamic: false, reshaped })
}

/// Variables that the node writes and that another node before it, or the caller, has used, with their shapes.
fn relied_on(site: &Site<'_>, node: usize) -> Vec<(usize, Vec<i32>)> {
    let graph = &site.graph;
    let variables = Graph::present(&graph.nodes[node].outputs).filter(|&t| graph.tensors[t].variable);
    let used = variables.filter(|&t| !graph.shapes_variable(node, t));
    used.map(|t| (t, site.memory.table.shape(t).to_vec())).collect()
}

/// What is known of a node, and whether the shapes of its results depend on data.
fn look_at(site: &mut Site<'_>, node: usize) -> Result<(Known, bool)> {
    let unchecked = Known { node, constant: false, checked: false };
    if site.graph.nodes[node].candidates.is_empty() {
        return Ok((unchecked, false));
    }
    if site.reuse_constant(node).is_some() {
        return Ok((Known { node, constant: true, checked: true }, false));
    }
    let prepared = site.lend(node, |site, step| {
        site.prepare_node(step, node)?;
        let limit = fold_limit(site, step);
        site.fold(step, limit)?;
        Ok((Known { node, constant: step.is_constant(), checked: true }, step.dynamic))
    });
    match prepared {
        Err(Error::Node { status: Status::Unsupported, .. }) => Ok((unchecked, false)),
        known => known,
    }
}

/// Most bytes of a constant that a step is run for before delegates claim. Dequantized vectors, such as biases, have no limit:
/// layers are taken if those are constant.
fn fold_limit(site: &Site<'_>, step: &Step) -> u64 {
    let mut outputs = Graph::present(step.outputs());
    match step.raw.builtin_code {
        DEQUANTIZE if outputs.all(|t| site.memory.table.shape(t).len() <= 1) => u64::MAX,
        _ => FOLD_LIMIT,
    }
}

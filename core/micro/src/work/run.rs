//! Running subgraphs: each node with the op that prepared it.

use core::cell::Cell;

use arenite_abi::host_side::eval_struct;
use arenite_abi::op::Registration as OpRegistration;

use super::host::EvalHost;
use super::message;
use super::room::{ExpandedNode, NodePlace, Room};
use crate::error::{Error, Result};
use crate::model::entry::{Purpose, spell_places};
use crate::model::graph::Graph;
use crate::model::node::{NodeRecord, Numbers, Spec, tensor};
use crate::model::observer::RunningNode;
use crate::model::site::Site;
use arenite_model::detail;

/// Runs every node, in order. Recurses once per nested call; `prepare` bounds the depth.
pub(crate) fn run(site: Site<'_, '_>) -> Result<()> {
    for (node, place) in site.graph.nodes.get().iter().enumerate() {
        let prepared = place.get();
        match prepared.op() {
            Some(op) => observed(site, node, op, &prepared)?,
            None if prepared.persistent_count() == 0 || !cfg!(feature = "subgraphs") => {}
            None => write_values(site.graph, site.spec(node)?.lists[1], &prepared),
        }
    }
    Ok(())
}

/// Runs a node between the calls of the observer, if there is one.
fn observed<'a>(
    site: Site<'_, 'a>,
    node: usize,
    op: &OpRegistration,
    prepared: &NodeRecord<'a>,
) -> Result<()> {
    let Some(observer) = site.machine.observer else { return eval(site, node, op, prepared) };
    let running = RunningNode { subgraph: site.graph.index, node, code: op.builtin_code };
    observer.begin(running);
    let done = eval(site, node, op, prepared);
    observer.end(running);
    done
}

fn eval<'a>(site: Site<'_, 'a>, node: usize, op: &OpRegistration, prepared: &NodeRecord<'a>) -> Result<()> {
    match prepared.is_complete() {
        true => eval_as(site, node, op, prepared, &prepared.recall(site.machine.model, op)),
        false => eval_as(site, node, op, prepared, &site.spec(node)?),
    }
}

/// Small machines have it once; others inline it, so that the description of a node stays in registers.
#[cfg_attr(feature = "std", inline(always))]
#[cfg_attr(not(feature = "std"), inline(never))]
fn eval_as<'a>(
    site: Site<'_, 'a>,
    node: usize,
    op: &OpRegistration,
    prepared: &NodeRecord<'a>,
    spec: &Spec<'a>,
) -> Result<()> {
    let pieces = prepared.pieces();
    let room = Room::new(site, spec, pieces.len());
    let Ok(place) = &room else { return room.map(|_| ()) };
    // SAFETY: `room` was created for this `spec` and these buffers, and nothing else uses it.
    let work = unsafe { ExpandedNode::new(place, site, spec, Purpose::Run, pieces) };
    let raw = work.node(NodePlace { subgraph: site.graph.index, node }, spec);
    let mut host = EvalHost::new(site, node, &work);
    let (persistent, scratch) = work.spans().split_at(prepared.persistent_count());
    let eval = eval_struct(&mut host, 1, persistent, scratch);
    // SAFETY: the structs are valid during the call, `prepare` initialized the state, and the plan gives buffers that
    // are in use at the same time disjoint memory.
    let status = unsafe { (op.eval)(&eval, &raw, prepared.state) };
    let done = message::check(status);
    if done.is_ok() && host.failed.is_none() {
        return Ok(());
    }
    match (host.failed, done) {
        // A called subgraph failed, and its own error says more than the op's.
        (Some(failed), _) => Err(failed),
        (None, done) => done.map_err(|error| {
            let (subgraph, code) = (site.graph.index, op.builtin_code);
            Error::Node {
                subgraph: detail(subgraph),
                node: detail(node),
                code: detail(code),
                error: spell_places(error),
            }
        }),
    }
}

/// Copies the known values of a node without an op to its variables.
fn write_values(graph: &Graph<'_>, outputs: Numbers<'_>, prepared: &NodeRecord<'_>) {
    for (&number, value) in outputs.iter().zip(prepared.pieces().iter().map(Cell::get)) {
        let Some(slot) = tensor(number).map(|t| graph.slot(t)) else { continue };
        if !value.data.is_null() {
            let bytes = value.bytes.min(slot.bytes().unwrap_or(0));
            // SAFETY: `record_values` stored `value.bytes` bytes in the arena's tail; `build` gave the variable
            // `slot.bytes()` bytes of other memory, and no op is running.
            unsafe { slot.data.copy_from_nonoverlapping(value.data, bytes) };
        }
    }
}

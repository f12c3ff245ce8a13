//! The nodes of an [`Embedding`](super::Embedding).

use alloc::vec::Vec;
use core::cell::Cell;

use arenite_abi::op::{EmbeddedState, embed_state};
use arenite_abi::{ElementType, Error as OpError, unsupported};

use super::collector::{Collector, TensorTable, op_name};
use super::ports::ports;
use super::tables::{Buffer, EmbeddableOp, Node, Place};
use crate::arena::ALIGNMENT;
use crate::error::{Error, Result};
use crate::model::node::{NodeRecord, Numbers, Piece, is_stateful, tensor};
use crate::ops::OpRegistration;
use crate::work::message;
use arenite_model::detail;

/// A node, or `None` if it does not run.
pub(super) fn collect(
    to: &mut Collector<'_, '_>,
    tensors: &TensorTable,
    node: usize,
) -> Result<Option<Node>> {
    let graph = to.site.graph;
    let Some(record) = graph.nodes.get().get(node).map(Cell::get) else { return Ok(None) };
    let spec = to.site.spec(node)?;
    let (subgraph, code) = (graph.index, spec.builtin_code);
    let refuse = |error: OpError| refusal([subgraph, node], code, error);
    let Some(op) = record.op() else {
        return match record.persistent_count() {
            0 => Ok(None),
            _ => Err(refuse(unsupported!(
                "it only sets variables to constants, which cannot be embedded; run the model with the interpreter"
            ))),
        };
    };
    let [inputs, outputs, intermediates] = spec.lists.map(|numbers| list(to, tensors, numbers));
    let ports = ports((&to.made.tensors, &to.made.constants), &inputs, &outputs);
    let mut made = Node {
        op: op_name(op),
        code,
        version: spec.version,
        index: node,
        subgraph,
        inputs,
        outputs,
        intermediates,
        ports,
        custom_options: spec.custom_options.to_vec(),
        persistent: persistent(to, op, &record),
        scratch: scratch(to, &record),
        is_stateful: is_stateful(op),
        ..Node::default()
    };
    embed(to, op, &record, &mut made).map_err(refuse)?;
    Ok(Some(made))
}

/// The error of a node of a subgraph.
fn refusal([subgraph, node]: [usize; 2], code: i32, error: OpError) -> Error {
    Error::Node { subgraph: detail(subgraph), node: detail(node), code: detail(code), error }
}

fn list(to: &mut Collector<'_, '_>, tensors: &TensorTable, numbers: Numbers<'_>) -> Vec<i32> {
    let number = |&number| tensor(number).map_or(-1, |t| to.tensor(tensors, t) as i32);
    numbers.iter().map(number).collect()
}

/// The tables and states of a node. A table is constant, and a state is a variable.
fn persistent(to: &mut Collector<'_, '_>, op: &OpRegistration, record: &NodeRecord<'_>) -> Vec<Buffer> {
    let place = |Piece { data, bytes }| {
        let place = match is_stateful(op) {
            true => to.variable(data, bytes),
            false => to.constant(data, bytes, ElementType::U64),
        };
        Buffer { place, bytes }
    };
    record.persistent().iter().map(Cell::get).map(place).collect()
}

fn scratch(to: &Collector<'_, '_>, record: &NodeRecord<'_>) -> Vec<Buffer> {
    let place = |Piece { data, bytes }| Buffer { place: to.in_arena(data), bytes };
    record.scratch().iter().map(Cell::get).map(place).collect()
}

/// Adds the state and the function that runs the node.
fn embed(
    to: &Collector<'_, '_>,
    op: &OpRegistration,
    record: &NodeRecord<'_>,
    made: &mut Node,
) -> Result<(), OpError> {
    let take = &mut |state: EmbeddedState<'_>| {
        made.kernel = state.kernel.into();
        made.state = state.bytes.to_vec();
        made.state_alignment = state.alignment;
        Ok(())
    };
    // SAFETY: `prepare` of this op initialized the state.
    let is_embeddable = unsafe { embed_state(op, record.state, to.made.width, take) };
    let is_embeddable = is_embeddable.map_err(message::complete)?;
    if made.kernel.is_empty() {
        let named = to.ops.iter().find(|named| core::ptr::eq(&raw const named.op, op));
        if let Some(EmbeddableOp { kernel, path, .. }) = named {
            made.kernel.clone_from(kernel);
            made.path.clone_from(path);
        }
    }
    if !is_embeddable || made.kernel.is_empty() {
        return Err(unsupported!(
            "its op gives no state for other machines (`Op::EMBED`, `ArEmbedV1`); run the model with the interpreter"
        ));
    }
    check_alignment(made)
}

/// Refuses a state and scratch memory whose alignment the generated blocks do not have.
fn check_alignment(node: &Node) -> Result<(), OpError> {
    let is_aligned =
        |buffer: &Buffer| !matches!(buffer.place, Place::Arena(at) if !at.is_multiple_of(ALIGNMENT));
    let what = match node.state_alignment {
        alignment if alignment > ALIGNMENT => "state",
        _ if node.scratch.iter().all(is_aligned) => return Ok(()),
        _ => "scratch memory",
    };
    Err(unsupported!("its {what} has an alignment above {ALIGNMENT}; run the model with the interpreter"))
}

//! The nodes of an [`Embedding`](super::Embedding).

use alloc::string::String;
use alloc::vec::Vec;
use core::cell::Cell;

use arenite_abi::op::{EmbeddedState, embed_state};
use arenite_abi::{ElementType, Error as OpError, unsupported};

use super::collector::{Collector, TensorTable, op_name};
use super::ports::ports;
use super::tables::{Buffer, Node, Place};
use crate::arena::ALIGNMENT;
use crate::error::{Error, Result};
use crate::model::node::{NodeRecord, Numbers, Piece, is_stateful, tensor};
use crate::ops::OpRegistration;
use crate::work::message;

/// A node, or `None` if it does not run.
pub(super) fn collect(
    to: &mut Collector<'_, '_>,
    tensors: &TensorTable,
    node: usize,
) -> Result<Option<Node>> {
    let graph = to.site.graph;
    let Some(record) = graph.nodes.get().get(node).map(Cell::get) else { return Ok(None) };
    let spec = to.site.spec(node)?;
    let refuse = |error: OpError| {
        let (subgraph, code) = (graph.index, spec.builtin_code);
        Error::Node { subgraph, node, code, error }
    };
    let Some(op) = record.op() else {
        return match record.persistent_count() {
            0 => Ok(None),
            _ => Err(refuse(unsupported!("a node that only sets variables to constants cannot be embedded"))),
        };
    };
    let [inputs, outputs, intermediates] = spec.lists.map(|numbers| list(to, tensors, numbers));
    let ports = ports((&to.made.tensors, &to.made.constants), &inputs, &outputs);
    let mut made = Node {
        op: op_name(op),
        kernel: String::new(),
        code: spec.builtin_code,
        version: spec.version,
        index: node,
        inputs,
        outputs,
        intermediates,
        ports,
        state: Vec::new(),
        state_alignment: 1,
        custom_options: spec.custom_options.to_vec(),
        persistent: persistent(to, op, &record),
        scratch: scratch(to, &record),
        is_stateful: is_stateful(op),
    };
    embed(to, op, &record, &mut made).map_err(refuse)?;
    Ok(Some(made))
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
        made.kernel = named.map_or_else(String::new, |named| named.kernel.clone());
    }
    if !is_embeddable || made.kernel.is_empty() {
        return Err(unsupported!("this op cannot be embedded yet; use the interpreter"));
    }
    if made.state_alignment > ALIGNMENT {
        let alignment = made.state_alignment;
        return Err(unsupported!(
            "its state is aligned to {alignment} bytes; at most {ALIGNMENT} are supported"
        ));
    }
    let aligned =
        |buffer: &Buffer| !matches!(buffer.place, Place::Arena(at) if !at.is_multiple_of(ALIGNMENT));
    match made.scratch.iter().all(aligned) {
        true => Ok(()),
        false => Err(unsupported!("it requests scratch memory with an alignment above {ALIGNMENT}")),
    }
}

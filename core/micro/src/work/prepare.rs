//! Preparing nodes: the first op that does not refuse a node serves it.

use core::cell::Cell;
use core::ptr::null_mut;

use arenite_abi::host;
use arenite_abi::host_side::{Declaration, declarations, prepare_struct};
use arenite_abi::raw::OP_IN_PLACE;
use arenite_abi::{ElementType, Error as OpError, OutputType, Status, unsupported};

use super::first_values;
use super::host::PrepareHost;
use super::message;
use super::room::{ExpandedNode, NodePlace, Room};
use crate::arena::Category;
use crate::error::{Error, Result};
use crate::model::entry::Purpose;
use crate::model::graph::{Graph, Stage};
use crate::model::node::{MAX_PERSISTENT, NodeRecord, Piece, Spec, destroy, is_stateful, tensor};
use crate::model::site::Site;
use crate::ops::{OpRegistration, Ops, matches, serves};
use arenite_model::detail;

/// Prepares every node, in order.
pub(crate) fn prepare(site: Site<'_, '_>) -> Result<()> {
    // SAFETY: `message::HOST` keeps the contract: `parallel_for` calls its body on this thread, and `query` returns
    // null.
    unsafe { host::offer_host(&message::HOST) };
    site.graph.stage.set(Stage::Busy);
    (0..site.graph.nodes.get().len()).try_for_each(|node| prepare_node(site, node))?;
    site.graph.stage.set(Stage::Ready);
    Ok(())
}

/// Prepares `node` with the first op that serves it.
fn prepare_node(site: Site<'_, '_>, node: usize) -> Result<()> {
    let spec = site.spec(node);
    match &spec {
        Ok(spec) => prepare_spec(site, node, spec),
        Err(_) => spec.map(|_| ()),
    }
}

#[inline(never)]
fn prepare_spec<'a>(site: Site<'_, 'a>, node: usize, spec: &Spec<'a>) -> Result<()> {
    let Site { machine, graph, .. } = site;
    settle_types(machine.ops, graph, spec);
    let mut candidates = machine.ops.iter().filter(|op| serves(op, spec, types(graph, spec)));
    let Some(mut op) = candidates.next() else {
        return Err(Error::MissingOp {
            subgraph: detail(graph.index),
            node: detail(node),
            code: detail(spec.builtin_code),
            version: detail(spec.version),
        });
    };
    // The last op is called from here, so that nothing for another attempt is on the stack.
    for next in candidates {
        if let Some(done) = attempt(site, op, node, spec) {
            return done;
        }
        op = next;
    }
    prepare_with(site, op, node, spec)
}

/// Prepares a node with `op`; `None` if another op may be tried.
#[inline(never)] // so that its values are not on the stack for the last op
fn attempt<'a>(
    site: Site<'_, 'a>,
    op: &'a OpRegistration,
    node: usize,
    spec: &Spec<'a>,
) -> Option<Result<()>> {
    let Site { machine, arena, .. } = site;
    let (mark, asked) = (arena.mark(), machine.asked.get());
    match prepare_with(site, op, node, spec) {
        // An op that changed other parts of the model cannot be undone.
        Err(Error::Node { error, .. })
            if error.status() == Status::Unsupported && machine.asked.get() == asked =>
        {
            // SAFETY: the op failed, so its state is not initialized, and no record refers to memory that it allocated.
            unsafe { arena.release(mark) };
            None
        }
        done => Some(done),
    }
}

/// The error of a node.
fn of_node(site: Site<'_, '_>, node: usize, spec: &Spec<'_>, error: OpError) -> Error {
    let (subgraph, code) = (site.graph.index, spec.builtin_code);
    Error::Node { subgraph: detail(subgraph), node: detail(node), code: detail(code), error }
}

/// Gives the node's outputs the element type that its op determines. Variables keep theirs, because they have values.
#[inline(never)] // so that its values are not on the stack while the op runs
fn settle_types<'a>(ops: Ops<'a>, graph: &Graph<'a>, spec: &Spec<'a>) {
    let Some(op) = ops.iter().find(|op| matches(op, spec)) else { return };
    let [inputs, outputs, _] = spec.lists;
    let input = |i: usize| Some(graph.slot(tensor(*inputs.get(i)?)?).element_type());
    let options = spec.options[0].map(|table| (table.buffer, table.position));
    let Some(ty) = OutputType::from_flags(op.flags).of_node(input, options) else { return };
    for t in outputs.iter().filter_map(|&number| tensor(number)) {
        let mut slot = graph.slot(t);
        if !slot.is_variable() {
            slot.type_code = ty as u8;
            graph.set_slot(t, slot);
        }
    }
}

/// Whether the node writes a variable that it also reads.
fn works_in_place(spec: &Spec<'_>) -> bool {
    let [inputs, outputs, _] = spec.lists;
    outputs.iter().any(|&number| tensor(number).is_some() && inputs.contains(&number))
}

/// Element types of inputs and outputs.
fn types<'a>(graph: &Graph<'a>, spec: &Spec<'a>) -> impl Iterator<Item = ElementType> + use<'a> {
    let slots = graph.slots.get();
    let [inputs, outputs, _] = spec.lists;
    let slot = move |&number: &[u8; 4]| slots.get(tensor(number)?);
    inputs.iter().chain(outputs).filter_map(slot).map(|slot| slot.get().element_type())
}

#[inline(never)] // so that its values are on the stack only while it runs
fn prepare_with<'a>(site: Site<'_, 'a>, op: &'a OpRegistration, node: usize, spec: &Spec<'a>) -> Result<()> {
    let arena = site.arena;
    if works_in_place(spec) && op.flags & OP_IN_PLACE == 0 {
        let error = OpError::invalid(format_args!(
            "it reads and writes the same variable, but its op does not work in place"
        ));
        return Err(of_node(site, node, spec, error));
    }
    let state = arena.state(op)?.as_ptr().cast();
    let room = Room::new(site, spec, 0)?;
    // SAFETY: `room` was created for this `spec` without buffers, and nothing else uses it.
    let work = unsafe { ExpandedNode::new(&room, site, spec, Purpose::Prepare, &[]) };
    let said = arena.temporary(work.outputs().len(), |_| Declaration::Nothing)?;
    let mut host = PrepareHost::new(site, node, work, said);
    call_prepare(&mut host, op, spec, state)?;
    let done = keep(&host, op, (spec, room.counted(&host.work)), state);
    if done.is_err() {
        destroy(op, state);
    }
    done
}

/// Stores the record of a node whose `prepare` succeeded. After an error the state must be dropped.
#[inline(never)] // so that its values are not on the stack while the op runs
fn keep<'a>(
    host: &PrepareHost<'_, 'a>,
    op: &'a OpRegistration,
    counted: (&Spec<'a>, Option<[u8; 2]>),
    state: *mut core::ffi::c_void,
) -> Result<()> {
    let (Site { graph, .. }, node, spec) = (host.site, host.node, counted.0);
    let refused = |error: OpError| Error::Node {
        subgraph: detail(graph.index),
        node: detail(node),
        code: detail(spec.builtin_code),
        error,
    };
    let found = declarations::<OpError>(host.work.outputs(), &host.said).map_err(refused)?;
    let prepared = match count_known_outputs(host).map_err(refused)? {
        None => record(host, op, counted, state, found.constant)?,
        Some(count) => record_values(host, counted, count)?,
    };
    if prepared.op().is_none() {
        destroy(op, state);
    }
    note_outputs(graph, spec, host);
    if let Some(place) = graph.nodes.get().get(node) {
        place.set(prepared);
    }
    Ok(())
}

/// Calls the op. If this fails, the op has no state to drop.
fn call_prepare(
    host: &mut PrepareHost<'_, '_>,
    op: &OpRegistration,
    spec: &Spec<'_>,
    state: *mut core::ffi::c_void,
) -> Result<()> {
    let (subgraph, node, code) = (host.site.graph.index, host.node, spec.builtin_code);
    let raw = host.work.node(NodePlace { subgraph, node }, spec);
    let prepare = prepare_struct(host);
    // SAFETY: both structs are valid during the call, and the state has the size and alignment of the registration.
    let done = message::check(unsafe { (op.prepare)(&prepare, &raw, state) });
    let of_node =
        |error| Error::Node { subgraph: detail(subgraph), node: detail(node), code: detail(code), error };
    match host.failed.take() {
        // The host's limit was exceeded: the node needs more than the whole arena.
        None => done.map_err(|error| match error.status() {
            Status::OutOfMemory => host.site.arena.too_small(host.site.arena.room() + 1),
            _ => of_node(error),
        }),
        // The host failed, and its own error says more than the op's.
        Some(failed) => {
            if done.is_ok() {
                destroy(op, state);
            }
            Err(match failed {
                Error::Plan(error) => of_node(error),
                other => other,
            })
        }
    }
}

/// The record of a node whose `prepare` succeeded.
fn record<'a>(
    host: &PrepareHost<'_, 'a>,
    op: &'a OpRegistration,
    counted: (&Spec<'a>, Option<[u8; 2]>),
    state: *mut core::ffi::c_void,
    is_constant: bool,
) -> Result<NodeRecord<'a>> {
    let arena = host.site.arena;
    if is_constant {
        return Ok(NodeRecord::new(counted, None, state, &[], [0, 0]));
    }
    // SAFETY: a request borrows from `host.said` and `host.described`, which live as long as `host`.
    let (persistent, scratch) = unsafe { (host.persistent.iter(), host.scratch.iter()) };
    let mut pieces = persistent.clone().chain(scratch);
    let counts = [host.persistent.len(), host.scratch.len()];
    let mut total = counts[0] + counts[1];
    let mut first_values = Piece { data: null_mut(), bytes: 0 };
    if is_stateful(op) {
        first_values = first_values::copy(persistent, arena)?;
        total += 1;
    }
    let list = |_| Cell::new(pieces.next().unwrap_or(first_values));
    let pieces = arena.persistent(total, Category::Nodes, list)?;
    Ok(NodeRecord::new(counted, Some(op), state, pieces, counts))
}

/// The number of outputs if `prepare` gave the values of all of them, variables included.
fn count_known_outputs(host: &PrepareHost<'_, '_>) -> core::result::Result<Option<usize>, OpError> {
    let outputs = host.work.outputs();
    // Without the feature, the host refuses such values.
    if !cfg!(feature = "subgraphs") {
        return Ok(None);
    }
    let Some(variable) = host.said.iter().position(|said| *said == Declaration::Value) else {
        return Ok(None);
    };
    let is_given = |(&t, said): (&i32, &Declaration)| {
        t < 0 || matches!(said, Declaration::Value | Declaration::Constant)
    };
    if outputs.len() <= MAX_PERSISTENT && outputs.iter().zip(&*host.said).all(is_given) {
        return Ok(Some(outputs.len()));
    }
    Err(unsupported!(
        "output {variable} is a variable with a value from prepare; then every output needs one, and at most {MAX_PERSISTENT} \
         outputs are supported"
    ))
}

/// The record of a node that only writes known values to variables: no op, and one buffer per output, null if the
/// output is not a variable.
fn record_values<'a>(
    host: &PrepareHost<'_, 'a>,
    counted: (&Spec<'a>, Option<[u8; 2]>),
    count: usize,
) -> Result<NodeRecord<'a>> {
    let mut outputs = host.work.outputs().iter().zip(&*host.said);
    let pieces = host.site.arena.persistent(count, Category::Nodes, |_| {
        let value = outputs.next().filter(|(_, said)| **said == Declaration::Value);
        let entry = value.and_then(|(&t, _)| Some(host.work.get(usize::try_from(t).ok()?)));
        Cell::new(entry.map_or(Piece { data: null_mut(), bytes: 0 }, |entry| Piece {
            data: entry.data.cast(),
            bytes: entry.bytes as usize,
        }))
    })?;
    Ok(NodeRecord::new(counted, None, null_mut(), pieces, [count, 0]))
}

/// Copies shapes and constants that the op gave its outputs to the graph.
fn note_outputs(graph: &Graph<'_>, spec: &Spec<'_>, host: &PrepareHost<'_, '_>) {
    for ((&local, said), &number) in host.work.outputs().iter().zip(&*host.said).zip(spec.lists[1]) {
        let (Ok(local), Some(t)) = (usize::try_from(local), tensor(number)) else { continue };
        let entry = host.work.get(local);
        let mut slot = graph.slot(t);
        (slot.dims, slot.rank) = (entry.dims, entry.rank as u8);
        if *said == Declaration::Constant {
            slot.data = entry.data.cast();
            slot.flags = entry.flags as u8;
        }
        graph.set_slot(t, slot);
    }
}

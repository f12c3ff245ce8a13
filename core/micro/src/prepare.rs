//! Preparing a node: the first op that does not refuse it keeps it.

use core::cell::Cell;
use core::ptr::null_mut;

use arenite_abi::host_side::{Said, found, prepare_struct};
use arenite_abi::raw::{ArNodeV1, OP_IN_PLACE};
use arenite_abi::{ElementType, Error as OpError, Status, unsupported};

use crate::arena::{ALIGNMENT, Arena};
use crate::entry::Purpose;
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::host::{MOST_PERSISTENT, PrepareHost};
use crate::machine::Site;
use crate::message;
use crate::node::{Numbers, Piece, Prepared, Spec, is_stateful, tensor};
use crate::ops::{OpRegistration, serves};
use crate::sizes::Category;
use crate::work::{Room, Work};

/// Prepares node `node` with the first of the ops that serves it.
pub(crate) fn node(site: Site<'_, '_>, node: usize) -> Result<()> {
    let Site { machine, arena, graph, .. } = site;
    let spec = site.spec(node)?;
    let mut refused = None;
    for op in machine.ops.iter() {
        if !serves(op, &spec, types(graph, &spec)) {
            continue;
        }
        if works_in_place(&spec) && op.flags & OP_IN_PLACE == 0 {
            let error = OpError::invalid(format_args!(
                "it reads and writes one variable, but does not work in place"
            ));
            return Err(Error::Node { subgraph: graph.index, node, code: spec.builtin_code, error });
        }
        let (mark, asked) = (arena.mark(), machine.asked.get());
        match with(site, op, node, &spec) {
            // What it prepared of the model around the node stays: then its refusal is the last word.
            Err(Error::Node { error, .. })
                if error.status() == Status::Unsupported && machine.asked.get() == asked =>
            {
                // SAFETY: the state was not initialised, and nothing else of what the op took is noted anywhere.
                unsafe { arena.release(mark) };
                refused = Some(error);
            }
            done => return done,
        }
    }
    let (subgraph, code, version) = (graph.index, spec.builtin_code, spec.version);
    Err(match refused {
        Some(error) => Error::Node { subgraph, node, code, error },
        None => Error::MissingOp { subgraph, node, code, version },
    })
}

/// Whether the node writes a tensor, a variable, that it also reads.
fn works_in_place(spec: &Spec<'_>) -> bool {
    let [inputs, outputs, _] = spec.lists;
    outputs.iter().any(|&number| tensor(number).is_some() && inputs.contains(&number))
}

/// Element types of the node's inputs and outputs.
fn types<'a>(graph: &Graph<'a>, spec: &Spec<'a>) -> impl Iterator<Item = ElementType> + use<'a> {
    let slots = graph.slots.get();
    let [inputs, outputs, _] = spec.lists;
    let slot = move |&number: &[u8; 4]| slots.get(tensor(number)?);
    inputs.iter().chain(outputs).filter_map(slot).map(|slot| slot.get().element_type())
}

fn with<'a>(site: Site<'_, 'a>, op: &'a OpRegistration, node: usize, spec: &Spec<'a>) -> Result<()> {
    let Site { arena, graph, .. } = site;
    let state = arena.state(op)?.as_ptr().cast();
    let room = Room::new(site, spec, 0)?;
    // SAFETY: the room was made for them.
    let work = unsafe { Work::new(&room, site, spec, Purpose::Prepare, &[]) };
    let mut host = PrepareHost::new(site, node, work)?;
    let raw = host.work.node((graph.index, node), spec);
    call(&mut host, op, &raw, state)?;
    let refused =
        |error: OpError| Error::Node { subgraph: graph.index, node, code: spec.builtin_code, error };
    let found = found::<OpError>(host.work.outputs(), &host.said);
    let found = found.and_then(|found| Ok((found.constant, values(&host)?))).map_err(refused);
    let counted = room.counted(&host.work);
    let kept = found.and_then(|(constant, values)| match values {
        None => keep(&host, op, (spec, counted), state, constant),
        Some(count) => keep_values(&host, (spec, counted), count),
    });
    match kept {
        Ok(prepared) => {
            if prepared.op().is_none() {
                destroy(op, state);
            }
            note_outputs(graph, spec, &host);
            if let Some(place) = graph.nodes.get().get(node) {
                place.set(prepared);
            }
            Ok(())
        }
        Err(error) => {
            destroy(op, state);
            Err(error)
        }
    }
}

/// Calls the op. After an error there is no state to be dropped.
fn call(
    host: &mut PrepareHost<'_, '_>,
    op: &OpRegistration,
    raw: &ArNodeV1,
    state: *mut core::ffi::c_void,
) -> Result<()> {
    let prepare = prepare_struct(host);
    // SAFETY: both structs are valid for the call; the state has the size and alignment of the registration.
    let done = message::check(unsafe { (op.prepare)(&prepare, raw, state) });
    let (subgraph, node, code) = (raw.subgraph as usize, raw.index as usize, raw.builtin_code);
    let of_node = |error| Error::Node { subgraph, node, code, error };
    match host.failed.take() {
        // Beyond the host's limit: as large as the arena.
        None => done.map_err(|error| match error.status() {
            Status::OutOfMemory => host.site.arena.too_small(host.site.arena.room() + 1),
            _ => of_node(error),
        }),
        // What the host refused: the op's words for it are of no use.
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

fn destroy(op: &OpRegistration, state: *mut core::ffi::c_void) {
    if let Some(drop) = op.drop {
        // SAFETY: `prepare` initialised the state, and it is not used again.
        unsafe { drop(state) };
    }
}

/// What is kept of a node whose `prepare` succeeded.
fn keep<'a>(
    host: &PrepareHost<'_, 'a>,
    op: &'a OpRegistration,
    counted: (&Spec<'a>, Option<[u8; 2]>),
    state: *mut core::ffi::c_void,
    is_constant: bool,
) -> Result<Prepared<'a>> {
    let arena = host.site.arena;
    if is_constant {
        return Ok(Prepared::new(counted, None, state, &[], [0, 0]));
    }
    let (persistent, scratch) = (host.persistent.list(), host.scratch.list());
    let mut pieces = persistent.iter().chain(scratch).copied();
    let mut total = persistent.len() + scratch.len();
    let mut first_values = Piece { data: null_mut(), bytes: 0 };
    if is_stateful(op) {
        first_values = copied(persistent, arena)?;
        total += 1;
    }
    let list = |_| Cell::new(pieces.next().unwrap_or(first_values));
    let pieces = arena.persistent(total, Category::Nodes, list)?;
    let counts = [persistent.len(), scratch.len()];
    Ok(Prepared::new(counted, Some(op), state, pieces, counts))
}

/// How many outputs the node has if `prepare` gave the values of all of them, variables among them.
fn values(host: &PrepareHost<'_, '_>) -> core::result::Result<Option<usize>, OpError> {
    let outputs = host.work.outputs();
    let Some(variable) = host.said.iter().position(|said| *said == Said::Value) else { return Ok(None) };
    let is_given = |(&t, said): (&i32, &Said)| t < 0 || matches!(said, Said::Value | Said::Constant);
    if outputs.len() <= MOST_PERSISTENT && outputs.iter().zip(&*host.said).all(is_given) {
        return Ok(Some(outputs.len()));
    }
    Err(unsupported!(
        "output {variable} is a variable whose value is known before the node runs; that of every output has to be, and there \
         can be {MOST_PERSISTENT} outputs"
    ))
}

/// What is kept of a node that only writes known values: no op, and a piece per output, without data where there is nothing to write.
fn keep_values<'a>(
    host: &PrepareHost<'_, 'a>,
    counted: (&Spec<'a>, Option<[u8; 2]>),
    count: usize,
) -> Result<Prepared<'a>> {
    let mut outputs = host.work.outputs().iter().zip(&*host.said);
    let pieces = host.site.arena.persistent(count, Category::Nodes, |_| {
        let value = outputs.next().filter(|(_, said)| **said == Said::Value);
        let entry = value.and_then(|(&t, _)| Some(host.work.get(usize::try_from(t).ok()?)));
        Cell::new(entry.map_or(Piece { data: null_mut(), bytes: 0 }, |entry| Piece {
            data: entry.data.cast(),
            bytes: entry.bytes as usize,
        }))
    })?;
    Ok(Prepared::new(counted, None, null_mut(), pieces, [count, 0]))
}

/// Gives the variables that a node without an op writes their values.
pub(crate) fn write_values(graph: &Graph<'_>, outputs: Numbers<'_>, prepared: &Prepared<'_>) {
    for (&number, value) in outputs.iter().zip(prepared.pieces().iter().map(Cell::get)) {
        let Some(slot) = tensor(number).map(|t| graph.slot(t)) else { continue };
        if !value.data.is_null() {
            let bytes = value.bytes.min(slot.bytes().unwrap_or(0));
            // SAFETY: `keep_values` noted as many bytes at the arena's tail, which stay; a variable has memory of its own, as large as its slot
            // says, and no op runs meanwhile.
            unsafe { slot.data.copy_from_nonoverlapping(value.data, bytes) };
        }
    }
}

/// A copy of what a stateful op keeps, one piece after the other.
fn copied(persistent: &[Piece], arena: &Arena<'_>) -> Result<Piece> {
    let bytes = persistent.iter().map(|piece| piece.bytes).sum();
    let data = arena.persistent_bytes(bytes, ALIGNMENT, Category::Initial)?.as_ptr();
    let mut at = data;
    for piece in persistent {
        // SAFETY: two pieces of persistent memory, each of so many bytes.
        unsafe {
            at.copy_from_nonoverlapping(piece.data, piece.bytes);
            at = at.add(piece.bytes);
        }
    }
    Ok(Piece { data, bytes })
}

/// Gives a stateful op what it held at first.
pub(crate) fn reset(prepared: &Prepared<'_>) {
    let Some(mut at) = prepared.first_values() else { return };
    for piece in prepared.persistent().iter().map(Cell::get) {
        // SAFETY: as in `copied`; no op runs meanwhile.
        unsafe {
            piece.data.copy_from_nonoverlapping(at, piece.bytes);
            at = at.add(piece.bytes);
        }
    }
}

/// Shapes and values that the op gave its outputs become the graph's.
fn note_outputs(graph: &Graph<'_>, spec: &Spec<'_>, host: &PrepareHost<'_, '_>) {
    for ((&local, said), &number) in host.work.outputs().iter().zip(&*host.said).zip(spec.lists[1]) {
        let (Ok(local), Some(t)) = (usize::try_from(local), tensor(number)) else { continue };
        let entry = host.work.get(local);
        let mut slot = graph.slot(t);
        (slot.dims, slot.rank) = (entry.dims, entry.rank as u8);
        if *said == Said::Constant {
            slot.data = entry.data.cast();
            slot.flags = entry.flags as u8;
        }
        graph.set_slot(t, slot);
    }
}

/// Drops the states of all nodes.
pub(crate) fn unprepare(graph: &Graph<'_>) {
    for place in graph.nodes.get() {
        let mut prepared = place.get();
        if let Some(op) = prepared.take_op() {
            place.set(prepared);
            destroy(op, prepared.state);
        }
    }
}

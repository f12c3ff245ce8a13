//! Preparing a node: the first op that does not refuse it keeps it.

use arenite_abi::host_side::{Found, Said, found, prepare_struct};
use arenite_abi::raw::{ArNodeV1, ArSpan, OP_STATEFUL};
use arenite_abi::{Error as OpError, Status};
use arenite_model::{Operator, OperatorCode};

use crate::arena::{ALIGNMENT, Arena};
use crate::error::{Error, Result};
use crate::graph::{Graph, Prepared, element_type};
use crate::host::PrepareHost;
use crate::machine::Site;
use crate::message;
use crate::ops::{OpRegistration, serves};
use crate::sizes::Category;
use crate::work::Work;

/// Prepares node `node` with the first of the ops that serves it.
pub(crate) fn node(site: Site<'_, '_>, node: usize) -> Result<()> {
    let Site { machine, arena, graph, .. } = site;
    let operator = graph.operator(node)?;
    let code = machine.model.operator_code(&operator).ok_or(Error::Index { index: node, count: 0 })?;
    let mut refused = None;
    for op in machine.ops.iter() {
        if !serves(op, &code, types(graph, &operator)) {
            continue;
        }
        let (mark, asked) = (arena.mark(), machine.asked.get());
        match with(site, op, node, &operator, &code) {
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
    let (subgraph, code, version) = (graph.index, code.builtin_code(), code.version());
    Err(match refused {
        Some(error) => Error::Node { subgraph, node, code, error },
        None => Error::MissingOp { subgraph, node, code, version },
    })
}

/// Element types of the node's inputs and outputs.
fn types<'a>(
    graph: &Graph<'a>,
    operator: &Operator<'a>,
) -> impl Iterator<Item = arenite_abi::ElementType> + use<'a> {
    let tensors = graph.subgraph.tensors();
    let indices = operator.inputs().iter().chain(operator.outputs().iter());
    let tensor = move |t: i32| usize::try_from(t).ok().and_then(|t| tensors.get(t));
    indices.filter_map(tensor).map(|tensor| element_type(&tensor))
}

fn with<'a>(
    site: Site<'_, 'a>,
    op: &'a OpRegistration,
    node: usize,
    operator: &Operator<'a>,
    code: &OperatorCode<'a>,
) -> Result<()> {
    let Site { arena, graph, .. } = site;
    let state = arena.state(op)?.as_ptr().cast();
    let mut host = PrepareHost::new(site, node, Work::new(site, operator, true)?)?;
    let raw = host.work.node(graph.index, node, code, operator);
    call(&mut host, op, &raw, state)?;
    let refused =
        |error: OpError| Error::Node { subgraph: graph.index, node, code: code.builtin_code(), error };
    let found = found::<OpError>(host.work.outputs(), &host.said).map_err(refused);
    match found.and_then(|found| keep(&host, op, state, arena, found)) {
        Ok(prepared) => {
            if prepared.op.is_none() {
                destroy(op, state);
            }
            note_outputs(graph, &host);
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
    state: *mut core::ffi::c_void,
    arena: &Arena<'a>,
    found: Found,
) -> Result<Prepared<'a>> {
    let persistent: &'a [ArSpan] =
        arena.persistent(host.persistent_count, Category::Nodes, |i| host.persistent[i])?;
    let queue = |i: usize| {
        let request = host.scratch[i];
        // Until it is placed, a buffer's address is its alignment.
        ArSpan { data: core::ptr::without_provenance_mut(request.alignment), bytes: request.bytes as u64 }
    };
    let scratch = arena.persistent(host.scratch_count, Category::Nodes, queue)?;
    let mut prepared = Prepared {
        op: (!found.constant).then_some(op),
        state,
        persistent,
        initial: core::ptr::null(),
        scratch: scratch.as_mut_ptr(),
        scratch_count: if found.constant { 0 } else { scratch.len() },
    };
    if op.flags & OP_STATEFUL != 0 {
        prepared.initial = initial(persistent, arena)?;
    }
    Ok(prepared)
}

/// A copy of what a stateful op keeps, one piece after the other.
fn initial(persistent: &[ArSpan], arena: &Arena<'_>) -> Result<*const u8> {
    let total = persistent.iter().map(|span| span.bytes as usize).sum();
    let copy = arena.persistent_bytes(total, ALIGNMENT, Category::Initial)?.as_ptr();
    copy_spans(persistent, |span, at| {
        // SAFETY: two pieces of persistent memory, each of so many bytes.
        unsafe { copy.add(at).copy_from_nonoverlapping(span.data.cast::<u8>(), span.bytes as usize) };
    });
    Ok(copy)
}

/// Gives a stateful op what it held at first.
pub(crate) fn reset(prepared: &Prepared<'_>) {
    if prepared.initial.is_null() {
        return;
    }
    copy_spans(prepared.persistent, |span, at| {
        // SAFETY: as in `initial`; no op runs meanwhile.
        unsafe {
            span.data.cast::<u8>().copy_from_nonoverlapping(prepared.initial.add(at), span.bytes as usize)
        };
    });
}

fn copy_spans(spans: &[ArSpan], copy: impl Fn(&ArSpan, usize)) {
    let mut at = 0;
    for span in spans {
        copy(span, at);
        at += span.bytes as usize;
    }
}

/// Shapes and values that the op gave its outputs become the graph's.
fn note_outputs(graph: &Graph<'_>, host: &PrepareHost<'_, '_>) {
    for (&local, said) in host.work.outputs().iter().zip(&*host.said) {
        let Ok(local) = usize::try_from(local) else { continue };
        let (entry, t) = (host.work.get(local), host.work.tensor_of(local));
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
        let prepared = place.get();
        if let Some(op) = prepared.op {
            place.set(Prepared { op: None, ..prepared });
            destroy(op, prepared.state);
        }
    }
}

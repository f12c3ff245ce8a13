//! Where tensors and scratch buffers lie in the head.
//!
//! Records come in the order of subgraphs and their tensors, then of scratch buffers, and nothing lies over anything else. Tensors that
//! the model has a place for (`offline`) stay there.

use core::cell::Cell;

use arenite_abi::{ElementType, Result as OpResult, UsageRecord, unsupported};
use arenite_planners::{linear, micro_greedy};

use crate::arena::{ALIGNMENT, Arena, Temp};
use crate::error::{Error, Result};
use crate::graph::{Graph, Slot};
use crate::lives::{Life, Lives};
use crate::machine::Machine;
use crate::node::Piece;
use crate::offline::{self, Offline};

/// How buffers are laid out for which the model has no place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Planner {
    /// The largest first, each in the lowest gap.
    #[default]
    Greedy,
    /// One after the other: after an invocation every tensor can be read.
    Linear,
}

/// Lays out the head, and gives tensors, scratch buffers and resources their addresses. Gives the head's size.
pub(crate) fn place<'a>(machine: &Machine<'a>, arena: &Arena<'a>, planner: Planner) -> Result<u64> {
    machine.resources.place(arena)?;
    let (list, count) = records(machine, arena)?;
    let records = &list[..count];
    let mut offsets = arena.temporary(count, |_| 0u64)?;
    offline::check_apart(records)?;
    let place: fn(&[UsageRecord], &mut [u64]) -> OpResult<()> = match planner {
        Planner::Greedy => micro_greedy::place_few,
        Planner::Linear => linear::place,
    };
    place(records, &mut offsets).map_err(Error::Plan)?;
    hand_out(machine, arena, records, &offsets);
    Ok(records.iter().zip(&*offsets).map(|(record, offset)| offset + record.size).max().unwrap_or(0))
}

/// Whether a tensor's memory is planned: it lives, and has none yet.
fn is_planned(graph: &Graph<'_>, t: usize, life: Life) -> bool {
    life.is_some() && graph.slot(t).data.is_null()
}

/// A list of records, and how many are used of it. Lives are noted behind it, so that their memory is free again.
pub(crate) fn records<'t>(
    machine: &Machine<'_>,
    arena: &'t Arena<'_>,
) -> Result<(Temp<'t, UsageRecord>, usize)> {
    let offline = Offline::read(machine.model)?;
    let most = |graph: &Graph<'_>| {
        let scratch: usize = graph.nodes.get().iter().map(|node| node.get().scratch().len()).sum();
        graph.slots.get().iter().filter(|slot| slot.get().data.is_null()).count() + scratch
    };
    let most = machine.ready().map(most).sum();
    let mut records = arena.temporary(most, |_| UsageRecord::new(0, 0, 0))?;
    let lives = Lives::new(machine, arena)?;
    let mut next = records.iter_mut();
    let mut number = 0;
    for graph in machine.graphs() {
        if graph.is_ready() {
            let life = |t| lives.of_tensor(machine, graph, t);
            let tensors = (0..graph.slots.get().len()).filter(|&t| is_planned(graph, t, life(t)));
            for (t, place) in tensors.zip(&mut next) {
                *place = record(machine, graph, t, life(t), number + t, &offline)?;
            }
        }
        number += graph.subgraph.tensors().len();
    }
    for graph in machine.ready() {
        for (node, prepared) in graph.nodes.get().iter().enumerate() {
            let Life { first, last } = lives.of_node(machine, graph, node);
            for (piece, record) in prepared.get().scratch().iter().map(Cell::get).zip(&mut next) {
                // What is aligned more strictly than the head is moved within its buffer.
                let padding = piece.data.addr().saturating_sub(ALIGNMENT);
                let size = piece.bytes.saturating_add(padding) as u64;
                *record = UsageRecord { alignment: ALIGNMENT as u64, ..UsageRecord::new(size, first, last) };
            }
        }
    }
    let left = next.len();
    Ok((records, most - left))
}

/// The record of tensor `t`, which is `number` among those of all subgraphs.
fn record<'a>(
    machine: &Machine<'a>,
    graph: &Graph<'a>,
    t: usize,
    Life { first, last }: Life,
    number: usize,
    offline: &Offline<'_>,
) -> Result<UsageRecord> {
    if matches!(graph.slot(t).element_type(), ElementType::String | ElementType::Variant) {
        return Err(Error::Plan(unsupported!("tensor {t} holds text or lists, whose size depends on data")));
    }
    Ok(UsageRecord {
        alignment: ALIGNMENT as u64,
        tensor: number as i32,
        fixed_offset: offline.offset(number)?,
        ..UsageRecord::new(graph.bytes(machine.model, t) as u64, first, last)
    })
}

fn hand_out(machine: &Machine<'_>, arena: &Arena<'_>, records: &[UsageRecord], offsets: &[u64]) {
    let tensors = records.iter().take_while(|record| record.tensor >= 0).count();
    let mut places = offsets.iter().map(|&offset| arena.in_head(offset));
    let (mut number, mut planned) = (0, records[..tensors].iter().peekable());
    for graph in machine.graphs() {
        let end = number + graph.subgraph.tensors().len();
        while let Some(record) = planned.next_if(|record| (record.tensor as usize) < end) {
            let t = record.tensor as usize - number;
            let data = places.next().unwrap_or(core::ptr::null_mut());
            graph.set_slot(t, Slot { data, ..graph.slot(t) });
        }
        number = end;
    }
    for prepared in machine.ready().flat_map(|graph| graph.nodes.get()).map(Cell::get) {
        for (piece, place) in prepared.scratch().iter().zip(&mut places) {
            let Piece { data, bytes } = piece.get();
            let data = place.wrapping_add(place.align_offset(data.addr().max(1)));
            piece.set(Piece { data, bytes });
        }
    }
}

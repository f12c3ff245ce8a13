//! Where tensors and scratch buffers lie in the head.
//!
//! Records come in the order of subgraphs and their tensors, then of scratch buffers, and nothing lies over anything else. Tensors that
//! the model has a place for (`offline`) stay there.

use core::cell::Cell;

use arenite_abi::{ElementType, Result as OpResult, unsupported};
use arenite_planners::few::Records;
use arenite_planners::{linear, micro_greedy};
#[cfg(feature = "alloc")]
use {alloc::vec::Vec, arenite_abi::UsageRecord};

use crate::arena::{ALIGNMENT, Arena, Temp};
use crate::error::{Error, Result};
use crate::graph::{Graph, Slot};
use crate::lives::{Life, Lives};
use crate::machine::Machine;
use crate::node::Piece;
use crate::offline::{self, Offline};
use crate::planned::{List, Planned};

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
    let (mut list, count) = planned(machine, arena)?;
    let list = &mut list[..count];
    offline::check_apart(list)?;
    let place: fn(&mut dyn Records) -> OpResult<()> = match planner {
        Planner::Greedy => micro_greedy::place_each,
        Planner::Linear => linear::place_each,
    };
    place(&mut List(list)).map_err(Error::Plan)?;
    hand_out(machine, arena, list);
    let ends = list.iter().map(|planned| planned.offset().saturating_add(planned.record().size));
    Ok(ends.max().unwrap_or(0))
}

/// What is placed, as records.
#[cfg(feature = "alloc")]
pub(crate) fn records(machine: &Machine<'_>, arena: &Arena<'_>) -> Result<Vec<UsageRecord>> {
    let (list, count) = planned(machine, arena)?;
    Ok(list[..count].iter().map(Planned::record).collect())
}

/// Whether a tensor's memory is planned: it lives, and has none yet.
fn is_planned(graph: &Graph<'_>, t: usize, life: Life) -> bool {
    life.is_some() && graph.slot(t).data.is_null()
}

/// A list, and how much of it is used. Lives are noted behind it, so that their memory is free again.
fn planned<'t>(machine: &Machine<'_>, arena: &'t Arena<'_>) -> Result<(Temp<'t, Planned>, usize)> {
    let offline = Offline::read(machine.model)?;
    let most = |graph: &Graph<'_>| {
        let scratch: usize = graph.nodes.get().iter().map(|node| node.get().scratch().len()).sum();
        graph.slots.get().iter().filter(|slot| slot.get().data.is_null()).count() + scratch
    };
    let most = machine.ready().map(most).sum();
    let mut list = arena.temporary(most, |_| Planned::NONE)?;
    let lives = Lives::new(machine, arena)?;
    let mut next = list.iter_mut();
    let mut number = 0;
    for graph in machine.graphs() {
        if graph.is_ready() {
            let life = |t| lives.of_tensor(machine, graph, t);
            let tensors = (0..graph.slots.get().len()).filter(|&t| is_planned(graph, t, life(t)));
            for (t, place) in tensors.zip(&mut next) {
                *place = tensor(machine, graph, t, life(t), number + t, &offline)?;
            }
        }
        number += graph.subgraph.tensors().len();
    }
    for graph in machine.ready() {
        for (node, prepared) in graph.nodes.get().iter().enumerate() {
            let life = lives.of_node(machine, graph, node);
            for (piece, place) in prepared.get().scratch().iter().map(Cell::get).zip(&mut next) {
                // What is aligned more strictly than the head is moved within its buffer.
                let padding = piece.data.addr().saturating_sub(ALIGNMENT);
                *place = Planned::new(piece.bytes.saturating_add(padding), life);
            }
        }
    }
    let left = next.len();
    Ok((list, most - left))
}

/// Tensor `t`, which is `number` among those of all subgraphs.
fn tensor<'a>(
    machine: &Machine<'a>,
    graph: &Graph<'a>,
    t: usize,
    life: Life,
    number: usize,
    offline: &Offline<'_>,
) -> Result<Planned> {
    if matches!(graph.slot(t).element_type(), ElementType::String | ElementType::Variant) {
        return Err(Error::Plan(unsupported!("tensor {t} holds text or lists, whose size depends on data")));
    }
    Ok(Planned::tensor(graph.bytes(machine.model, t), life, number, offline.place(number)?))
}

fn hand_out(machine: &Machine<'_>, arena: &Arena<'_>, list: &[Planned]) {
    let (mut number, mut next) = (0, list.iter().peekable());
    for graph in machine.graphs() {
        let end = number + graph.subgraph.tensors().len();
        let of_graph = |planned: &&Planned| usize::try_from(planned.tensor).is_ok_and(|t| t < end);
        while let Some(planned) = next.next_if(of_graph) {
            let t = planned.tensor as usize - number;
            graph.set_slot(t, Slot { data: arena.in_head(planned.offset()), ..graph.slot(t) });
        }
        number = end;
    }
    for prepared in machine.ready().flat_map(|graph| graph.nodes.get()).map(Cell::get) {
        for (piece, planned) in prepared.scratch().iter().zip(&mut next) {
            let place = arena.in_head(planned.offset());
            let Piece { data, bytes } = piece.get();
            let data = place.wrapping_add(place.align_offset(data.addr().max(1)));
            piece.set(Piece { data, bytes });
        }
    }
}

//! Places tensors and scratch buffers in the head.
//!
//! Records are ordered by subgraph and tensor; scratch buffers follow. Buffers that are in use at the same time never
//! overlap. Tensors with an offset in the model (`offline`) stay there.

use core::cell::Cell;

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use arenite_abi::{ElementType, Result as OpResult, UsageRecord, invalid, unsupported};
use arenite_planners::few::Records;
use arenite_planners::{linear, micro_greedy};

use super::buffer::{BufferList, PlannedBuffer};
use super::offline::{self, OfflineOffsets};
use crate::arena::{ALIGNMENT, Arena, Temp};
use crate::error::{Error, Result};
use crate::model::graph::{Graph, Slot};
use crate::model::life::Life;
use crate::model::lives::Lives;
use crate::model::machine::Machine;
use crate::model::node::Piece;

/// How buffers without an offset in the model are placed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Planner {
    /// Largest first, each in the lowest gap.
    #[default]
    Greedy,
    /// Back to back without sharing, so every tensor can be read after an invocation.
    Linear,
}

impl Planner {
    /// Sets the offset of every record.
    ///
    /// # Errors
    /// There is not enough memory for the planner's own records.
    pub fn place(self, records: &mut dyn Records) -> OpResult<()> {
        match self {
            Planner::Greedy => micro_greedy::place_each(records),
            Planner::Linear => linear::place_each(records),
        }
    }
}

/// Fails unless every record has an offset that is a multiple of 16, and no two records overlap in both time and
/// memory.
pub(crate) fn check_placed(records: &dyn Records) -> OpResult<()> {
    let place = |i: usize| (records.record(i), records.offset(i));
    for i in 0..records.count() {
        let (record, offset) = place(i);
        if offset == UsageRecord::ANYWHERE {
            return Err(invalid!("the planner gave buffer {i} no offset"));
        }
        if !offset.is_multiple_of(ALIGNMENT as u64) {
            return Err(invalid!(
                "the planner gave buffer {i} the offset {offset}; it must be a multiple of 16"
            ));
        }
        for j in 0..i {
            let (other, start) = place(j);
            let is_apart =
                offset.saturating_add(record.size) <= start || start.saturating_add(other.size) <= offset;
            if record.overlaps(&other) && record.size > 0 && other.size > 0 && !is_apart {
                return Err(invalid!(
                    "the planner gave buffer {i} ({} bytes) the offset {offset}, where it overlaps buffer {j} ({} \
                     bytes at {start}), which is in use at the same time",
                    record.size,
                    other.size
                ));
            }
        }
    }
    Ok(())
}

/// Plans the head with a planner, and sets the addresses of tensors, scratch buffers and resources. Returns the size of
/// the head.
pub(crate) fn place<'a>(
    machine: &Machine<'a>,
    arena: &Arena<'a>,
    planner: &mut dyn FnMut(&mut dyn Records) -> OpResult<()>,
) -> Result<u64> {
    machine.resources.place(arena)?;
    let (mut list, count) = collect_buffers(machine, arena)?;
    let list = &mut list[..count];
    offline::check_apart(list)?;
    planner(&mut BufferList(list)).map_err(Error::Plan)?;
    assign_addresses(machine, arena, list);
    Ok(list.iter().map(PlannedBuffer::end).max().unwrap_or(0) as u64)
}

/// The usage records of all buffers.
#[cfg(feature = "alloc")]
pub(crate) fn records(machine: &Machine<'_>, arena: &Arena<'_>) -> Result<Vec<UsageRecord>> {
    let (list, count) = collect_buffers(machine, arena)?;
    Ok(list[..count].iter().map(PlannedBuffer::record).collect())
}

/// Whether a tensor needs a place: it is in use at some time and has no memory yet.
fn is_planned(graph: &Graph<'_>, t: usize, life: Life) -> bool {
    life.is_some() && graph.slot(t).data.is_null()
}

/// A list of buffers, and the number of buffers in it. The lives are allocated after the list, so they can be freed
/// first.
fn collect_buffers<'t>(
    machine: &Machine<'_>,
    arena: &'t Arena<'_>,
) -> Result<(Temp<'t, PlannedBuffer>, usize)> {
    let offline = OfflineOffsets::read(machine.model)?;
    let most = |graph: &Graph<'_>| {
        let scratch: usize = graph.nodes.get().iter().map(|node| node.get().scratch().len()).sum();
        graph.slots.get().iter().filter(|slot| slot.get().data.is_null()).count() + scratch
    };
    let most = machine.ready().map(most).sum();
    let mut list = arena.temporary(most, |_| PlannedBuffer::NONE)?;
    let lives = Lives::new(machine, arena)?;
    let mut next = list.iter_mut();
    let mut number = 0;
    for graph in machine.graphs() {
        if graph.is_ready() {
            let life = |t| lives.of_tensor(machine, graph, t);
            let tensors = (0..graph.slots.get().len()).filter(|&t| is_planned(graph, t, life(t)));
            for (t, place) in tensors.zip(&mut next) {
                *place = plan_tensor(machine, graph, t, life(t), number + t, &offline)?;
            }
        }
        number += graph.subgraph.tensors().len();
    }
    for graph in machine.ready() {
        for (node, prepared) in graph.nodes.get().iter().enumerate() {
            let life = lives.of_node(machine, graph, node);
            for (piece, place) in prepared.get().scratch().iter().map(Cell::get).zip(&mut next) {
                // For an alignment above the head's, the buffer gets padding to move its start.
                let padding = piece.data.addr().saturating_sub(ALIGNMENT);
                *place = PlannedBuffer::new(piece.bytes.saturating_add(padding), life);
            }
        }
    }
    let left = next.len();
    Ok((list, most - left))
}

/// Tensor `t`, which is `number` when all subgraphs are counted.
fn plan_tensor<'a>(
    machine: &Machine<'a>,
    graph: &Graph<'a>,
    t: usize,
    life: Life,
    number: usize,
    offline: &OfflineOffsets<'_>,
) -> Result<PlannedBuffer> {
    if matches!(graph.slot(t).element_type(), ElementType::String | ElementType::Variant) {
        return Err(Error::Plan(unsupported!(
            "tensor {t} holds strings or lists, whose size depends on data"
        )));
    }
    Ok(PlannedBuffer::tensor(graph.bytes(machine.model, t), life, number, offline.place(number)?))
}

fn assign_addresses(machine: &Machine<'_>, arena: &Arena<'_>, list: &[PlannedBuffer]) {
    let (mut number, mut next) = (0, list.iter().peekable());
    for graph in machine.graphs() {
        let end = number + graph.subgraph.tensors().len();
        let of_graph = |planned: &&PlannedBuffer| usize::try_from(planned.tensor).is_ok_and(|t| t < end);
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

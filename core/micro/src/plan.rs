//! Where tensors and scratch buffers lie in the head.
//!
//! Lifetimes are TensorFlow Lite Micro's: a tensor lives from the node that writes it (an input from the first node on) to the last one that
//! reads it, an output of the model until the end. Records come in the order of tensors, then of scratch buffers, and nothing lies over
//! anything else. Tensors that the model has a place for (`offline`) stay there.

use arenite_abi::raw::ArSpan;
use arenite_abi::{Result as OpResult, UsageRecord, unsupported};
use arenite_model::{List, SubGraph};
use arenite_planners::{linear, micro_greedy};

use crate::arena::{ALIGNMENT, Arena, Temp};
use crate::error::{Error, Result};
use crate::graph::Graph;
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

/// First and last node of a tensor's life; `first` above `last` while nothing is known of it.
#[derive(Clone, Copy)]
pub(crate) struct Life {
    pub first: u32,
    pub last: u32,
}

impl Life {
    pub const NONE: Life = Life { first: u32::MAX, last: 0 };

    fn include(&mut self, node: u32) {
        self.first = self.first.min(node);
        self.last = self.last.max(node);
    }
}

/// Lays out the head, and gives tensors and scratch buffers their addresses.
pub(crate) fn place(graph: &mut Graph<'_>, arena: &Arena<'_>, planner: Planner) -> Result<()> {
    let total = {
        let records = records(graph, arena)?;
        let mut offsets = arena.temporary(records.len(), |_| 0u64)?;
        offline::check_apart(&records)?;
        let place: fn(&[UsageRecord], &mut [u64]) -> OpResult<()> = match planner {
            Planner::Greedy => micro_greedy::place_few,
            Planner::Linear => linear::place,
        };
        place(&records, &mut offsets).map_err(Error::Plan)?;
        hand_out(graph, arena, &records, &offsets);
        records.iter().zip(&*offsets).map(|(record, offset)| offset + record.size).max().unwrap_or(0)
    };
    arena.set_head(total)
}

/// Notes the life of each tensor of a subgraph.
pub(crate) fn note_lives(subgraph: &SubGraph<'_>, lives: &mut [Life]) {
    let mut include = |tensors: List<'_, i32>, node| {
        for t in tensors.iter().filter_map(|t| usize::try_from(t).ok()) {
            lives[t].include(node);
        }
    };
    include(subgraph.inputs(), 0);
    let mut end = 0;
    for (node, operator) in (0..).zip(subgraph.operators()) {
        include(operator.inputs(), node);
        include(operator.outputs(), node);
        end = node + 1;
    }
    include(subgraph.outputs(), end);
}

/// Whether a tensor's memory is planned: it lives, and has none yet.
fn is_planned(graph: &Graph<'_>, t: usize, life: &Life) -> bool {
    life.first <= life.last && graph.slots[t].data.is_null()
}

fn records<'t>(graph: &Graph<'_>, arena: &'t Arena<'_>) -> Result<Temp<'t, UsageRecord>> {
    let offline = Offline::read(graph.model)?;
    let mut lives = arena.temporary(graph.slots.len(), |_| Life::NONE)?;
    note_lives(&graph.subgraph, &mut lives);
    let tensors = (0..graph.slots.len()).filter(|&t| is_planned(graph, t, &lives[t]));
    let scratch: usize = graph.nodes.iter().map(|node| node.scratch_count).sum();
    let mut records = arena.temporary(tensors.clone().count() + scratch, |_| UsageRecord::new(0, 0, 0))?;
    let mut next = records.iter_mut();
    for (t, record) in tensors.zip(&mut next) {
        if crate::graph::element_type(&graph.tensor(t)?).bits() == 0 {
            let error = unsupported!("tensor {t} holds text or resources, whose size depends on data");
            return Err(Error::Plan(error));
        }
        let Life { first, last } = lives[t];
        *record = UsageRecord {
            alignment: ALIGNMENT as u64,
            tensor: t as i32,
            fixed_offset: offline.offset(t)?,
            ..UsageRecord::new(graph.bytes(t) as u64, first, last)
        };
    }
    for (node, prepared) in (0..).zip(graph.nodes.iter()) {
        for (span, record) in prepared.scratch().iter().zip(&mut next) {
            // What is aligned more strictly than the head is moved within its buffer.
            let padding = (span.data.addr() as u64).saturating_sub(ALIGNMENT as u64);
            let size = span.bytes.saturating_add(padding);
            *record = UsageRecord { alignment: ALIGNMENT as u64, ..UsageRecord::new(size, node, node) };
        }
    }
    Ok(records)
}

fn hand_out(graph: &mut Graph<'_>, arena: &Arena<'_>, records: &[UsageRecord], offsets: &[u64]) {
    let mut places =
        records.iter().zip(offsets).map(|(record, &offset)| (record.tensor, arena.in_head(offset)));
    let tensors = records.iter().take_while(|record| record.tensor >= 0).count();
    for (t, place) in places.by_ref().take(tensors) {
        graph.slots[t as usize].data = place;
    }
    for prepared in &mut *graph.nodes {
        for (i, (_, place)) in (0..prepared.scratch_count).zip(&mut places) {
            // SAFETY: the list has so many entries, and is this node's alone.
            let span: &mut ArSpan = unsafe { &mut *prepared.scratch.add(i) };
            let alignment = span.data.addr().max(1);
            span.data = place.wrapping_add(place.align_offset(alignment)).cast();
        }
    }
}

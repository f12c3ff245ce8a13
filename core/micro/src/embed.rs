//! `OfflinePlan`: writes the plan that `offline` reads, and TensorFlow Lite Micro.

use alloc::vec;
use alloc::vec::Vec;

use arenite_abi::UsageRecord;
use arenite_model::{Model, writer};

use crate::arena::ALIGNMENT;
use crate::lives::{Life, note_lives};
use crate::offline::NAME;

/// The tensors of a model's main subgraph that can be planned ahead: each with the life and the size that TensorFlow Lite Micro gives it.
pub struct OfflinePlan<'a> {
    model: Model<'a>,
    records: Vec<UsageRecord>,
}

impl<'a> OfflinePlan<'a> {
    /// What is to be planned of a model: a record per tensor, in their order, whose `tensor` says which one it is. What nothing reads or
    /// writes, constants and variables are not in the plan, nor is what has no size.
    pub fn new(model: Model<'a>) -> Self {
        let mut records = Vec::new();
        if let Some(graph) = model.subgraph(0) {
            let mut lives = vec![Life::NONE; graph.tensors().len()];
            let end = graph.operators().len() as u32;
            note_lives(&graph, &mut lives, |node| Life::at(node as u32), [Life::at(0), Life::at(end)]);
            for ((t, tensor), life) in (0..).zip(graph.tensors()).zip(lives) {
                let Life { first, last } = life;
                let planned = life.is_some() && !tensor.is_variable() && model.constant(&tensor).is_none();
                let size = tensor.byte_size().map(|bytes| (bytes as u64).next_multiple_of(ALIGNMENT as u64));
                if let (true, Some(size)) = (planned, size) {
                    let alignment = ALIGNMENT as u64;
                    records.push(UsageRecord { alignment, tensor: t, ..UsageRecord::new(size, first, last) });
                }
            }
        }
        OfflinePlan { model, records }
    }

    /// What a planner is to place.
    pub fn records(&self) -> &[UsageRecord] {
        &self.records
    }

    /// The model with these offsets, one per record, in its metadata; nothing else of it changes. `None` if an offset is too large for
    /// the format, or there are too few.
    pub fn embed(&self, offsets: &[u64]) -> Option<Vec<u8>> {
        let subgraphs = self.model.subgraphs();
        let tensors: usize = subgraphs.iter().map(|graph| graph.tensors().len()).sum();
        let mut numbers = vec![-1i32; 3 + tensors];
        numbers[0] = 0;
        numbers[1] = i32::try_from(subgraphs.len()).ok()?;
        numbers[2] = i32::try_from(tensors).ok()?;
        for (i, record) in self.records.iter().enumerate() {
            let place = numbers.get_mut(3 + usize::try_from(record.tensor).ok()?)?;
            *place = i32::try_from(*offsets.get(i)?).ok()?;
        }
        Some(writer::with_metadata(self.model, NAME, &writer::bytes_of(&numbers)))
    }
}

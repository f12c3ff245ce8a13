//! `OfflinePlan`: stores a plan in a model, for `offline` and for TensorFlow Lite Micro.

use alloc::vec;
use alloc::vec::Vec;

use arenite_abi::UsageRecord;
use arenite_model::{Model, writer};

use super::offline::NAME;
use crate::arena::ALIGNMENT;
use crate::model::life::{Life, note_lives};

/// The tensors of the main subgraph that can be planned ahead, with the lifetimes and sizes that TensorFlow Lite Micro
/// gives them.
pub struct OfflinePlan<'a> {
    model: Model<'a>,
    records: Vec<UsageRecord>,
}

impl<'a> OfflinePlan<'a> {
    /// Collects a record per tensor, in order; `UsageRecord::tensor` is the index of the tensor. Constants, variables,
    /// unused tensors and tensors of unknown size have no record.
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

    /// The records for a planner.
    pub fn records(&self) -> &[UsageRecord] {
        &self.records
    }

    /// A copy of the model with these offsets, one per record, in its metadata. `None` if an offset exceeds `i32` or
    /// `offsets` is too short.
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

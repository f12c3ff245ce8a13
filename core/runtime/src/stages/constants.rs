//! Computed constants: results of nodes that read only constants or only shapes.
//!
//! A constant keeps its address as long as it keeps its value, even when inputs are resized. So a delegate's packed
//! copy stays valid, and a node whose inputs did not change is not run again. *Versions* track this: a value has a
//! larger version than all the values it was computed from, unless these changed since. The model's own constants have
//! version 0.

use std::collections::BTreeMap;
use std::sync::Arc;

use arenite_abi::ElementType;
use arenite_abi::raw::{TENSOR_CONSTANT, TENSOR_DYNAMIC};

use super::table::TensorTable;
use crate::arena::Block;
use crate::error::Result;
use crate::plugins::registration::OpRegistration;
use crate::quota::Budget;

#[derive(Default)]
pub(crate) struct Constants {
    values: BTreeMap<usize, Value>,
    latest: u64,
}

struct Value {
    data: Block,
    bytes: usize,
    shape: Vec<i32>,
    version: u64,
    /// The op that computed it.
    maker: Option<OpRegistration>,
}

impl Value {
    fn as_slice(&self) -> &[u8] {
        // SAFETY: the block has at least `bytes` initialized bytes; they are written only when the value is created.
        unsafe { std::slice::from_raw_parts(self.data.as_ptr(), self.bytes) }
    }
}

impl Constants {
    /// The memory of all computed constants.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.values.values().map(|value| &value.data)
    }

    /// The version of constant `t`.
    pub(crate) fn version(&self, t: usize) -> u64 {
        self.values.get(&t).map_or(0, |value| value.version)
    }

    /// Changes whenever the value of a constant does.
    pub(crate) fn latest(&self) -> u64 {
        self.latest
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> u64 {
        self.values.values().map(|value| value.data.len() as u64).sum()
    }

    /// Makes tensor `t`, whose shape is set, a constant with this value.
    pub(crate) fn set(
        &mut self,
        t: usize,
        table: &mut TensorTable,
        bytes: &[u8],
        budget: &mut Budget,
    ) -> Result<()> {
        let is_same = |value: &Value| value.as_slice() == bytes && value.shape == table.shape(t);
        if !self.values.get(&t).is_some_and(is_same) {
            let mut data = Block::EMPTY;
            data.grow(bytes.len(), budget, "a constant")?;
            // SAFETY: the block has `bytes.len()` bytes and was just allocated, so it does not overlap `bytes`.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), data.as_ptr(), bytes.len()) };
            self.replace(t, table, data, bytes.len(), None, budget);
        }
        self.publish(t, table);
        Ok(())
    }

    /// Makes tensor `t` a constant with the value that `maker` computed into `data`, which has the size in the table.
    pub(crate) fn adopt(
        &mut self,
        t: usize,
        table: &mut TensorTable,
        data: Block,
        maker: &OpRegistration,
        budget: &mut Budget,
    ) {
        let bytes = (table.get(t).bytes as usize).min(data.len());
        let fresh =
            Value { data, bytes, shape: table.shape(t).to_vec(), version: 0, maker: Some(Arc::clone(maker)) };
        match self.values.get_mut(&t) {
            Some(old) if old.as_slice() == fresh.as_slice() && old.shape == fresh.shape => {
                // The inputs changed but the value did not: record the new versions as seen.
                old.maker = fresh.maker;
                budget.give(fresh.data.len() as u64);
            }
            _ => self.replace(t, table, fresh.data, bytes, fresh.maker, budget),
        }
        self.publish(t, table);
    }

    fn replace(
        &mut self,
        t: usize,
        table: &TensorTable,
        data: Block,
        bytes: usize,
        maker: Option<OpRegistration>,
        budget: &mut Budget,
    ) {
        self.latest += 1;
        let value = Value { data, bytes, shape: table.shape(t).to_vec(), version: self.latest, maker };
        if let Some(mut old) = self.values.insert(t, value) {
            old.data.release(budget);
        }
    }

    /// Writes the value of `t` into the table.
    fn publish(&self, t: usize, table: &mut TensorTable) {
        let Some(value) = self.values.get(&t) else { return };
        let ty = ElementType::from_raw(table.get(t).element_type).unwrap_or(ElementType::U8);
        table.set_shape(t, &value.shape, ty);
        table.set_data(t, value.data.as_ptr());
        table.set_bytes(t, value.bytes as u64);
        table.set_flags(t, table.get(t).flags & !TENSOR_DYNAMIC | TENSOR_CONSTANT);
    }

    /// If the node that reads `inputs`, all constants, ran before and none of them changed since, restores its outputs.
    /// Returns the op that computed them.
    pub(crate) fn reuse(
        &self,
        inputs: impl Iterator<Item = usize>,
        outputs: impl Iterator<Item = usize> + Clone,
        table: &mut TensorTable,
    ) -> Option<OpRegistration> {
        let newest = inputs.map(|t| self.version(t)).max()?;
        let kept = |t: usize| self.values.get(&t).filter(|value| value.version > newest)?.maker.as_ref();
        let maker =
            outputs.clone().map(kept).collect::<Option<Vec<_>>>()?.first().copied().map(Arc::clone)?;
        outputs.for_each(|t| self.publish(t, table));
        Some(maker)
    }

    /// Frees the value of tensor `t` unless the table uses it.
    pub(crate) fn prune(&mut self, t: usize, table: &TensorTable, budget: &mut Budget) {
        let shown = |value: &Value| table.is_constant(t) && table.get(t).data.cast() == value.data.as_ptr();
        if self.values.get(&t).is_some_and(|value| !shown(value))
            && let Some(mut value) = self.values.remove(&t)
        {
            value.data.release(budget);
        }
    }
}

//! Constants that were computed: results of nodes that read constants alone, or shapes alone.
//!
//! A constant keeps its address for as long as it keeps its value, over resizes too. So what a delegate packed of it stays
//! right, and a node whose inputs did not change is not run again. *Versions* tell that: a value has a larger one than all that
//! it was made of, unless they changed since. The model's own constants have version 0.

use std::collections::BTreeMap;
use std::sync::Arc;

use arenite_abi::ElementType;
use arenite_abi::raw::{TENSOR_CONSTANT, TENSOR_DYNAMIC};

use super::table::TensorTable;
use crate::arena::Block;
use crate::error::Result;
use crate::plugins::registry::OpRegistration;
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
    /// The op that computed it by running.
    maker: Option<OpRegistration>,
}

impl Value {
    fn as_slice(&self) -> &[u8] {
        // SAFETY: the block has at least `bytes` bytes, zero or written when the value was made, and nobody writes to it now.
        unsafe { std::slice::from_raw_parts(self.data.as_ptr(), self.bytes) }
    }
}

impl Constants {
    /// The memory of all computed constants.
    pub fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.values.values().map(|value| &value.data)
    }

    /// Version of tensor `t`, a constant.
    pub fn version(&self, t: usize) -> u64 {
        self.values.get(&t).map_or(0, |value| value.version)
    }

    /// Changes whenever a value does.
    pub fn latest(&self) -> u64 {
        self.latest
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.values.values().map(|value| value.data.len() as u64).sum()
    }

    /// Makes tensor `t`, whose shape is set, a constant of this value.
    pub fn set(
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
            // SAFETY: the block has that many bytes and is an allocation of its own.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), data.as_ptr(), bytes.len()) };
            self.replace(t, table, data, bytes.len(), None, budget);
        }
        self.publish(t, table);
        Ok(())
    }

    /// Makes tensor `t` a constant of what `maker` computed into `data`: as many bytes as the table says.
    pub fn adopt(
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
                // Made anew of other inputs, it is what it was: those count as seen.
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

    /// Where a node ran that reads `inputs`, all constants, and none of them changed since: its outputs are what they were. Gives
    /// the op that computed them.
    pub fn reuse(
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

    /// Gives back the value of tensor `t` unless the table shows it.
    pub fn prune(&mut self, t: usize, table: &TensorTable, budget: &mut Budget) {
        let shown = |value: &Value| table.is_constant(t) && table.get(t).data.cast() == value.data.as_ptr();
        if self.values.get(&t).is_some_and(|value| !shown(value))
            && let Some(mut value) = self.values.remove(&t)
        {
            value.data.release(budget);
        }
    }
}

//! Computed constants: results of nodes that read only constants or only shapes.
//!
//! A constant keeps its address as long as it keeps its value, even when inputs are resized. So a delegate's packed
//! copy stays valid, and a node whose inputs did not change is not run again. *Versions* track this: a value has a
//! larger version than all the values it was computed from, unless these changed since. The model's own constants have
//! version 0. A value with the bytes of one of them has no memory of its own.

use std::collections::BTreeMap;
use std::sync::Arc;

use arenite_abi::ElementType;
use arenite_abi::raw::{TENSOR_CONSTANT, TENSOR_DYNAMIC, TENSOR_IN_FILE};

use super::table::TensorTable;
use crate::arena::Block;
use crate::error::Result;
use crate::graph::Constant;
use crate::plugins::registration::OpRegistration;
use crate::quota::Budget;

#[derive(Default)]
pub(crate) struct Constants {
    values: BTreeMap<usize, DerivedConstant>,
    latest: u64,
}

struct DerivedConstant {
    /// Its memory; empty if it is a constant of the model.
    own: Block,
    data: *const u8,
    bytes: usize,
    shape: Vec<i32>,
    version: u64,
    /// The op that computed it.
    maker: Option<OpRegistration>,
}

// SAFETY: `data` is in `own`, which moves with the value, or in the model, whose bytes no thread writes.
unsafe impl Send for DerivedConstant {}

impl DerivedConstant {
    /// The first `bytes` bytes of a block. It has no version yet.
    fn owned(own: Block, bytes: usize, shape: &[i32], maker: Option<OpRegistration>) -> DerivedConstant {
        DerivedConstant { data: own.as_ptr(), own, bytes, shape: shape.to_vec(), version: 0, maker }
    }

    fn as_slice(&self) -> &[u8] {
        // SAFETY: `data` is the start of `own` or of a constant of the model, both of which have at least `bytes`
        // initialized bytes, are written only before the value is created, and outlive it.
        unsafe { std::slice::from_raw_parts(self.data, self.bytes) }
    }
}

impl Constants {
    /// The memory of all computed constants.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.values.values().map(|value| &value.own)
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
        self.values.values().map(|value| value.own.len() as u64).sum()
    }

    /// Makes tensor `t`, whose shape is set, a constant with this value.
    pub(crate) fn set(
        &mut self,
        t: usize,
        table: &mut TensorTable,
        bytes: &[u8],
        budget: &mut Budget,
    ) -> Result<()> {
        let is_same = |value: &DerivedConstant| value.as_slice() == bytes && value.shape == table.shape(t);
        if !self.values.get(&t).is_some_and(is_same) {
            let mut data = Block::EMPTY;
            data.grow(bytes.len(), budget, "a constant")?;
            // SAFETY: the block has `bytes.len()` bytes and was just allocated, so it does not overlap `bytes`.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), data.as_ptr(), bytes.len()) };
            let value = DerivedConstant::owned(data, bytes.len(), table.shape(t), None);
            self.replace(t, value, budget);
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
        let fresh = DerivedConstant::owned(data, bytes, table.shape(t), Some(Arc::clone(maker)));
        match self.values.get_mut(&t) {
            Some(old) if old.as_slice() == fresh.as_slice() && old.shape == fresh.shape => {
                // The inputs changed but the value did not: record the new versions as seen.
                old.maker = fresh.maker;
                budget.give(fresh.own.len() as u64);
            }
            _ => self.replace(t, fresh, budget),
        }
        self.publish(t, table);
    }

    /// Makes tensor `t`, whose shape is set, a constant with the bytes of `constant`, which is one of the model's. The
    /// op `maker` declared its output a view.
    pub(crate) fn view(
        &mut self,
        t: usize,
        table: &mut TensorTable,
        constant: &Constant,
        maker: &OpRegistration,
        budget: &mut Budget,
    ) {
        let (data, bytes) = (constant.as_ptr(), constant.len());
        let is_same = |value: &DerivedConstant| value.data == data && value.shape == table.shape(t);
        if !self.values.get(&t).is_some_and(is_same) {
            let (shape, maker) = (table.shape(t).to_vec(), Some(Arc::clone(maker)));
            self.replace(
                t,
                DerivedConstant { own: Block::EMPTY, data, bytes, shape, version: 0, maker },
                budget,
            );
        }
        self.publish(t, table);
    }

    fn replace(&mut self, t: usize, value: DerivedConstant, budget: &mut Budget) {
        self.latest += 1;
        if let Some(mut old) = self.values.insert(t, DerivedConstant { version: self.latest, ..value }) {
            old.own.release(budget);
        }
    }

    /// Writes the value of `t` into the table.
    fn publish(&self, t: usize, table: &mut TensorTable) {
        let Some(value) = self.values.get(&t) else { return };
        let ty = ElementType::from_raw(table.get(t).element_type).unwrap_or(ElementType::U8);
        table.set_shape(t, &value.shape, ty);
        table.set_data(t, value.data.cast_mut());
        table.set_bytes(t, value.bytes as u64);
        table.set_flags(t, table.get(t).flags & !(TENSOR_DYNAMIC | TENSOR_IN_FILE) | TENSOR_CONSTANT);
    }

    /// Restores the outputs of the node that reads `inputs`, all constants, if it ran before and no input has changed
    /// since. Returns the op that computed them.
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
        let shown = |value: &DerivedConstant| {
            table.is_constant(t) && table.get(t).data.cast_const().cast() == value.data
        };
        if self.values.get(&t).is_some_and(|value| !shown(value))
            && let Some(mut value) = self.values.remove(&t)
        {
            value.own.release(budget);
        }
    }
}

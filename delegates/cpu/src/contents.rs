//! Names of constants. The cache finds packed weights by hashes of 128 bits, so a model never gets another model's
//! weights; partitions find each other's by addresses in the model file.

use std::cell::RefCell;
use std::collections::HashMap;

use arenite_abi::prelude::*;
use arenite_layers::{Id, Value};
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use crate::ops::values::NetValues;

/// Hashes of the constants that steps pack: of type, shape, quantization and every byte.
#[derive(Default)]
pub(crate) struct Contents(RefCell<HashMap<Id, u128>>);

impl Contents {
    /// The hash of the constants `packed`, in this order. Calls `done` for each tensor whose bytes were read.
    ///
    /// The net must not be rewritten yet: rewriting may replace a constant by other bytes than its layer packs.
    pub(crate) fn of_all(
        &self,
        net: &NetValues<'_, '_>,
        packed: Vec<Id>,
        mut done: impl FnMut(usize) -> Result<()>,
    ) -> Result<u128> {
        let mut all = Vec::with_capacity(packed.len());
        for id in packed {
            let is_new = !self.0.borrow().contains_key(&id);
            all.push(self.of(net, id)?);
            net.values[id].tensor.filter(|_| is_new).map_or(Ok(()), &mut done)?;
        }
        Ok(xxh3_128(bytemuck::cast_slice(&all)))
    }

    /// The name of the constants `packed` in a cache.
    pub(crate) fn name(&self, net: &NetValues<'_, '_>, packed: &[Id]) -> Result<String> {
        let hashes = packed.iter().map(|&id| Ok(format!("{:032x}", self.of(net, id)?)));
        Ok(hashes.collect::<Result<Vec<_>>>()?.join(" "))
    }

    fn of(&self, net: &NetValues<'_, '_>, id: Id) -> Result<u128> {
        if let Some(&known) = self.0.borrow().get(&id) {
            return Ok(known);
        }
        let hash = hash(net, id)?;
        self.0.borrow_mut().insert(id, hash);
        Ok(hash)
    }
}

fn hash(net: &NetValues<'_, '_>, id: Id) -> Result<u128> {
    let value = &net.values[id];
    let bytes = net.bytes_of(id).ok_or_else(|| invalid!("{value} is packed and has no data"))?;
    let mut hash = meaning(value);
    hash.update(bytes);
    Ok(hash.digest128())
}

/// A hash of everything but the bytes: type, shape and quantization.
fn meaning(value: &Value<'_>) -> Xxh3 {
    let mut hash = Xxh3::new();
    let about = format!("{} {:?}", value.ty, value.shape);
    let quantization = value.constant.as_ref().and_then(|constant| constant.quantization());
    let (scales, zeros, about) = match &quantization {
        Some(q) => (q.scales, q.zero_points, format!("{about} {} {}", q.dimension, q.block_size)),
        None => (&[][..], &[][..], about),
    };
    for part in [about.as_bytes(), bytemuck::cast_slice(scales), bytemuck::cast_slice(zeros)] {
        hash.update(&(part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash
}

/// The name of constants in the model file, for everything compiled from the model: their addresses. `None` if one is
/// elsewhere, or if there are none.
pub(crate) fn place(net: &NetValues<'_, '_>, packed: &[Id]) -> Option<String> {
    if packed.is_empty() {
        return None;
    }
    let places = packed.iter().map(|&id| {
        let value = &net.values[id];
        let constant = value.constant.filter(TensorView::is_in_file)?;
        let bytes = constant.bytes();
        Some(format!("{:p}+{} {:032x}", bytes.as_ptr(), bytes.len(), meaning(value).digest128()))
    });
    Some(places.collect::<Option<Vec<_>>>()?.join(" "))
}

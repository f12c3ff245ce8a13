//! Hashes of constants, 128 bits each. The cache finds packed weights by these hashes, so a model never gets another
//! model's weights.

use std::cell::RefCell;
use std::collections::HashMap;

use arenite_abi::prelude::*;
use arenite_layers::Id;
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
    let quantization = value.constant.as_ref().and_then(|constant| constant.quantization());
    let quantization = quantization
        .map(|q| (q.scales.iter().map(|scale| scale.to_bits()), q.zero_points, q.dimension, q.block_size))
        .map(|(scales, zeros, dimension, block)| (scales.collect::<Vec<u32>>(), zeros, dimension, block));
    let about = format!("{} {:?} {quantization:?}", value.ty, value.shape);
    let mut hash = Xxh3::new();
    hash.update(&(about.len() as u64).to_le_bytes());
    hash.update(about.as_bytes());
    hash.update(bytes);
    Ok(hash.digest128())
}

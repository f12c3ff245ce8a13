//! Constants on the device.

use std::collections::HashMap;
use std::sync::Arc;

use arenite_abi::prelude::*;

use crate::device::{Memory, Queue};

/// A tensor and the form in which it is packed.
pub(crate) type Key = (usize, String);

/// Constants by tensor and form. They are copied once, whatever shapes follow.
pub(crate) type Store<M> = HashMap<Key, Arc<M>>;

/// The constants of a program.
pub(crate) struct ProgramConstants<M> {
    /// Memory by constant number.
    pub used: Vec<Arc<M>>,
    /// Bytes of all constants on the device.
    pub bytes: u64,
}

/// Receives the constants of a builder.
pub(crate) trait Constants {
    /// The number of a constant. Its floats are copied unless its key is known.
    fn constant(&mut self, key: Option<Key>, floats: Box<dyn FnOnce() -> Vec<f32> + '_>) -> Result<usize>;
}

/// Copies the constants of a program to the device.
pub(crate) struct Uploads<'s, Q: Queue> {
    queue: &'s Q,
    store: &'s mut Store<Q::Memory>,
    used: Vec<Arc<Q::Memory>>,
    /// Bytes of constants without a key.
    keyless: u64,
    /// Counts device memory against the quota.
    held: Option<Held<'s>>,
}

/// Bytes of all memory in the list.
pub(crate) fn bytes<'m, M: Memory + 'm>(list: impl IntoIterator<Item = &'m Arc<M>>) -> u64 {
    list.into_iter().map(|memory| memory.len() as u64 * 4).sum()
}

impl<'s, Q: Queue> Uploads<'s, Q> {
    /// Starts without constants.
    pub(crate) fn new(queue: &'s Q, store: &'s mut Store<Q::Memory>, held: Option<Held<'s>>) -> Self {
        Uploads { queue, store, used: Vec::new(), keyless: 0, held }
    }

    /// Bytes of all constants on the device, used or not.
    pub(crate) fn bytes(&self) -> u64 {
        bytes(self.store.values()) + self.keyless
    }

    /// Copies floats to the device if the quota permits.
    fn upload(&self, floats: &[f32]) -> Result<Q::Memory> {
        if let Some(held) = &self.held {
            held.hold(self.bytes() + floats.len() as u64 * 4)?;
        }
        self.queue.upload(floats)
    }

    /// The constants of the program, by number.
    pub(crate) fn into_used(self) -> Vec<Arc<Q::Memory>> {
        self.used
    }
}

impl<Q: Queue> Constants for Uploads<'_, Q> {
    fn constant(&mut self, key: Option<Key>, floats: Box<dyn FnOnce() -> Vec<f32> + '_>) -> Result<usize> {
        let known = key.as_ref().and_then(|key| self.store.get(key).cloned());
        let memory = match known {
            Some(memory) => memory,
            None => Arc::new(self.upload(&floats())?),
        };
        match key {
            Some(key) => _ = self.store.insert(key, Arc::clone(&memory)),
            None => self.keyless += bytes([&memory]),
        }
        self.used.push(memory);
        Ok(self.used.len() - 1)
    }
}

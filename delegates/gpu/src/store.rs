//! Constants on the device.

use std::collections::HashMap;
use std::sync::Arc;

use arenite_abi::prelude::*;

use crate::device::{Memory, Queue};

/// A tensor, and the form that it is packed in.
pub type Key = (usize, String);

/// By tensor and form. What is there once is not copied again for other shapes.
pub type Store<M> = HashMap<Key, Arc<M>>;

/// Constants of a program.
pub struct Loaded<M> {
    /// By their numbers.
    pub used: Vec<Arc<M>>,
    /// Bytes of these and of what else is kept on the device.
    pub bytes: u64,
}

/// Where a builder leaves constants.
pub trait Constants {
    /// The number of a constant; its floats are copied unless it has a key that is known.
    fn constant(&mut self, key: Option<Key>, floats: Box<dyn FnOnce() -> Vec<f32> + '_>) -> Result<usize>;
}

/// Constants that a program uses, by their numbers.
pub struct Uploads<'s, Q: Queue> {
    queue: &'s Q,
    store: &'s mut Store<Q::Memory>,
    used: Vec<Arc<Q::Memory>>,
    /// Bytes of those without a key.
    keyless: u64,
    /// Counts bytes of the device against a quota.
    held: Option<Held<'s>>,
}

/// Bytes of memory that is in use.
pub fn bytes<'m, M: Memory + 'm>(list: impl IntoIterator<Item = &'m Arc<M>>) -> u64 {
    list.into_iter().map(|memory| memory.len() as u64 * 4).sum()
}

impl<'s, Q: Queue> Uploads<'s, Q> {
    /// None yet.
    pub fn new(queue: &'s Q, store: &'s mut Store<Q::Memory>, held: Option<Held<'s>>) -> Self {
        Uploads { queue, store, used: Vec::new(), keyless: 0, held }
    }

    /// Of all that is on the device, used or not.
    pub fn bytes(&self) -> u64 {
        bytes(self.store.values()) + self.keyless
    }

    /// Copies floats to the device, if the quota has room for them besides what is there.
    fn upload(&self, floats: &[f32]) -> Result<Q::Memory> {
        if let Some(held) = &self.held {
            held.hold(self.bytes() + floats.len() as u64 * 4)?;
        }
        self.queue.upload(floats)
    }

    /// All of them.
    pub fn into_used(self) -> Vec<Arc<Q::Memory>> {
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

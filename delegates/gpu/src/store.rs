//! Constants on the device.

use std::collections::HashMap;
use std::sync::Arc;

use arenite_abi::prelude::*;

use crate::device::Queue;

/// A tensor, and the form that it is packed in.
pub type Key = (usize, String);

/// By tensor and form. What is there once is not copied again for other shapes.
pub type Store<M> = HashMap<Key, Arc<M>>;

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
}

impl<'s, Q: Queue> Uploads<'s, Q> {
    /// None yet.
    pub fn new(queue: &'s Q, store: &'s mut Store<Q::Memory>) -> Self {
        Uploads { queue, store, used: Vec::new() }
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
            None => Arc::new(self.queue.upload(&floats())?),
        };
        if let Some(key) = key {
            self.store.insert(key, Arc::clone(&memory));
        }
        self.used.push(memory);
        Ok(self.used.len() - 1)
    }
}

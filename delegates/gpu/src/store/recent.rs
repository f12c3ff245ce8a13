//! A cache of recently used values.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

/// The number of unused values that are kept: the most recently requested ones.
pub(crate) struct RecentCache<K, V> {
    most: usize,
    known: HashMap<K, (Arc<V>, u64)>,
    /// Increases with each request.
    clock: u64,
}

impl<K: Clone + Eq + Hash, V> RecentCache<K, V> {
    /// An empty cache.
    pub(crate) fn new(most: usize) -> Self {
        RecentCache { most, known: HashMap::new(), clock: 0 }
    }

    /// The value with this key.
    pub(crate) fn get<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<Arc<V>>
    where
        K: Borrow<Q>,
    {
        self.clock += 1;
        let (value, asked) = self.known.get_mut(key)?;
        *asked = self.clock;
        Some(Arc::clone(value))
    }

    /// Adds a value. The oldest unused value is dropped if there are too many.
    pub(crate) fn insert(&mut self, key: K, value: Arc<V>) {
        self.clock += 1;
        self.known.insert(key, (value, self.clock));
        if self.known.len() > self.most {
            let unused = self.known.iter().filter(|(_, (value, _))| Arc::strong_count(value) == 1);
            let oldest = unused.min_by_key(|(_, (_, asked))| *asked).map(|(key, _)| key.clone());
            oldest.and_then(|key| self.known.remove(&key));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_unused_value_is_dropped() {
        let mut recent = RecentCache::new(2);
        let used = Arc::new("used");
        recent.insert(0, Arc::clone(&used));
        recent.insert(1, Arc::new("old"));
        recent.insert(2, Arc::new("asked for"));
        assert!(recent.get(&1).is_none(), "the oldest is in use, so the next one went");
        assert!(recent.get(&2).is_some());
        recent.insert(3, Arc::new("new"));
        assert!(recent.get(&2).is_none() && recent.get(&3).is_some());
        drop(used);
        recent.insert(4, Arc::new("newer"));
        assert!(recent.get(&0).is_none() && recent.get(&3).is_some() && recent.get(&4).is_some());
    }
}

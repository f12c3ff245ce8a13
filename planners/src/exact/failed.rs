//! States that are known to fail, so that different orders of the same placements are searched only once.
//!
//! The rest of the search depends only on the remaining items and their lowest positions, and different orders of
//! placement lead to the same state. A state is identified by a 64-bit hash: with 10⁹ look-ups, the probability of a
//! collision is below 10⁻⁹. A state that fails at some height also fails at every smaller one.

use alloc::vec;
use alloc::vec::Vec;

/// An order-independent hash of a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Key(u64);

impl Key {
    /// The state with item `k` remaining as well, at `lowest` or above.
    pub(super) fn with(self, k: u32, lowest: u64) -> Self {
        Key(self.0.wrapping_add(mix(mix(k.into()) ^ lowest)))
    }
}

/// Mixes the bits: the finalizer of SplitMix64.
pub(super) fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A table that overwrites its oldest entries once it is full.
pub(super) struct FailedStates {
    /// The hash, and one more than the greatest height at which the state failed; 0 in empty entries.
    entries: Vec<(u64, u64)>,
    count: usize,
}

const FIRST_ENTRIES: usize = 1 << 8;
/// 16 MiB.
const MOST_ENTRIES: usize = 1 << 20;
/// The number of adjacent entries in which a state may be stored.
const WAYS: usize = 4;

impl FailedStates {
    /// An empty table.
    pub(super) fn new() -> Self {
        FailedStates { entries: vec![(0, 0); FIRST_ENTRIES], count: 0 }
    }

    /// Whether the state is known to fail at `height`.
    pub(super) fn contains(&self, Key(key): Key, height: u64) -> bool {
        self.places(key).any(|place| self.entries[place].0 == key && height < self.entries[place].1)
    }

    /// Records that the state fails at `height`, which must be less than 2⁶⁴ - 1.
    pub(super) fn insert(&mut self, Key(key): Key, height: u64) {
        if self.count * 4 > self.entries.len() && self.entries.len() < MOST_ENTRIES {
            self.grow();
        }
        let at = self.places(key).find(|&place| self.entries[place].1 == 0 || self.entries[place].0 == key);
        let at = at.unwrap_or(key as usize & (self.entries.len() - 1));
        let entry = &mut self.entries[at];
        self.count += usize::from(entry.1 == 0);
        *entry = (key, height + 1);
    }

    fn places(&self, key: u64) -> impl Iterator<Item = usize> + use<> {
        let mask = self.entries.len() - 1;
        (0..WAYS).map(move |way| (key as usize ^ way) & mask)
    }

    fn grow(&mut self) {
        let larger = vec![(0, 0); self.entries.len() * 2];
        let entries = core::mem::replace(&mut self.entries, larger);
        self.count = 0;
        for (key, end) in entries.into_iter().filter(|entry| entry.1 > 0) {
            self.insert(Key(key), end - 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_includes_all_smaller_heights() {
        let mut failed = FailedStates::new();
        let key = Key::default().with(3, 9);
        failed.insert(key, 100);
        assert!(failed.contains(key, 100) && failed.contains(key, 0) && !failed.contains(key, 101));
        failed.insert(key, 200);
        assert!(failed.contains(key, 150));
        assert!(!failed.contains(Key::default().with(3, 8), 0));
        assert_eq!(Key::default().with(1, 2).with(3, 4), Key::default().with(3, 4).with(1, 2));
    }

    #[test]
    fn thousands_of_states_are_kept() {
        let mut failed = FailedStates::new();
        let keys: Vec<Key> = (0..10_000).map(|k| Key::default().with(k, 5)).collect();
        keys.iter().for_each(|&key| failed.insert(key, 7));
        let kept = keys.iter().filter(|&&key| failed.contains(key, 7)).count();
        assert!(kept > 9_900, "{kept}");
        assert_eq!(failed.entries.len(), 1 << 16);
    }
}

//! States that are known to lead nowhere, so that no order of the same placements is searched twice.
//!
//! What is left to search depends on the items that are left and on their lowest places, and on nothing else: many ways
//! lead to one state. It is known by a hash of 64 bits, with which 10⁹ look-ups mistake a state with a probability of less than
//! 10⁻⁹. What fails below some height fails below every lesser one.

use alloc::vec;
use alloc::vec::Vec;

/// The hash of a state, without order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Key(u64);

impl Key {
    /// The state in which item `k` is left as well, at `lowest` or above.
    pub fn with(self, k: u32, lowest: u64) -> Self {
        Key(self.0.wrapping_add(mix(mix(k.into()) ^ lowest)))
    }
}

/// Spreads the bits: the end of SplitMix64.
pub fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A table that forgets the oldest once it is full.
pub struct Failed {
    /// Hash, and the height below which it fails, one more than the one that it failed at; 0 where there is nothing.
    entries: Vec<(u64, u64)>,
    count: usize,
}

const FIRST_ENTRIES: usize = 1 << 8;
/// 16 MiB.
const MOST_ENTRIES: usize = 1 << 20;
/// Neighbouring entries that a state may be at.
const WAYS: usize = 4;

impl Failed {
    /// Nothing has failed.
    pub fn new() -> Self {
        Failed { entries: vec![(0, 0); FIRST_ENTRIES], count: 0 }
    }

    /// Whether the state is known to fail at `height`.
    pub fn contains(&self, Key(key): Key, height: u64) -> bool {
        self.places(key).any(|place| self.entries[place].0 == key && height < self.entries[place].1)
    }

    /// The state fails at `height`, which is less than 2⁶⁴ - 1.
    pub fn insert(&mut self, Key(key): Key, height: u64) {
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
    fn what_fails_fails_below() {
        let mut failed = Failed::new();
        let key = Key::default().with(3, 9);
        failed.insert(key, 100);
        assert!(failed.contains(key, 100) && failed.contains(key, 0) && !failed.contains(key, 101));
        failed.insert(key, 200);
        assert!(failed.contains(key, 150));
        assert!(!failed.contains(Key::default().with(3, 8), 0));
        assert_eq!(Key::default().with(1, 2).with(3, 4), Key::default().with(3, 4).with(1, 2));
    }

    #[test]
    fn thousands_are_kept() {
        let mut failed = Failed::new();
        let keys: Vec<Key> = (0..10_000).map(|k| Key::default().with(k, 5)).collect();
        keys.iter().for_each(|&key| failed.insert(key, 7));
        let kept = keys.iter().filter(|&&key| failed.contains(key, 7)).count();
        assert!(kept > 9_900, "{kept}");
        assert_eq!(failed.entries.len(), 1 << 16);
    }
}

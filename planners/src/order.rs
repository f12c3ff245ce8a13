//! Sorting by a key. The standard library's sort is instantiated for each type and key, 5 to 20 kB of code each time;
//! this one is instantiated once.

use alloc::vec::Vec;
use core::cmp::Ordering;

/// The numbers below `count`, sorted by key; equal keys stay in order of their numbers.
pub(crate) fn by_key<K: Ord>(count: usize, key: impl Fn(u32) -> K) -> Vec<u32> {
    let mut numbers: Vec<u32> = (0..).take(count).collect();
    sort_by_key(&mut numbers, key);
    numbers
}

/// Sorts numbers by key; equal keys stay in order of their numbers.
pub(crate) fn sort_by_key<K: Ord>(numbers: &mut [u32], key: impl Fn(u32) -> K) {
    sort(numbers, &|a, b| key(a).cmp(&key(b)));
}

/// Sorts numbers with `compare`; equal ones stay in order of their numbers.
#[inline(never)]
pub(crate) fn sort(numbers: &mut [u32], compare: &dyn Fn(u32, u32) -> Ordering) {
    numbers.sort_unstable_by(|&a, &b| compare(a, b).then(a.cmp(&b)));
}

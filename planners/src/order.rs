//! Sorting by a key. The standard library's sort is compiled anew for each type and key, 5 to 20 kB each time; this one is once.

use alloc::vec::Vec;
use core::cmp::Ordering;

/// The numbers below `count` by key; of equal keys the lower number comes first.
pub fn by_key<K: Ord>(count: usize, key: impl Fn(u32) -> K) -> Vec<u32> {
    let mut numbers: Vec<u32> = (0..).take(count).collect();
    sort_by_key(&mut numbers, key);
    numbers
}

/// Sorts numbers by key; of equal keys the lower number comes first.
pub fn sort_by_key<K: Ord>(numbers: &mut [u32], key: impl Fn(u32) -> K) {
    sort(numbers, &|a, b| key(a).cmp(&key(b)));
}

/// Sorts numbers as `compare` says; of equal ones the lower number comes first.
#[inline(never)]
pub fn sort(numbers: &mut [u32], compare: &dyn Fn(u32, u32) -> Ordering) {
    numbers.sort_unstable_by(|&a, &b| compare(a, b).then(a.cmp(&b)));
}

//! Checks of usages and of fixed records, which need heap memory.

use alloc::collections::{BTreeMap, BinaryHeap};
use alloc::vec::Vec;
use core::cmp::Reverse;

use arenite_abi::prelude::*;

use super::{count, life};
use crate::order;
use crate::usage::Usage;

/// Checks each usage: its lifetime does not end before it starts. The error names the record and both values.
///
/// # Errors
/// A lifetime ends before it starts; the error names the record and both values.
pub fn usages<S>(usages: &[Usage<S>]) -> Result<()> {
    count(usages.len())?;
    usages.iter().enumerate().try_for_each(|(i, usage)| life(i, usage.life.0, usage.life.1))
}

/// Checks that records with fixed offsets do not overlap. Takes O(n log n).
///
/// # Errors
/// Two such records overlap while both are alive; no plan can separate them.
pub fn fixed_apart(records: &[UsageRecord]) -> Result<()> {
    let fixed: Vec<(u32, u64, usize)> = records
        .iter()
        .enumerate()
        .filter(|(_, record)| record.size > 0)
        .filter_map(|(i, record)| Some((record.first_node, record.fixed()?, i)))
        .collect();
    let order = order::by_key(fixed.len(), |k| fixed[k as usize]);
    // The live records, by offset and by last node.
    let mut alive: BTreeMap<u64, usize> = BTreeMap::new();
    let mut deaths: BinaryHeap<Reverse<(u32, u64)>> = BinaryHeap::new();
    for (first_node, offset, i) in order.into_iter().map(|k| fixed[k as usize]) {
        while let Some(&Reverse((_, dead))) = deaths.peek().filter(|Reverse((last, _))| *last < first_node) {
            alive.remove(&dead);
            deaths.pop();
        }
        let below = alive.range(..=offset).next_back().filter(|&(&at, &j)| offset - at < records[j].size);
        let above = alive.range(offset..).next().filter(|&(&at, _)| at - offset < records[i].size);
        if let Some((&at, &j)) = below.or(above) {
            return Err(invalid!(
                "records {j} and {i} are alive together, but overlap at their fixed offsets {at} and {offset}"
            ));
        }
        alive.insert(offset, i);
        deaths.push(Reverse((records[i].last_node, offset)));
    }
    Ok(())
}

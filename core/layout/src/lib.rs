//! Planning memory before a planner is asked, as pure functions of the contract's usage records: which of them lie over one another,
//! and in which order nodes need the least memory.
//!
//! The runtime uses them for the tensors between steps, a delegate for those inside of its partitions: what one of them learns, both know.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod layout;
pub mod order;
mod techniques;

pub use layout::{Layout, Tie, TieKind};
pub use techniques::Techniques;

use arenite_abi::UsageRecord;

/// The largest sum of sizes alive at one node.
pub fn lower_bound(records: &[UsageRecord]) -> u64 {
    let mut events: Vec<(u64, bool, u64)> = Vec::with_capacity(2 * records.len());
    for record in records {
        events.push((u64::from(record.first_node), true, record.size));
        events.push((u64::from(record.last_node) + 1, false, record.size));
    }
    // At one node, ends come before starts: false sorts first.
    events.sort_unstable();
    let (mut alive, mut peak) = (0u64, 0u64);
    for (_, is_start, size) in events {
        alive = if is_start { alive.saturating_add(size) } else { alive.saturating_sub(size) };
        peak = peak.max(alive);
    }
    peak
}

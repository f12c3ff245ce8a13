//! Prepares memory planning, as pure functions on usage records: decides which tensors share memory, and finds the node
//! order that needs the least memory.
//!
//! The runtime applies them to tensors between steps, a delegate to tensors inside its partitions.
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
    // At the same node, ends sort before starts, because false sorts first.
    events.sort_unstable();
    let (mut alive, mut peak) = (0u64, 0u64);
    for (_, is_start, size) in events {
        alive = if is_start { alive.saturating_add(size) } else { alive.saturating_sub(size) };
        peak = peak.max(alive);
    }
    peak
}

//! Which records lie in one buffer, because the host lets one take over the memory of another.
//!
//! Follows `ArenaPlanner::IdentifyInPlaceTensors` of tflite/arena_planner.cc, on records instead of nodes: a view lies
//! where its source does for as long as either lives; a result may overwrite its input at the node where the input dies.
//!
//! ```text
//!            0  1  2  3  4  5
//! A          ■──■──■                     one buffer, alive from 0 to 5
//! V = view A    ■──■
//! C = f(A)         ■──■──■──■            not in place if V ended at 2 too: f might read V after it wrote C
//! ```

use alloc::vec;
use alloc::vec::Vec;
use arenite_abi::UsageRecord;
use arenite_abi::raw::{SHARE_IN_PLACE, SHARE_VIEW};

/// What is placed: a record, or several that share their memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Bytes.
    pub size: u64,
    /// The strictest of its records' alignments.
    pub alignment: u64,
    /// First and last node at which one of its records is alive.
    pub life: (u32, u32),
    /// Where it lies already, if it does.
    pub fixed: Option<u64>,
    /// How many of its records live until the last node of `life`.
    survivors: u32,
    /// The record whose value the memory holds: the first one, or the latest that was computed in place.
    writer: u32,
}

/// The buffers of some records.
pub struct Buffers {
    /// In the order of the first record of each.
    pub list: Vec<Buffer>,
    /// The buffer of each record.
    pub of_record: Vec<usize>,
}

/// Puts each record into the buffer of the one that it may share with, where that is safe, or into its own.
pub fn buffers(records: &[UsageRecord]) -> Buffers {
    let mut list: Vec<Buffer> = (0..).zip(records).map(|(i, record)| own(i, record)).collect();
    let mut of_record: Vec<usize> = (0..records.len()).collect();
    let mut candidates: Vec<usize> = (0..records.len()).filter(|&i| records[i].share_with >= 0).collect();
    candidates.sort_by_key(|&i| records[i].first_node);

    // The record whose value each record holds: itself, or of a view the source.
    let mut value: Vec<u32> = (0..).take(records.len()).collect();
    let mut is_final: Vec<bool> = records.iter().map(|record| record.share_with < 0).collect();
    for &i in &candidates {
        let source = records[i].share_with as usize;
        let buffer = &mut list[of_record[source]];
        if is_final[source]
            && value[source] == buffer.writer
            && join(buffer, &records[source], i, &records[i])
        {
            of_record[i] = of_record[source];
            value[i] = list[of_record[i]].writer;
        }
        is_final[i] = true;
    }
    Buffers { list, of_record }.without_gaps()
}

fn own(i: u32, record: &UsageRecord) -> Buffer {
    Buffer {
        size: record.size,
        alignment: record.alignment,
        life: (record.first_node, record.last_node),
        fixed: record.fixed(),
        survivors: 1,
        writer: i,
    }
}

/// Whether `record`, number `i`, lies in the buffer of its `source` from now on.
fn join(buffer: &mut Buffer, source: &UsageRecord, i: usize, record: &UsageRecord) -> bool {
    let alive = source.first_node <= record.first_node && record.first_node <= source.last_node;
    if !alive || record.size != buffer.size || record.fixed().is_some() || buffer.fixed.is_some() {
        return false;
    }
    match record.share_kind {
        SHARE_VIEW => {}
        SHARE_IN_PLACE if buffer.life.1 == record.first_node && buffer.survivors == 1 => {
            buffer.writer = i as u32;
        }
        _ => return false,
    }
    buffer.alignment = buffer.alignment.max(record.alignment);
    buffer.survivors = match record.last_node.cmp(&buffer.life.1) {
        core::cmp::Ordering::Less => buffer.survivors,
        core::cmp::Ordering::Equal => buffer.survivors + 1,
        core::cmp::Ordering::Greater => 1,
    };
    buffer.life.1 = buffer.life.1.max(record.last_node);
    true
}

impl Buffer {
    /// The buffer as if it were one record.
    pub fn record(&self) -> UsageRecord {
        UsageRecord {
            alignment: self.alignment,
            fixed_offset: self.fixed.unwrap_or(UsageRecord::ANYWHERE),
            ..UsageRecord::new(self.size, self.life.0, self.life.1)
        }
    }
}

impl Buffers {
    /// Drops the buffers that no record lies in.
    fn without_gaps(mut self) -> Self {
        let mut used = vec![false; self.list.len()];
        self.of_record.iter().for_each(|&buffer| used[buffer] = true);
        let mut count = 0;
        let renumbered: Vec<usize> = used
            .iter()
            .map(|&used| {
                count += usize::from(used);
                count.wrapping_sub(1)
            })
            .collect();
        self.of_record.iter_mut().for_each(|buffer| *buffer = renumbered[*buffer]);
        let mut used = used.into_iter();
        self.list.retain(|_| used.next() == Some(true));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sharing(size: u64, first: u32, last: u32, with: i32, kind: u32) -> UsageRecord {
        UsageRecord { share_with: with, share_kind: kind, ..UsageRecord::new(size, first, last) }
    }

    #[track_caller]
    fn check(records: &[UsageRecord], of_record: &[usize], lives: &[(u32, u32)]) {
        let buffers = buffers(records);
        assert_eq!(buffers.of_record, of_record);
        assert_eq!(buffers.list.iter().map(|b| b.life).collect::<Vec<_>>(), lives);
    }

    #[test]
    fn in_place_where_the_input_dies() {
        let a = UsageRecord::new(64, 0, 2);
        check(&[a, sharing(64, 2, 5, 0, SHARE_IN_PLACE)], &[0, 0], &[(0, 5)]);
        check(&[a, sharing(64, 1, 5, 0, SHARE_IN_PLACE)], &[0, 1], &[(0, 2), (1, 5)]);
        check(&[a, sharing(32, 2, 5, 0, SHARE_IN_PLACE)], &[0, 1], &[(0, 2), (2, 5)]);
        let chain = [a, sharing(64, 2, 3, 0, SHARE_IN_PLACE), sharing(64, 3, 4, 1, SHARE_IN_PLACE)];
        check(&chain, &[0, 0, 0], &[(0, 4)]);
    }

    #[test]
    fn views_keep_the_memory_alive() {
        let a = UsageRecord::new(64, 0, 1);
        let view = sharing(64, 1, 4, 0, SHARE_VIEW);
        check(&[a, view], &[0, 0], &[(0, 4)]);
        check(&[a, view, sharing(64, 1, 6, 0, SHARE_IN_PLACE)], &[0, 0, 1], &[(0, 4), (1, 6)]);
        check(&[a, view, sharing(64, 4, 6, 1, SHARE_IN_PLACE)], &[0, 0, 0], &[(0, 6)]);
        check(&[a, sharing(64, 3, 4, 0, SHARE_VIEW)], &[0, 1], &[(0, 1), (3, 4)]);
    }

    #[test]
    fn not_in_place_beside_a_view_that_is_read_at_the_same_node() {
        let records = [
            UsageRecord::new(64, 0, 2),
            sharing(64, 1, 2, 0, SHARE_VIEW),
            sharing(64, 2, 5, 0, SHARE_IN_PLACE),
        ];
        check(&records, &[0, 0, 1], &[(0, 2), (2, 5)]);
    }

    #[test]
    fn no_view_of_what_was_overwritten() {
        let records = [
            UsageRecord::new(64, 0, 2),
            sharing(64, 2, 5, 0, SHARE_IN_PLACE),
            sharing(64, 2, 6, 0, SHARE_VIEW),
        ];
        check(&records, &[0, 0, 1], &[(0, 5), (2, 6)]);
    }

    #[test]
    fn fixed_places_and_circles_are_left_alone() {
        let fixed = UsageRecord { fixed_offset: 0, ..UsageRecord::new(64, 0, 2) };
        check(&[fixed, sharing(64, 1, 5, 0, SHARE_VIEW)], &[0, 1], &[(0, 2), (1, 5)]);
        let circle = [sharing(64, 0, 2, 1, SHARE_VIEW), sharing(64, 0, 2, 0, SHARE_VIEW)];
        assert_eq!(buffers(&circle).list.len(), 1);
    }
}

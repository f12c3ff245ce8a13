//! Stores intermediates in the memory of the partition's outputs until those are written.
//!
//! ```text
//! step               0     1     2     3     4
//! output                               ├─ written, and read outside ─►
//! in its memory      ├─ a ─┤     ├─ b ─┤                                  b ends before the step that writes the output
//!                    ├─ c ───────┤
//! ```

use arenite_abi::UsageRecord;

/// The memory of an output.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// How much.
    pub bytes: u64,
    /// Bytes of an element, to which the record is aligned.
    pub element: usize,
    /// The first step that writes it.
    pub written: u32,
}

/// The room of a record and its offset there.
pub(super) type Lodging = Option<(usize, u64)>;

/// Records that are looked at; beyond that, all stay outside.
const MOST_RECORDS: usize = 1 << 12;

/// Places records in rooms, the largest first, as long as that lowers the peak of the memory outside. `elements` has
/// the bytes of an element for each record that may be in a room.
pub(super) fn lodge(records: &[UsageRecord], elements: &[Option<usize>], rooms: &[Room]) -> Vec<Lodging> {
    let mut lodgings: Vec<Lodging> = vec![None; records.len()];
    while let Some(step) = highest(records, &lodgings).filter(|_| records.len() <= MOST_RECORDS) {
        let lives = |r: &usize| {
            lodgings[*r].is_none() && (records[*r].first_node..=records[*r].last_node).contains(&step)
        };
        let mut living: Vec<usize> = (0..records.len()).filter(lives).collect();
        living.sort_by_key(|&r| std::cmp::Reverse(records[r].size));
        let mut choices = living.iter().flat_map(|&r| (0..rooms.len()).map(move |room| (r, room)));
        let found = choices.find_map(|(r, i)| {
            let (record, room) = (&records[r], &rooms[i]);
            let fits = elements[r].is_some_and(|element| element <= room.element);
            let at = (fits && record.last_node < room.written).then(|| gap(records, &lodgings, i, r))?;
            (at + record.size <= room.bytes).then_some((r, (i, at)))
        });
        let Some((r, place)) = found else { break };
        lodgings[r] = Some(place);
    }
    lodgings
}

/// The step at which the most bytes live outside of rooms; `None` if nothing does.
fn highest(records: &[UsageRecord], lodgings: &[Lodging]) -> Option<u32> {
    let outside = || records.iter().zip(lodgings).filter(|(_, lodging)| lodging.is_none());
    let end = outside().map(|(record, _)| record.last_node as usize + 1).max()?;
    let mut changes = vec![0i128; end + 1];
    for (record, _) in outside() {
        changes[record.first_node as usize] += i128::from(record.size);
        changes[record.last_node as usize + 1] -= i128::from(record.size);
    }
    let bytes = changes.iter().scan(0, |sum, change| {
        *sum += change;
        Some(*sum)
    });
    bytes.zip(0..).max_by_key(|&(bytes, step)| (bytes, std::cmp::Reverse(step))).map(|(_, step)| step)
}

/// The lowest offset in a room that is free while record `r` lives.
fn gap(records: &[UsageRecord], lodgings: &[Lodging], room: usize, r: usize) -> u64 {
    let record = &records[r];
    let lodged = records.iter().zip(lodgings).filter(|(other, _)| other.overlaps(record));
    let mut taken: Vec<(u64, u64)> = lodged
        .filter_map(|(other, lodging)| lodging.filter(|&(i, _)| i == room).map(|(_, at)| (at, other.size)))
        .collect();
    taken.sort_unstable();
    let mut at = 0;
    for (from, size) in taken {
        if at + record.size <= from {
            break;
        }
        at = at.max((from + size).next_multiple_of(record.alignment));
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(size: u64, first: u32, last: u32) -> UsageRecord {
        UsageRecord::new(size, first, last)
    }

    #[test]
    fn what_ends_before_an_output_is_written_lies_in_its_memory() {
        let records = [
            record(128, 0, 1),
            record(128, 1, 2),
            record(64, 0, 2),
            record(64, 2, 3),
            record(64, 3, 4),
            record(64, 0, 1),
        ];
        // The last one is a step's own.
        let elements = [Some(4), Some(4), Some(4), Some(1), Some(4), None];
        let rooms = [Room { bytes: 200, element: 4, written: 3 }];
        let lodged = lodge(&records, &elements, &rooms);
        assert_eq!(lodged, [Some((0, 0)), None, Some((0, 128)), None, None, None]);
    }

    #[test]
    fn elements_are_no_wider_than_those_of_the_output() {
        let records = [record(64, 0, 1)];
        let room = |element| [Room { bytes: 64, element, written: 2 }];
        assert_eq!(lodge(&records, &[Some(4)], &room(1)), [None]);
        assert_eq!(lodge(&records, &[Some(4)], &room(4)), [Some((0, 0))]);
    }
}

//! Shared objects: the result of strategies that assign them, and their offsets in one block.
//!
//! ```text
//! offset
//!   ▲  ┌─────────────┐
//!   │  │  object 1   │     objects in order of their numbers, each with the strictest alignment
//!   │  ├─────────────┘     of its records, all above the fixed records
//!   │  │  object 0   │
//!   │  ├─────────────┘
//!   │  │ fixed │
//!   └──┴───────┴──────► node
//! ```
//!
//! Defined by: tflite/delegates/gpu/common/memory_management.cc (`ObjectsToOffsets`), which supports neither alignment
//! nor fixed offsets.

use alloc::vec::Vec;
use arenite_abi::prelude::*;

use crate::validate;

/// The shared object of each record, and the size of each object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Objects<S = u64> {
    /// For each record, the number of its object.
    pub ids: Vec<u32>,
    /// For each object, the size of its largest record.
    pub sizes: Vec<S>,
}

/// A strategy that assigns shared objects. It ignores fixed offsets.
pub type Assign = fn(&[UsageRecord]) -> Result<Objects>;

impl<S> Objects<S> {
    /// An assignment of `count` records without any objects yet.
    pub(crate) fn for_records(count: usize) -> Self {
        Objects { ids: alloc::vec![Self::NONE; count], sizes: Vec::new() }
    }

    /// The `id` of a record without an object.
    pub(crate) const NONE: u32 = u32::MAX;

    /// Puts record `i` into a new object.
    pub(crate) fn add(&mut self, i: u32, size: S) -> u32 {
        let object = self.sizes.len() as u32;
        self.ids[i as usize] = object;
        self.sizes.push(size);
        object
    }
}

impl Objects {
    /// The sum of the sizes.
    pub fn total(&self) -> u128 {
        self.sizes.iter().map(|&size| u128::from(size)).sum()
    }

    /// Puts record `i` into `object`, which grows if necessary.
    pub(crate) fn put(&mut self, i: u32, object: u32, size: u64) {
        self.ids[i as usize] = object;
        let room = &mut self.sizes[object as usize];
        *room = size.max(*room);
    }
}

/// A planner's answer: shared objects, or offsets if a record has a fixed offset, which an object cannot keep.
pub(crate) fn answer(
    request: &PlanRequest<'_>,
    assignment: &mut AssignmentMut<'_>,
    assign: Assign,
) -> Result<()> {
    request.options.expect_only(&[])?;
    if request.records.iter().any(|record| record.fixed().is_some()) {
        return place(assign, request.records, validate::offsets(request, assignment)?);
    }
    let objects = assign(request.records)?;
    let (ids, sizes) = assignment.objects(objects.sizes.len())?;
    ensure!(
        ids.len() == objects.ids.len() && sizes.len() == objects.sizes.len(),
        "the arrays hold {} ids and {} objects, but there are {} records in {} objects",
        ids.len(),
        sizes.len(),
        objects.ids.len(),
        objects.sizes.len()
    );
    ids.copy_from_slice(&objects.ids);
    sizes.copy_from_slice(&objects.sizes);
    Ok(())
}

/// Writes the offset of each record to `offsets`: fixed records keep theirs, the others are in the objects of `assign`,
/// above the end of the last fixed one.
///
/// # Errors
/// A record is malformed or the sum overflows.
pub fn place(assign: Assign, records: &[UsageRecord], offsets: &mut [u64]) -> Result<()> {
    validate::records(records)?;
    validate::same_length(records, offsets)?;
    let free: Vec<UsageRecord> = records.iter().filter(|record| record.fixed().is_none()).copied().collect();
    let starts = stack(&free, &assign(&free)?, validate::fixed_end(records))?;
    let mut starts = starts.into_iter();
    for (record, offset) in records.iter().zip(offsets) {
        *offset = record.fixed().or_else(|| starts.next()).unwrap_or(0);
    }
    Ok(())
}

/// The offset of each record when `objects` are stacked from `floor` upwards.
///
/// # Errors
/// A record has no object, its object is too small, or the sum overflows.
pub fn stack(records: &[UsageRecord], objects: &Objects, floor: u64) -> Result<Vec<u64>> {
    let Objects { ids, sizes } = objects;
    ensure!(ids.len() == records.len(), "{} ids for {} records", ids.len(), records.len());
    let mut alignment = alloc::vec![1u64; sizes.len()];
    for (i, (record, &id)) in records.iter().zip(ids).enumerate() {
        let Some(&room) = sizes.get(id as usize) else {
            return Err(invalid!("record {i} is in object {id}, but there are {} objects", sizes.len()));
        };
        ensure!(record.size <= room, "record {i} has {} bytes, but its object {id} has {room}", record.size);
        let strictest = &mut alignment[id as usize];
        *strictest = record.alignment.max(*strictest);
    }
    let mut end = floor;
    let mut starts = Vec::with_capacity(sizes.len());
    for (&size, &alignment) in sizes.iter().zip(&alignment) {
        let start = validate::align(end, alignment)?;
        end = validate::end(start, size)?;
        starts.push(start);
    }
    Ok(ids.iter().map(|&id| starts[id as usize]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records of size 0, so that every object is large enough.
    fn stacked(sizes: &[u64], ids: &[u32]) -> Vec<u64> {
        let records: Vec<UsageRecord> =
            ids.iter().map(|_| UsageRecord { alignment: 1, ..UsageRecord::new(0, 0, 0) }).collect();
        stack(&records, &Objects { ids: ids.to_vec(), sizes: sizes.to_vec() }, 0).unwrap()
    }

    /// `EmptyAssignment`, `OneObjectAssignment` and `ManyObjectsAssignment` of memory_management_test.cc.
    #[test]
    fn objects_are_stacked_in_order() {
        assert!(stacked(&[], &[]).is_empty());
        assert_eq!(stacked(&[16], &[0]), [0]);
        assert_eq!(stacked(&[16], &[0, 0, 0]), [0, 0, 0]);
        let many = stacked(&[16, 8, 32, 32, 4, 16], &[2, 0, 2, 1, 3, 3, 1, 5]);
        assert_eq!(many, [24, 0, 24, 16, 56, 56, 16, 92]);
    }

    #[test]
    fn an_object_has_the_strictest_alignment_of_its_records() {
        let record = |alignment, size| UsageRecord { alignment, ..UsageRecord::new(size, 0, 0) };
        let records = [record(16, 100), record(4, 10), record(256, 5), record(1, 3)];
        let objects = Objects { ids: alloc::vec![0, 1, 1, 2], sizes: alloc::vec![100, 10, 3] };
        assert_eq!(stack(&records, &objects, 0).unwrap(), [0, 256, 256, 266]);
        assert_eq!(stack(&records, &objects, 17).unwrap(), [32, 256, 256, 266]);
    }

    #[test]
    fn objects_are_above_fixed_records() {
        let fixed = UsageRecord { fixed_offset: 128, ..UsageRecord::new(10, 0, 9) };
        let records =
            [UsageRecord::new(100, 0, 1), fixed, UsageRecord::new(50, 2, 3), UsageRecord::new(50, 2, 3)];
        let mut offsets = [7; 4];
        place(crate::greedy_in_order::assign, &records, &mut offsets).unwrap();
        assert_eq!(offsets, [192, 128, 192, 320]);
    }

    #[test]
    fn refusals() {
        let records = [UsageRecord::new(64, 0, 0), UsageRecord::new(65, 0, 0)];
        let message = |ids: &[u32], sizes: &[u64]| {
            let objects = Objects { ids: ids.to_vec(), sizes: sizes.to_vec() };
            stack(&records, &objects, 0).unwrap_err().message().to_owned()
        };
        assert_eq!(message(&[0, 2], &[64, 65]), "record 1 is in object 2, but there are 2 objects");
        assert_eq!(message(&[0, 0], &[64]), "record 1 has 65 bytes, but its object 0 has 64");
        assert_eq!(message(&[0], &[64]), "1 ids for 2 records");
        assert_eq!(
            message(&[0, 1], &[u64::MAX - 63, 65]),
            "the plan overflows: 65 bytes at offset 18446744073709551552"
        );
    }
}

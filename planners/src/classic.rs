//! The problems of TFLite's memory_management_test.cc, and the expected plans of every strategy for the smallest ones.

use arenite_abi::prelude::*;

use crate::objects::{Assign, Objects};
use crate::usage::Usage;

/// `ChainRecords`: size, first node, last node. The bytes alive at the busiest node are 96.
pub(crate) const CHAIN: [(u64, u32, u32); 5] = [(16, 0, 1), (8, 1, 2), (64, 2, 3), (32, 3, 4), (8, 4, 5)];

/// `ComplexRecords`. The bytes alive at the busiest node are 96.
pub(crate) const COMPLEX: [(u64, u32, u32); 9] =
    [(32, 0, 1), (32, 1, 4), (8, 2, 5), (16, 3, 5), (8, 4, 5), (64, 5, 7), (8, 6, 8), (8, 7, 8), (16, 8, 9)];

/// `UInt2Records`.
pub(crate) const TEXTURES: [Usage<[u32; 2]>; 9] =
    lives([[2, 8], [2, 8], [1, 12], [2, 8], [8, 2], [2, 8], [1, 8], [2, 8], [4, 1]]);

/// `UInt3Records`.
pub(crate) const VOLUMES: [Usage<[u32; 3]>; 9] = lives([
    [1, 2, 8],
    [4, 3, 2],
    [1, 1, 1],
    [2, 4, 1],
    [2, 2, 2],
    [8, 1, 2],
    [1, 2, 1],
    [1, 1, 1],
    [2, 2, 2],
]);

/// The lifetimes of the last two problems.
const fn lives<S: Copy>(sizes: [S; 9]) -> [Usage<S>; 9] {
    let nodes = [(0, 1), (1, 2), (2, 4), (3, 5), (4, 5), (5, 7), (6, 8), (7, 8), (8, 9)];
    let mut usages = [Usage::new(sizes[0], 0, 1); 9];
    let mut i = 1;
    while i < 9 {
        usages[i] = Usage::new(sizes[i], nodes[i].0, nodes[i].1);
        i += 1;
    }
    usages
}

/// Records with alignment 1.
pub(crate) fn records(list: &[(u64, u32, u32)]) -> Vec<UsageRecord> {
    list.iter()
        .map(|&(size, first, last)| UsageRecord { alignment: 1, ..UsageRecord::new(size, first, last) })
        .collect()
}

#[track_caller]
pub(crate) fn check(assign: Assign, list: &[(u64, u32, u32)], ids: &[u32], sizes: &[u64]) {
    let objects = assign(&records(list)).unwrap();
    assert_eq!((&objects.ids[..], &objects.sizes[..]), (ids, sizes));
}

#[track_caller]
pub(crate) fn check_any<S: Copy + PartialEq + core::fmt::Debug>(
    assign: fn(&[Usage<S>]) -> Result<Objects<S>>,
    usages: &[Usage<S>],
    ids: &[u32],
    sizes: &[S],
) {
    let objects = assign(usages).unwrap();
    assert_eq!((&objects.ids[..], &objects.sizes[..]), (ids, sizes));
}

/// `EmptyRecords` and `OneRecord`, and the error for a malformed record.
#[track_caller]
pub(crate) fn check_small(assign: Assign) {
    check(assign, &[], &[], &[]);
    check(assign, &[(16, 0, 1)], &[0], &[16]);
    let error = assign(&records(&[(16, 2, 1)])).unwrap_err();
    assert_eq!(error.message(), "record 0: its first node 2 comes after its last node 1");
}

/// The offsets of a strategy, and the size of its plan.
pub(crate) fn offsets(
    place: fn(&[UsageRecord], &mut [u64]) -> Result<()>,
    records: &[UsageRecord],
) -> (Vec<u64>, u64) {
    let mut offsets = vec![u64::MAX; records.len()];
    place(records, &mut offsets).unwrap();
    let total = records.iter().zip(&offsets).map(|(record, offset)| offset + record.size).max().unwrap_or(0);
    (offsets, total)
}

/// `EmptyRecords` and `OneRecord` for strategies with offsets. Records of size 0 get offset 0 and block nothing, and
/// fixed records stay. Malformed records and overflows are errors.
#[track_caller]
pub(crate) fn check_small_offsets(place: fn(&[UsageRecord], &mut [u64]) -> Result<()>) {
    assert_eq!(offsets(place, &[]), (vec![], 0));
    assert_eq!(offsets(place, &records(&[(16, 0, 1)])), (vec![0], 16));
    let fixed = UsageRecord { fixed_offset: 128, ..UsageRecord::new(64, 0, 9) };
    let with_fixed = [fixed, UsageRecord::new(0, 0, 9), UsageRecord::new(200, 0, 9)];
    assert_eq!(offsets(place, &with_fixed), (vec![128, 0, 192], 392));
    let message = |records: &[UsageRecord]| {
        place(records, &mut vec![0; records.len()]).unwrap_err().message().to_owned()
    };
    assert_eq!(message(&records(&[(16, 2, 1)])), "record 0: its first node 2 comes after its last node 1");
    let huge = UsageRecord::new(1 << 63, 0, 1);
    assert_eq!(
        message(&[huge, huge]),
        "the plan overflows: 9223372036854775808 bytes at offset 9223372036854775808"
    );
    let error = place(&[huge], &mut []).unwrap_err();
    assert_eq!(error.message(), "the array holds 0 offsets, but there are 1 records");
}

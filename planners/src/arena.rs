//! `arena`: greedy by size, each buffer in the tightest gap between the buffers that are alive together with it.
//!
//! Defined by: tflite/arena_planner.cc (order: `CreateTensorAllocationVector`) and tflite/simple_memory_arena.cc
//! (place: `Allocate`). Offsets are TFLite's own, except for ties in the order: TFLite leaves these to the standard
//! library's sort, and here the lower record number comes first.
//!
//! ```text
//! offset                          C is placed last. Alive with it are A and B; the gap before B is wide enough.
//!   ▲   ┌───────┐
//!   │   │   B   │
//!   │   └───────┘┌───┐
//!   │    └─ C ─┘ │ D │            D is not alive with C and does not block it.
//!   │   ┌──┐     │   │
//!   │   │A │     └───┘
//!   └───┴──┴───────────► node
//! ```

use core::cmp::Reverse;

use alloc::vec::Vec;
use arenite_abi::prelude::*;

use crate::space::{self, Fit};
use crate::{order, validate};

/// The planner `arena`.
pub struct Arena;

impl Planner for Arena {
    const NAME: &'static str = "arena";

    fn plan(request: &PlanRequest<'_>, assignment: &mut AssignmentMut<'_>) -> Result<()> {
        request.options.expect_only(&[])?;
        place(request.records, validate::offsets(request, assignment)?)
    }
}

/// Writes the offset of each record to `offsets`. Records with a fixed offset keep it and block their range; a record
/// of size 0 gets offset 0.
///
/// The complexity is given at [`space::fill`].
///
/// # Errors
/// A record is malformed or an offset overflows.
pub fn place(records: &[UsageRecord], offsets: &mut [u64]) -> Result<()> {
    validate::records(records)?;
    validate::same_length(records, offsets)?;
    space::fill(records, order(records).into_iter(), Fit::TightestUnaligned, offsets)
}

/// The order in which records are placed: records that live from the first node until the end; then by falling size,
/// then by first node, then by number.
pub(crate) fn order(records: &[UsageRecord]) -> Vec<u32> {
    order::by_key(records.len(), |i| match records[i as usize] {
        UsageRecord { first_node: 0, last_node: UsageRecord::FOREVER, .. } => (0, Reverse(0), 0),
        UsageRecord { size, first_node, .. } => (1, Reverse(size), first_node),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `(size, first, last)` with alignment 1.
    fn packed(records: &[(u64, u32, u32)]) -> Vec<UsageRecord> {
        records
            .iter()
            .map(|&(size, first, last)| UsageRecord { alignment: 1, ..UsageRecord::new(size, first, last) })
            .collect()
    }

    fn offsets(records: &[UsageRecord]) -> Vec<u64> {
        let mut offsets = vec![u64::MAX; records.len()];
        place(records, &mut offsets).unwrap();
        offsets
    }

    fn total(records: &[UsageRecord]) -> u64 {
        records.iter().zip(offsets(records)).map(|(record, offset)| offset + record.size).max().unwrap_or(0)
    }

    const END: u32 = UsageRecord::FOREVER;

    #[test]
    fn a_hundred_thousand_buffers_alive_together_are_placed_in_seconds() {
        let records: Vec<UsageRecord> = (0..100_000u32)
            .map(|i| UsageRecord::new(64 + u64::from(i * 7919 % 1000), i, 200_000 - i))
            .collect();
        let offsets = offsets(&records);
        let mut places: Vec<(u64, u64)> =
            offsets.iter().zip(&records).map(|(&o, r)| (o, o + r.size)).collect();
        places.sort_unstable();
        assert!(
            places.windows(2).all(|pair| pair[0].1 <= pair[1].0),
            "records that are alive together overlap"
        );
    }

    #[test]
    fn order_is_life_then_size_then_first_node_then_number() {
        let records =
            packed(&[(8, 2, 3), (16, 4, 5), (8, 1, 1), (4, 0, END), (8, 1, 2), (9, 0, 3), (6, 0, END)]);
        assert_eq!(order(&records), [3, 6, 1, 5, 2, 4, 0]);
    }

    /// Inputs come first though they are small, then 300 bytes before 200 though these are needed earlier.
    #[test]
    fn whole_life_buffers_come_first() {
        let records = [
            UsageRecord::new(200, 0, 1),
            UsageRecord::new(300, 1, 2),
            UsageRecord::new(10, 0, END),
            UsageRecord::new(20, 0, END),
        ];
        assert_eq!(offsets(&records), [448, 128, 0, 64]);
    }

    /// Obstacles at 0..64, 128..192 and 320..384 leave gaps of 64 and 128 bytes: the tighter one is chosen.
    #[test]
    fn tightest_gap_wins() {
        let at = |offset| UsageRecord { fixed_offset: offset, ..UsageRecord::new(64, 0, 9) };
        let mut records = vec![at(320), at(0), at(128), UsageRecord::new(64, 3, 3)];
        assert_eq!(offsets(&records), [320, 0, 128, 64]);
        records[3].size = 65;
        assert_eq!(offsets(&records), [320, 0, 128, 192]);
        records[3].size = 129;
        assert_eq!(offsets(&records), [320, 0, 128, 384]);
        records[3].first_node = 10;
        records[3].last_node = 10;
        assert_eq!(offsets(&records), [320, 0, 128, 0]);
    }

    /// Gaps for 64 bytes, aligned to 64: 10..192 has 182 bytes, 128 of them after alignment; 202..384 the same. The
    /// first gap is remembered as 182, so the second, compared as 128, wins. A true best fit would choose the first.
    #[test]
    fn gaps_are_compared_aligned_and_remembered_unaligned() {
        let at = |offset, size| UsageRecord { fixed_offset: offset, ..UsageRecord::new(size, 0, 9) };
        let records = [at(0, 10), at(192, 10), at(384, 10), UsageRecord::new(64, 0, 9)];
        assert_eq!(offsets(&records), [0, 192, 384, 256]);
        let aligned = [at(0, 64), at(192, 64), at(384, 64), UsageRecord::new(64, 0, 9)];
        assert_eq!(offsets(&aligned), [0, 192, 384, 64]);
    }

    #[test]
    fn records_of_size_zero_are_at_offset_zero_and_block_nothing() {
        let records = [UsageRecord::new(64, 0, 9), UsageRecord::new(0, 0, 9), UsageRecord::new(64, 0, 9)];
        assert_eq!(offsets(&records), [0, 0, 64]);
        assert!(offsets(&[]).is_empty());
    }

    #[test]
    fn the_end_of_the_plan_is_aligned_for_each_record() {
        let records = [
            UsageRecord { alignment: 1, ..UsageRecord::new(100, 0, 1) },
            UsageRecord { alignment: 4096, ..UsageRecord::new(50, 0, 1) },
            UsageRecord { alignment: 16, ..UsageRecord::new(40, 0, 1) },
        ];
        assert_eq!(offsets(&records), [0, 4096, 112]);
    }

    /// The chain and the graph of TFLite's memory_management_test.cc; both have a lower bound of 96 bytes.
    #[test]
    fn chain_and_complex_graph_need_96_bytes() {
        let chain = packed(&[(16, 0, 1), (8, 1, 2), (64, 2, 3), (32, 3, 4), (8, 4, 5)]);
        assert_eq!(offsets(&chain), [0, 64, 0, 64, 0]);
        assert_eq!(total(&chain), 96);
        let complex = packed(&[
            (32, 0, 1),
            (32, 1, 4),
            (8, 2, 5),
            (16, 3, 5),
            (8, 4, 5),
            (64, 5, 7),
            (8, 6, 8),
            (8, 7, 8),
            (16, 8, 9),
        ]);
        // 64 at 0; a 32 at 0, long before the 64 is alive, and the other 32 above it; a 16 above the 64, a 16 at 0;
        // then the 8s.
        assert_eq!(offsets(&complex), [0, 32, 80, 64, 88, 0, 64, 72, 0]);
        assert_eq!(total(&complex), 96);
    }

    /// Five tensors of a residual block in units of 64 bytes: the input, two convolutions, their sum, its pooling.
    #[test]
    fn residual_block() {
        let records = [
            UsageRecord::new(64 * 3, 0, 2),
            UsageRecord::new(64 * 4, 0, 1),
            UsageRecord::new(64 * 3, 1, 2),
            UsageRecord::new(64 * 3, 2, 3),
            UsageRecord::new(64, 3, END),
        ];
        // 4 at 0; then the 3s by first node: the input above it; the second convolution above both, which are alive at
        // node 1; the sum at 0, where the first convolution was; the pooling above it.
        assert_eq!(offsets(&records), [256, 0, 448, 0, 192]);
        assert_eq!(total(&records), 640);
        assert_eq!(records.iter().map(|r| r.size).sum::<u64>(), 896);
    }

    #[test]
    fn overflow_is_an_error() {
        let huge = UsageRecord::new(u64::MAX - 100, 0, 1);
        let error = place(&[huge, UsageRecord::new(64, 0, 1)], &mut [0; 2]).unwrap_err();
        assert!(error.message().contains("overflow"), "{error}");
        assert_eq!(place(&[huge], &mut [0]).map_err(|e| e.message().to_owned()), Ok(()));
        let error = place(&[huge], &mut []).unwrap_err();
        assert_eq!(error.message(), "the array holds 0 offsets, but there are 1 records");
    }
}

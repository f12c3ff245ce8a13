//! `greedy-by-size-offsets`: the largest record first, each in the tightest gap between the records that are alive
//! together with it.
//!
//! Defined by: tflite/delegates/gpu/common/memory_management/greedy_by_size_assignment.cc (`GreedyBySizeAssignment`).
//! There all offsets have one alignment; here each record has its own.

use arenite_abi::prelude::*;

use crate::space::{self, Fit};
use crate::usage;
use crate::validate;

/// The planner `greedy-by-size-offsets`.
pub struct GreedyBySizeOffsets;

impl Planner for GreedyBySizeOffsets {
    const NAME: &'static str = "greedy-by-size-offsets";

    fn plan(request: &PlanRequest<'_>, assignment: &mut AssignmentMut<'_>) -> Result<()> {
        request.options.expect_only(&[])?;
        place(request.records, validate::offsets(request, assignment)?)
    }
}

/// Writes the offset of each record to `offsets`. Records with a fixed offset keep it and block their range; a record
/// of size 0 gets offset 0. The complexity is given at [`space::fill`].
///
/// # Errors
/// A record is malformed or an offset overflows.
pub fn place(records: &[UsageRecord], offsets: &mut [u64]) -> Result<()> {
    space::fill(records, usage::by_size(records).into_iter(), Fit::Tightest, offsets)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classic;

    #[test]
    fn classic_cases() {
        let chain = classic::records(&classic::CHAIN);
        assert_eq!(classic::offsets(place, &chain), (vec![0, 64, 0, 64, 0], 96));
        let complex = classic::records(&classic::COMPLEX);
        assert_eq!(classic::offsets(place, &complex), (vec![0, 32, 80, 64, 88, 0, 64, 72, 0], 96));
        classic::check_small_offsets(place);
    }

    /// `OffsetAssignmentWithAlignment`.
    #[test]
    fn aligned_chain() {
        let mut chain = classic::records(&classic::CHAIN);
        chain.iter_mut().for_each(|record| record.alignment = 128);
        assert_eq!(classic::offsets(place, &chain), (vec![0, 128, 0, 128, 0], 160));
    }

    #[test]
    fn the_lower_number_of_equal_sizes_comes_first() {
        let records = classic::records(&[(8, 2, 3), (8, 0, 3), (8, 0, 9)]);
        assert_eq!(classic::offsets(place, &records).0, [0, 8, 16]);
    }
}

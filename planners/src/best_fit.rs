//! `best-fit`: like `arena`, but each record goes into the gap that is tightest after alignment.
//!
//! Defined by: tflite/arena_planner.cc (order) and tflite/simple_memory_arena.cc (`Allocate`), with one correction:
//! TFLite compares a gap after alignment with one before alignment.

use arenite_abi::prelude::*;

use crate::arena;
use crate::space::{self, Fit};
use crate::validate;

/// The planner `best-fit`.
pub struct BestFit;

impl Planner for BestFit {
    const NAME: &'static str = "best-fit";

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
    space::fill(records, arena::order(records).into_iter(), Fit::Tightest, offsets)
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

    /// Two gaps of 128 bytes after alignment: `arena` chooses the upper one, because it remembers the lower one as 182
    /// bytes.
    #[test]
    fn the_lower_of_two_equal_gaps_is_chosen() {
        let at = |offset, size| UsageRecord { fixed_offset: offset, ..UsageRecord::new(size, 0, 9) };
        let records = [at(0, 10), at(192, 10), at(384, 10), UsageRecord::new(64, 0, 9)];
        assert_eq!(classic::offsets(place, &records).0[3], 64);
        assert_eq!(classic::offsets(arena::place, &records).0[3], 256);
    }
}

//! `equality-vector`: a record reuses a free object of exactly its size; if several are free, the one with the lowest
//! number.
//!
//! Defined by: tflite/delegates/gpu/common/memory_management/equality_assignment.h (`EqualityAssignment`), which
//! examines all objects for each record. Records are assigned by first node. Takes O(n log n).

use arenite_abi::planner::Assign;
use arenite_abi::prelude::*;

use crate::equality::assign_waiting;
use crate::in_use::Lowest;
use crate::objects::{self, Objects};
use crate::shared;
use crate::usage::{self, Usage};
use crate::validate;

/// The planner `equality-vector`.
pub struct EqualityVector;

impl Planner for EqualityVector {
    const NAME: &'static str = "equality-vector";

    const ASSIGN: Option<Assign> = Some(|request, objects| shared::any(request, objects, assign_any));

    fn plan(request: &PlanRequest<'_>, assignment: &mut AssignmentMut<'_>) -> Result<()> {
        objects::answer(request, assignment, assign)
    }
}

/// Shared objects for `records`.
///
/// # Errors
/// A record is malformed.
pub fn assign(records: &[UsageRecord]) -> Result<Objects> {
    validate::records(records)?;
    assign_any(&usage::of_records(records))
}

/// Shared objects for sizes of any kind: bytes, shapes, textures.
///
/// # Errors
/// A lifetime ends before it starts.
pub fn assign_any<S: Ord + Copy>(usages: &[Usage<S>]) -> Result<Objects<S>> {
    assign_waiting::<S, Lowest>(usages)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classic;

    #[test]
    fn classic_cases() {
        classic::check(assign, &classic::CHAIN, &[0, 1, 2, 3, 1], &[16, 8, 64, 32]);
        // At node 7, objects 2 and 4 of 8 bytes are free, released together. The hash form used 4 at node 6; here 2 is
        // used.
        classic::check(assign, &classic::COMPLEX, &[0, 1, 2, 3, 4, 5, 2, 4, 3], &[32, 32, 8, 16, 8, 64]);
        classic::check_small(assign);
    }

    /// `UInt2Records` and `UInt3Records`.
    #[test]
    fn textures() {
        let sizes = [[2, 8], [2, 8], [1, 12], [8, 2], [1, 8], [4, 1]];
        classic::check_any(assign_any, &classic::TEXTURES, &[0, 1, 2, 0, 3, 1, 4, 0, 5], &sizes);
        let sizes = [[1, 2, 8], [4, 3, 2], [1, 1, 1], [2, 4, 1], [2, 2, 2], [8, 1, 2], [1, 2, 1]];
        classic::check_any(assign_any, &classic::VOLUMES, &[0, 1, 2, 3, 4, 5, 6, 2, 4], &sizes);
    }

    /// Objects 0, 1, 2 are released in the order 2, 0, 1, and reused in order of their numbers.
    #[test]
    fn lowest_number_is_used_first() {
        let list = [(8, 0, 2), (8, 0, 3), (8, 0, 1), (8, 4, 4), (8, 4, 4), (8, 4, 4)];
        classic::check(assign, &list, &[0, 1, 2, 0, 1, 2], &[8, 8, 8]);
    }
}

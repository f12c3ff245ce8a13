//! `greedy-best`: `greedy-by-size`, unless `greedy-by-breadth` needs less.
//!
//! Defined by: tflite/delegates/gpu/common/memory_management.cc (`BestGreedy`). Runs both.

use arenite_abi::planner::Assign;
use arenite_abi::prelude::*;

use crate::objects::{self, Objects};
use crate::shared;
use crate::{greedy_by_breadth, greedy_by_size};

/// The planner `greedy-best`.
pub struct GreedyBest;

impl Planner for GreedyBest {
    const NAME: &'static str = "greedy-best";

    const ASSIGN: Option<Assign> = Some(|request, objects| shared::bytes(request, objects, assign));

    fn plan(request: &PlanRequest<'_>, assignment: &mut AssignmentMut<'_>) -> Result<()> {
        objects::answer(request, assignment, assign)
    }
}

/// Shared objects for `records`.
///
/// # Errors
/// A record is malformed.
pub fn assign(records: &[UsageRecord]) -> Result<Objects> {
    let by_size = greedy_by_size::assign(records)?;
    let by_breadth = greedy_by_breadth::assign(records)?;
    Ok(if by_breadth.total() < by_size.total() { by_breadth } else { by_size })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classic;

    #[test]
    fn classic_cases() {
        classic::check(assign, &classic::CHAIN, &[0, 1, 0, 1, 0], &[64, 32]);
        classic::check(assign, &classic::COMPLEX, &[1, 0, 2, 1, 3, 0, 1, 2, 0], &[64, 32, 8, 8]);
        classic::check_small(assign);
    }
}
